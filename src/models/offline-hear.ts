// What the offline model makes of a message: its words, and the values that stand in it.
import { textOf } from '#core/item.ts'
import type { Message } from '#core/item.ts'

/** Only the start of a message is understood; the rest is carried by nobody. */
const MAX_HEARD_CHARS = 4_000
const MAX_NAMES = 50

/** A capitalised name: "Paris", "New York", "Rio de Janeiro". `after` is the word before it, `tail` what a comma adds. */
export type Name = { readonly text: string; readonly after: string; readonly tail?: string }

export type Heard = {
  readonly text: string
  /** Stems of all words, in order. */
  readonly words: readonly string[]
  readonly quoted: readonly string[]
  readonly names: readonly Name[]
  readonly numbers: readonly { readonly value: number; readonly before: string; readonly next: string }[]
  readonly dates: readonly string[]
  readonly emails: readonly string[]
  readonly urls: readonly string[]
  readonly paths: readonly string[]
}

/** The user's own words: without the blocks that the service puts ahead of them, and without attached files. */
export function messageText(message: Message): string {
  const own = message.content.filter((part) => part.type === 'text')
  let text = textOf({ ...message, content: own }).trim()
  for (const block of ['instructions', 'user-context']) {
    const end = text.indexOf(`</${block}>`)
    if (text.startsWith(`<${block}`) && end > 0) text = text.slice(end + block.length + 3).trim()
  }
  return text.slice(0, MAX_HEARD_CHARS)
}

/** Takes a message apart. `now` gives "today" and "tomorrow" their dates. */
export function hear(text: string, now: number): Heard {
  const urls = matches(text, /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]]/g)
  const emails = matches(text, /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g)
  const quoted = [...text.matchAll(/"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<![\p{L}\d])'([^']+)'(?![\p{L}\d])/gu)].map(
    (match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim(),
  )
  const plain = [...urls, ...emails].reduce((rest, each) => rest.replaceAll(each, ' '), text)
  const paths = matches(plain, /(?<![\w./-])(?:(?:[\w.-]*\/)*[\w-]+\.[a-z][a-z0-9]{0,4}\b|(?:[\w.-]+\/)+[\w.-]+)/g)
  const dates = datesIn(plain, now)
  const undated = plain.replaceAll(/\d{4}-\d\d-\d\d(?:t[\d:.]+z?)?/gi, ' ')
  return {
    text,
    words: wordsOf(text),
    quoted,
    names: /\p{Ll}/u.test(text) || !/\s/.test(text) ? namesIn(undated) : [],
    numbers: numbersIn(undated),
    dates,
    emails,
    urls,
    paths,
  }
}

/** Stems of the words in a text, a tool's name or a schema's key: "getStock_prices" is get, stock, price. */
export function wordsOf(text: string): string[] {
  const split = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/['’]s\b/g, '')
  return matches(split, /\p{L}+|\d+/gu).map((word) => stem(word.toLowerCase()))
}

/** The words of a message with what they mean besides. */
export function meaningOf({ text, words }: Heard): ReadonlySet<string> {
  return new Set([...words, ...MEANS.flatMap(([pattern, more]) => (pattern.test(text) ? more : []))])
}

const MEANS: readonly (readonly [pattern: RegExp, words: readonly string[]])[] = [
  [/\bcelsius|\bcentigrade|\bmetric\b|°\s?c\b/i, ['celsius', 'metric', 'c']],
  [/\bfahrenheit|\bimperial\b|°\s?f\b/i, ['fahrenheit', 'imperial', 'f']],
  [/\btomorrow\b|\bnext (?:few )?(?:day|week)|\bthis week|\bweekend\b|\b\d+[- ]day/i, ['forecast']],
  [/\bforecast|\brain|\bsnow|\btemperature|\bsunny\b|\bumbrella\b|\bhow (?:hot|cold|warm)\b/i, ['weather']],
  [
    /\b(?:USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|SEK|NOK|DKK|dollars?|euros?|pounds?|yen)\b|[$€£¥]/i,
    ['currency', 'exchange'],
  ],
  [/\b(?:open|cat|print)\b/i, ['read']],
  [/\bair quality\b|\bpollution\b|\baqi\b/i, ['air', 'quality', 'weather']],
]

/** Words that carry no subject: they are never a name, never a match. Stems, as wordsOf gives them. */
export function isStop(word: string): boolean {
  return STOP.has(stem(word.toLowerCase()))
}

function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:ch|sh|x|ss|z)es$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

const STOP: ReadonlySet<string> = new Set(
  `a an the this that these those it its is are was were be been am do doe did does done can could will would should shall may
  might must have has had i im me my mine we our us you your he she they them their what whats which who whom whose when where
  why how and or but if then than so of in on at to for from by with about into near as over under please tell show give get
  let know want need like look find use using call tool ask answer question there here now today tomorrow yesterday tonight
  currently right just also any some all each more most much many very really not no yes ok okay hi hello hey thank thanks
  good morning evening afternoon atrium up out next last week weekend day monday tuesday wednesday thursday friday saturday
  sunday january february march april june july august september october november december going value result current
  latest list fetch read search lookup check see happen happening make one m ll ve re don t`
    .split(/\s+/)
    .map(stem),
)

/** Runs of capitalised words. A stop word such as the "What" that opens a sentence ends a run and is no part of it. */
function namesIn(text: string): Name[] {
  const word = String.raw`(?:St\. )?\p{Lu}(?:[\p{L}\d'’&-]|\.(?=\p{L}))*`
  const link = '(?:(?:de|la|le|of|the|del|da|do|van|von|upon|am|al|el) ){0,2}'
  const run = new RegExp(`(?<![\\p{L}\\d])${word}(?: ${link}${word})*`, 'gu')
  const found: (Name & { start: number; end: number })[] = []
  for (const match of text.matchAll(run)) {
    if (found.length >= MAX_NAMES) break
    const name = trimName(match[0], /(?:^|[.!?:]\s*)$/.test(text.slice(Math.max(0, match.index - 5), match.index)))
    if (name === '') continue
    const start = match.index + match[0].indexOf(name)
    const after = /([\p{L}]+)\W*$/u.exec(text.slice(0, start))?.[1]?.toLowerCase() ?? ''
    const before = found.at(-1)
    const joined = before !== undefined && /^, ?$/.test(text.slice(before.end, start))
    const listed = /^(?:,| and\b| or\b)/.test(text.slice(start + name.length))
    if (joined && before.tail === undefined && !listed)
      found[found.length - 1] = { ...before, tail: name, end: start + name.length }
    else found.push({ text: name, after: joined ? (before?.after ?? after) : after, start, end: start + name.length })
  }
  return found.map(({ text, after, tail }) => (tail === undefined ? { text, after } : { text, after, tail }))
}

/** Drops stop words from both ends (but "The Hague" keeps its own in mid-sentence), and a possessive from the last. */
function trimName(run: string, opens: boolean): string {
  const words = run.split(' ')
  const empty = (word: string | undefined) => word !== undefined && wordsOf(word).every(isStop)
  const kept = opens || words.length === 1 ? 0 : words.length
  while (words.length > kept && empty(words[0])) words.shift()
  while (empty(words.at(-1))) words.pop()
  return words
    .join(' ')
    .replace(/['’]s$/, '')
    .replace(/[.'’-]+$/, '')
}

function numbersIn(text: string): Heard['numbers'] {
  const number = /(?<![\p{L}\d.])(?:(?<!\d\s?)-)?\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\d])/gu
  return [...text.matchAll(number)].slice(0, 100).map((match) => ({
    value: Number(match[0].replaceAll(',', '')),
    before: wordsOf(text.slice(Math.max(0, match.index - 40), match.index)).at(-1) ?? '',
    next: wordsOf(text.slice(match.index + match[0].length, match.index + match[0].length + 40))[0] ?? '',
  }))
}

function datesIn(text: string, now: number): string[] {
  const written = matches(text, /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])\b(?:T[\d:.]+Z?)?/g)
  const days = { yesterday: -1, today: 0, tomorrow: 1 }
  const said = Object.entries(days).filter(([word]) => new RegExp(`\\b${word}\\b`, 'i').test(text))
  return [...written, ...said.map(([, offset]) => new Date(now + offset * 86_400_000).toISOString().slice(0, 10))]
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[0])
}
