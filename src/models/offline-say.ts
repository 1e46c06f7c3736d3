// Texts of the offline model: greeting, help, and a tool's result in readable lines.
import type { Result } from '#core/item.ts'
import { isObject, valueIn } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { insideFence } from '#safety/fence.ts'

const maxLines = 60
const maxLineChars = 2_000
const maxDepth = 5

export const connectHint =
  'To connect a real model, run `atrium onboard` (`bin/atrium onboard` in a checkout), or open Settings in the browser.'
const whoAmI = "I am Atrium's built-in offline model: a few simple rules, no real language model."
export const greeting = `Hello! ${whoAmI} Say "help" to see what I can do.\n${connectHint}`
export const refusal = `Sorry, I did not understand that. ${whoAmI} Say "help" to see what I can do.\n${connectHint}`
const examples =
  'Try "what time is it in Tokyo?", "what is 17% of 80?", "remember that my bike is blue", "what do you remember?".'

/** A list of what the offline model can do with these tools. */
export function help(tools: readonly ToolSpec[]): string {
  const lines = tools.slice(0, maxLines).map(({ name, description }) => `- ${name}: ${description.split('.')[0]}`)
  return [whoAmI, examples, '', 'I can use:', ...lines, '', connectHint].join('\n')
}

/** A tool's result in words. */
export function phrase({ output, error, origin }: Result, name = 'The tool'): string {
  const text = (origin === undefined ? output : insideFence(output)).trim()
  if (error) return `${name} could not do that: ${text.slice(0, maxLineChars)}`
  if (name === 'memory_write') return 'I have made a note of that.'
  const value = valueIn(text) ?? (text || '(nothing)')
  if (name === 'time' && isObject(value)) return `It is ${String(value.local)} (${String(value.timezone)}).`
  const lines = linesOf(value, 0).map((line) => line.slice(0, maxLineChars))
  if (lines.length > maxLines) lines.splice(maxLines, Infinity, '… and more')
  if (name !== 'calculate' && name !== 'memory_search') lines.unshift(`Here is what ${name} says:`)
  return lines.join('\n')
}

/** An object as "key: value" lines, a list as bullets. */
function linesOf(value: unknown, depth: number): string[] {
  if (depth > maxDepth) return ['…']
  if (Array.isArray(value)) return value.map((each) => `- ${linesOf(each, depth + 1).join(', ')}`)
  if (!isObject(value)) return typeof value === 'string' ? value.split('\n') : [JSON.stringify(value)]
  return Object.entries(value).flatMap(([key, each]) => {
    const [label, lines] = [`${key.replaceAll('_', ' ')}:`, linesOf(each, depth + 1)]
    const isNested = isObject(each) || Array.isArray(each)
    return isNested ? [label, ...lines.map((line) => `  ${line}`)] : `${label} ${lines.join(' ')}`
  })
}
