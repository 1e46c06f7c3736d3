// What the offline model says: about itself, about what it lacks, and about what a tool answered.
import { isObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Missing } from './offline-fill.ts'

/** What came of one call, with the name of its tool. */
export type Outcome = { readonly tool: string; readonly output: string; readonly error: boolean }

const MAX_TEXT_CHARS = 4_000
const MAX_LINES = 60
const MAX_TOOLS_LISTED = 30
/** How every question for a parameter begins; the next message is read as its answer. */
const ASKING = 'To use `'

/** As safety/injection.ts writes it; models stand below and may not import it. */
const FENCE = /^<untrusted-content[^>]*>\n([\s\S]*)\n<\/untrusted-content>$/

export const CONNECT = 'connect a real one with LLM_PROVIDER and LLM_API_KEY, or `atrium model set`'
const WHO = "I am Atrium's built-in offline model: simple rules, no language model"

export function sayHello(): string {
  return `Hello! ${WHO}; ${CONNECT}. Until then I can do simple things. Say "help" to see what.`
}

export function sayHelp(tools: readonly ToolSpec[]): string {
  const has = (name: string) => tools.some((tool) => tool.name === name)
  const can = [
    has('time') ? 'tell the time ("what time is it in Tokyo?")' : 'tell the time',
    ...(has('calculate') ? ['calculate ("what is 12 * (3 + 4)?", "17% of 80")'] : []),
    ...(has('memory_write') ? ['remember something ("remember that my bike is blue")'] : []),
    ...(has('memory_search') ? ['recall it ("what do you remember about my bike?")'] : []),
    'use a tool that looks something up, when you name what it is about',
  ]
  const listed = tools.slice(0, MAX_TOOLS_LISTED).map((tool) => `- ${tool.name}: ${firstSentence(tool.description)}`)
  const more = tools.length > listed.length ? [`- and ${tools.length - listed.length} more`] : []
  const offered =
    tools.length === 0
      ? 'No tools are offered to me here.'
      : ['Tools offered to me here:', ...listed, ...more].join('\n')
  return `${WHO}; ${CONNECT}. I can:\n${can.map((line) => `- ${line}`).join('\n')}\n\n${offered}`
}

export function sayUnknown(tools: readonly ToolSpec[]): string {
  const more = tools.length === 0 ? '' : ' and use tools that look something up'
  return `${WHO}, so I cannot answer that; ${CONNECT}. I can greet, tell the time, calculate${more}: say "help" for the list.`
}

/** The question for what a tool still needs. */
export function sayMissing(tool: ToolSpec, missing: readonly Missing[]): string {
  const parts = missing.map(({ name, schema }) => `${words(name)}${hint(schema)}`)
  return `${ASKING}${tool.name}\` I still need ${listed(parts, 'and')}. Please tell me.`
}

/** True for a text that sayMissing made. */
export function isAsking(text: string): boolean {
  return text.startsWith(ASKING) && text.endsWith('Please tell me.')
}

export function sayTorn(tools: readonly ToolSpec[]): string {
  return `Several tools could do that: ${listed(
    tools.map((tool) => `\`${tool.name}\``),
    'or',
  )}. Please name the one to use.`
}

export function sayWrites(tool: ToolSpec): string {
  return `\`${tool.name}\` seems to be meant, but it changes or sends something, and the offline model never guesses at that; ${CONNECT}.`
}

/** All outcomes of a turn in readable lines. */
export function sayOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes.map(sayOutcome).join('\n\n')
}

/** The JSON value of an output, or its text. */
export function outputValue(output: string): unknown {
  const text = unfenced(output)
  try {
    return JSON.parse(text)
  } catch {
    // Most tools answer in plain text: that is a value too.
    return text
  }
}

/** The text inside the fence that marks outside content, or the whole text when there is none. */
function unfenced(output: string): string {
  return (FENCE.exec(output)?.[1] ?? output).trim()
}

function sayOutcome({ tool, output, error }: Outcome): string {
  const value = outputValue(output)
  const fault = isObject(value) && Object.keys(value).length === 1 ? value.error : undefined
  if (error || typeof fault === 'string') {
    return `The tool ${tool} reported an error: ${capped(typeof fault === 'string' ? fault : unfenced(output))}`
  }
  if (tool === 'calculate' && typeof value === 'string') return capped(value)
  if (tool === 'time' && isObject(value) && typeof value.local === 'string') {
    return `It is ${value.local}${typeof value.timezone === 'string' ? ` (${value.timezone})` : ''}.`
  }
  if (tool === 'memory_write') return `I have made a note of that.`
  const text = capped(linesOf(value).join('\n'))
  return text === '' ? `The tool ${tool} answered with nothing.` : `${leadFor(tool, value)}\n${text}`
}

function leadFor(tool: string, value: unknown): string {
  if (tool === 'memory_search') return 'Here is what I remember:'
  const place = isObject(value) ? (value.city ?? value.location) : undefined
  if (/weather/i.test(tool))
    return `Here is the weather${typeof place === 'string' ? ` for ${place.slice(0, 100)}` : ''}:`
  return `Here is what ${tool} found:`
}

/** Objects as "key: value" lines, lists as bullets, one level of nesting; anything deeper as JSON. */
function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return shortened(value.map((each) => `- ${inline(each)}`))
  if (!isObject(value)) return [scalar(value)]
  return shortened(
    Object.entries(value).flatMap(([key, each]) => {
      if (Array.isArray(each) && each.length > 0)
        return [`${words(key)}:`, ...each.map((item) => `  - ${inline(item)}`)]
      if (isObject(each))
        return [`${words(key)}:`, ...Object.entries(each).map(([name, part]) => `  - ${words(name)}: ${inline(part)}`)]
      return [`${words(key)}: ${inline(each)}`]
    }),
  )
}

function inline(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0
      ? 'none'
      : value.every((each) => !isObject(each))
        ? value.map(scalar).join(', ')
        : scalar(value)
  if (!isObject(value)) return scalar(value)
  return Object.entries(value)
    .map(([key, each]) => `${words(key)}: ${scalar(each)}`)
    .join(', ')
}

function scalar(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? 'none' : JSON.stringify(value)
}

function shortened(lines: readonly string[]): string[] {
  return lines.length <= MAX_LINES
    ? [...lines]
    : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more lines`]
}

function capped(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}… (shortened)`
}

function words(key: string): string {
  return key.replaceAll(/[_-]+/g, ' ').trim()
}

function hint(schema: Missing['schema']): string {
  if (Array.isArray(schema.enum)) return ` (${listed(schema.enum.slice(0, 10).map(String), 'or')})`
  if (typeof schema.minimum === 'number' && typeof schema.maximum === 'number')
    return ` (a number from ${schema.minimum} to ${schema.maximum})`
  if (schema.type === 'boolean') return ' (yes or no)'
  const described = typeof schema.description === 'string' ? firstSentence(schema.description) : ''
  return described === '' ? '' : ` (${described.replace(/\.$/, '')})`
}

function firstSentence(text: string): string {
  return (/^[\s\S]*?(?<!\be\.g|\bi\.e)[.!?](?=\s|$)/.exec(text.slice(0, 200))?.[0] ?? text.slice(0, 120))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function listed(parts: readonly string[], last: 'and' | 'or'): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`
}
