// What the offline model says: greetings, refusals, and what a tool answered in readable lines.
import type { Result } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { insideFence } from '#safety/fence.ts'
import { dayIn, fullDay, isoDay, zoneIn } from './offline-read.ts'

const maxLines = 60
const maxLineChars = 2_000
const deepest = 5

export const connectHint = 'To connect a real model, set LLM_PROVIDER and LLM_API_KEY, or run `atrium model set`.'
const whoAmI = "I am Atrium's built-in offline model: a few simple rules, no real language model."
const exampleWords: ReadonlyMap<string, string> = new Map([
  ['time', 'tell the time: "what time is it in Tokyo?", "what day is it tomorrow?"'],
  ['calculate', 'calculate: "what is 17% of 80?", "square root of 2"'],
  ['memory_write', 'remember: "remember that my bike is blue"'],
  ['memory_search', 'recall: "what do you remember about my bike?"'],
])
const refusals: readonly string[] = [
  'Sorry, that is beyond me: I am the built-in offline model. Say "help" to see what I can do.',
  'I have no rule for that. Say "help" to see mine; `atrium model set` connects a model that can think.',
  'That needs a real language model, and I am only the built-in offline one. Say "help" to see what I can do.',
]
/** Other languages: how they greet, words two of which make them obvious, and the one thing said in them. */
const languages = [
  {
    greets: /^(?:hallo|moin|servus|guten (?:tag|morgen|abend))\b/,
    words: /^(?:ich|ist|der|das|nicht|wie|und|du|wer|eine?|mir|kannst|bist|warum|für)$/,
    limits: 'Ich bin nur das eingebaute Offline-Modell: einfache Regeln, auf Englisch. "help" zeigt, was ich kann.',
  },
  {
    greets: /^(?:bonjour|salut|bonsoir)\b/,
    words: /^(?:je|est|les?|une|quelle?|comment|pourquoi|vous|tu|moi|pour|dans|peux|qui)$/,
    limits: 'Je ne suis que le modèle hors ligne intégré : des règles simples, en anglais. "help" montre lesquelles.',
  },
  {
    greets: /^(?:hola|buenos días|buenas (?:tardes|noches))\b/,
    words: /^(?:el|los|las|es|qué|cómo|por|una|quién|puedes?|cuál|dónde|para|está)$/,
    limits: 'Solo soy el modelo sin conexión integrado: reglas sencillas, en inglés. "help" muestra lo que sé hacer.',
  },
]

/** A greeting in the words of the greeting; undefined where none was said. `plain` is the message's bare words. */
export function greeting(plain: string): string | undefined {
  const own =
    /^(?:$|(?:hi|hello|hey|good (?:morning|afternoon|evening|day))\b|(?:who|what|how) are you\b)|\babout yourself\b|\breal model\b|^are you (?:an?|chatgpt|human|real)\b/.test(
      plain,
    )
  if (own) return `Hello! ${whoAmI} Say "help" to see what I can do.\n${connectHint}`
  const other = languages.find(({ greets }) => greets.test(plain))
  const hello = other?.greets.exec(plain)?.[0].replace(/^./u, (letter) => letter.toUpperCase())
  return other && `${hello}! ${other.limits}\n${connectHint}`
}

/** One line, in the message's language where that is obvious; which of several, the message decides. */
export function refusal(message: string): string {
  const words = message.toLowerCase().match(/\p{L}+/gu) ?? []
  const other = languages.find((language) => words.filter((word) => language.words.test(word)).length >= 2)
  const sum = Buffer.from(message).reduce((sum, byte) => sum + byte, 0)
  return other?.limits ?? refusals[sum % refusals.length] ?? ''
}

/** What it can do with the tools that are offered. */
export function help(tools: readonly ToolSpec[]): string {
  const lines = tools.map(
    (tool) => `- ${exampleWords.get(tool.name) ?? `${tool.name}: ${tool.description.split('.')[0]}`}`,
  )
  return [whoAmI, 'I can:', '- greet you: "hello"', ...lines.slice(0, maxLines), '', connectHint].join('\n')
}

/** A result for people. `message` is what they asked. */
export function phrase({ output, error, origin }: Result, name: string, message: string): string {
  const text = (origin === undefined ? output : insideFence(output)).trim()
  if (error) return `${name} could not do that: ${text.slice(0, maxLineChars)}`
  if (name === 'memory_write') return 'I have made a note of that.'
  const value = parsed(text || '(nothing)')
  if (name === 'time' && isObject(value)) return moment(value, message)
  // As memory/tools.ts writes it: each document under its path.
  const found = name === 'memory_search' ? text.replaceAll(/^## .*\n/gm, '') : value
  const lines = linesOf(found, 0).map((line) => line.slice(0, maxLineChars))
  if (lines.length > maxLines) lines.splice(maxLines, Infinity, '… and more')
  const lead = name === 'memory_search' ? (found === text ? [] : ['From memory:']) : [`Here is what ${name} says:`]
  return [...(name === 'calculate' ? [] : lead), ...lines].join('\n')
}

/** "In Tokyo it is …", and which day it is that was asked for. */
function moment({ timezone, iso, local }: Readonly<Record<string, unknown>>, message: string): string {
  const [zone, present] = [String(timezone), String(local)]
  const asked = dayIn(message, isoDay(Date.parse(String(iso)), zone))
  const place = zone.includes('/') && zoneIn(message) ? `In ${zone.split('/').at(-1)?.replaceAll('_', ' ')} it` : 'It'
  if (asked === undefined) return `${place} is ${present}.`
  const { away, day, said } = asked
  const far = !/^\d/.test(said) ? '' : away < 0 ? `, ${-away} days ago` : `, in ${away} days`
  return `${place} is ${present}; ${said} ${away < 0 ? 'was' : 'is'} ${fullDay(day)}${far}.`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An object as "key: value" lines, a list as bullets. */
function linesOf(value: unknown, depth: number): string[] {
  if (depth > deepest) return ['…']
  if (Array.isArray(value)) return value.map((each) => `- ${linesOf(each, depth + 1).join(', ')}`)
  if (!isObject(value)) return typeof value === 'string' ? value.split('\n') : [JSON.stringify(value)]
  return Object.entries(value).flatMap(([key, each]) => {
    const [label, lines] = [`${key.replaceAll('_', ' ')}:`, linesOf(each, depth + 1)]
    return isObject(each) || Array.isArray(each)
      ? [label, ...lines.map((line) => `  ${line}`)]
      : `${label} ${lines.join(' ')}`
  })
}
