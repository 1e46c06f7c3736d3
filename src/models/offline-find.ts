// Finds texts in what was heard: by their form (a date, an address), by the words around them, or as what is left over.
import type { Json } from '#core/json.ts'
import { isStop, wordsOf } from './offline-hear.ts'
import type { Heard, Name } from './offline-hear.ts'
import { plainSchema } from './offline-schema.ts'
import type { Schema } from './offline-schema.ts'

/** One filling in progress. `topic` holds the tool's own words, never values; a claimed value goes to no second place. */
export type Search = {
  readonly heard: Heard
  readonly topic: ReadonlySet<string>
  readonly root: Schema
  readonly claimed: Set<string>
}

/** Required parameters take what they can get; optional ones only what clearly means them. */
export type Wish = 'required' | 'wanted' | 'optional'

type Form = 'email' | 'url' | 'date' | 'date-time' | 'path' | 'country' | 'timezone' | 'free'
type Direction = 'from' | 'to' | undefined

const PROSE = [
  'query',
  'q',
  'text',
  'content',
  'question',
  'prompt',
  'topic',
  'term',
  'keyword',
  'message',
  'input',
  'expression',
]
const FROM = ['from', 'origin', 'source', 'base', 'departure', 'start']
const TO = ['to', 'into', 'destination', 'target', 'arrival', 'end', 'quote']
const LINKS = [
  'for',
  'about',
  'of',
  'on',
  'the',
  'a',
  'an',
  'in',
  'to',
  'tool',
  'that',
  'with',
  'and',
  'say',
  'my',
  ':',
  '-',
]
/** Names tried as a country: each costs a walk through all of them. */
const MAX_COUNTRIES = 5
const MAX_LIST = 100

/** The form a text parameter asks for, by its format or its name. */
export function formOf(name: string, schema: Schema): Form {
  const words = wordsOf(name)
  if (schema.format === 'date-time') return 'date-time'
  if (schema.format === 'date' || words.includes('date')) return 'date'
  if (schema.format === 'email' || words.includes('email')) return 'email'
  if (schema.format === 'uri' || words.some((word) => ['url', 'uri', 'link'].includes(word))) return 'url'
  if (words.includes('timezone') || (words.includes('time') && words.includes('zone')) || name === 'tz')
    return 'timezone'
  if (words.includes('country') && (words.includes('code') || schema.maxLength === 2)) return 'country'
  return words.some((word) => ['path', 'file', 'filename'].includes(word)) ? 'path' : 'free'
}

/** A text for one parameter, or undefined. */
export function findString(name: string, schema: Schema, search: Search, wish: Wish): string | undefined {
  const { heard } = search
  const explicit = explicitValue(name, heard.text)
  if (explicit !== undefined) return take(search, [explicit])
  const form = formOf(name, schema)
  if (form !== 'free') return findForm(form, search, wish)
  const words = wordsOf(name)
  const direction = words.some((word) => FROM.includes(word))
    ? 'from'
    : words.some((word) => TO.includes(word))
      ? 'to'
      : undefined
  if (wish === 'optional') return direction && takeName(search, direction, wish)
  const quoted = take(search, heard.quoted)
  if (quoted !== undefined) return quoted
  if (words.some((word) => PROSE.includes(word))) return takeProse(search)
  const known = takeName(search, direction, wish)
  if (known !== undefined) return known
  const isId = words.some((word) => ['id', 'number', 'code', 'key', 'symbol'].includes(word))
  if (isId && heard.numbers[0] !== undefined) return take(search, [String(heard.numbers[0].value)])
  const directed = direction && new RegExp(String.raw`\b${direction} (\p{L}+)`, 'iu').exec(heard.text)?.[1]
  if (directed) return take(search, [directed])
  return wish === 'required' ? takeRest(search) : undefined
}

/** A list of simple values: quoted ones, numbers, names, or "a, b and c". */
export function findList(name: string, schema: Schema, search: Search, wish: Wish): Json | undefined {
  if (wish === 'optional' && !wordsOf(name).every((word) => search.heard.words.includes(word))) return undefined
  const list = listValues(plainSchema(schema.items, search.root), search).slice(0, Number(schema.maxItems ?? MAX_LIST))
  return list.length < Math.max(1, Number(schema.minItems ?? 1)) ? undefined : list
}

function listValues(items: Schema, search: Search): readonly Json[] {
  const { heard } = search
  if (Array.isArray(items.enum)) {
    const choices = items.enum.filter((value) => typeof value === 'string')
    return choices.filter((value) => wordsOf(value).every((word) => heard.words.includes(word)))
  }
  if (items.type === 'number' || items.type === 'integer') {
    return heard.numbers.map(({ value }) => value).filter((value) => items.type === 'number' || Number.isInteger(value))
  }
  if (items.type !== 'string' && items.type !== undefined) return []
  if (heard.quoted.length > 0) return heard.quoted
  const names = namesLeft(search).flatMap(({ text, tail }) => (tail === undefined ? [text] : [text, tail]))
  if (names.length > 0) return names
  return (takeRest(search) ?? '').split(/,? (?:and|or) |, ?/).filter((each) => each !== '')
}

function findForm(form: Exclude<Form, 'free'>, search: Search, wish: Wish): string | undefined {
  const { heard } = search
  switch (form) {
    case 'email':
      return take(search, heard.emails)
    case 'url':
      return take(search, heard.urls)
    case 'date':
      return take(search, heard.dates)?.slice(0, 10)
    case 'date-time':
      return take(search, heard.dates)?.replace(/^[\d-]{10}$/, '$&T00:00:00Z')
    case 'path':
      return take(search, wish === 'optional' || heard.quoted.length === 0 ? heard.paths : heard.quoted)
    case 'country':
      return findCountry(search, wish)
    case 'timezone':
      return findZone(heard)
    default:
      return form satisfies never
  }
}

/** "unit: celsius", "unit=celsius": whoever writes so means it. */
function explicitValue(name: string, text: string): string | undefined {
  const key = name.slice(0, 64).replaceAll(/[^\p{L}\d]+/gu, '[ _-]')
  const match = new RegExp(String.raw`(?<![\p{L}\d])${key}\s*[:=]\s*(?:"([^"]+)"|'([^']+)'|([^\s,;]+))`, 'iu').exec(
    text,
  )
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.replace(/[?!.]+$/, '')
}

function take({ claimed }: Search, values: readonly string[]): string | undefined {
  const value = values.find((each) => each !== '' && !claimed.has(each))
  if (value !== undefined) claimed.add(value)
  return value
}

function namesLeft({ heard, topic, claimed }: Search): readonly Name[] {
  return heard.names.filter(({ text }) => !claimed.has(text) && !wordsOf(text).every((word) => topic.has(word)))
}

/** The name that stands where this parameter's would: after "from" or "to" if it has such a direction. */
function takeName(search: Search, direction: Direction, wish: Wish): string | undefined {
  const ranked = namesLeft(search).map((name) => {
    const opens = search.heard.text.startsWith(name.text)
    const elsewhere = direction !== undefined && ['from', 'to', 'into'].includes(name.after)
    const here = direction !== undefined && (name.after === direction || (direction === 'to' && name.after === 'into'))
    return { name, score: here ? 3 : elsewhere ? 0 : opens && !/^\p{Lu}+\b/u.test(name.text) ? 1 : 2 }
  })
  const best = ranked.reduce<(typeof ranked)[number] | undefined>(
    (a, b) => (a === undefined || b.score > a.score ? b : a),
    undefined,
  )
  if (best === undefined || (wish === 'optional' && best.score < 3)) return undefined
  const { text, tail } = best.name
  search.claimed.add(text)
  return tail === undefined || search.claimed.has(tail) ? text : `${text}, ${tail}`
}

/** The words that are left when the tool's own and the empty ones are taken off both ends; once only. */
function takeRest(search: Search): string | undefined {
  const words = search.heard.text
    .replaceAll(/["“”`?!]+/g, ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\d]/u.test(word))
  const empty = (word: string | undefined) =>
    word !== undefined && wordsOf(word).every((stem) => isStop(stem) || search.topic.has(stem))
  while (empty(words[0])) words.shift()
  while (empty(words.at(-1))) words.pop()
  const rest = words.join(' ').replace(/[.,;:]+$/, '')
  const taken = [...search.claimed].some((value) => value.length > 1 && rest.includes(value))
  return taken ? undefined : take(search, [rest])
}

/** What follows the naming of the tool, as it stands; else what is left over. */
function takeProse(search: Search): string | undefined {
  const words = search.heard.text.split(/\s+/)
  const isTopic = (word: string) => wordsOf(word).some((stem) => search.topic.has(stem))
  const isLead = (word: string) => isTopic(word) || wordsOf(word).every(isStop)
  const lead = words.findIndex((word) => !isLead(word))
  const named = words.slice(0, lead < 0 ? words.length : lead).findLastIndex(isTopic)
  if (named < 0) return takeRest(search)
  const rest = words.slice(named + 1)
  while (LINKS.includes(rest[0]?.toLowerCase() ?? '')) rest.shift()
  const text = rest.join(' ').replace(/[?\s]+$|,? please[.!?]*$/i, '')
  return take(search, [text])
}

/** "Paris, FR" and "Paris, France" tell a country; a required one may also stand alone. */
function findCountry(search: Search, wish: Wish): string | undefined {
  const spoken = search.heard.names.flatMap(({ text, tail }) => [
    ...(tail === undefined ? [] : [tail]),
    ...(wish === 'required' ? [text] : []),
  ])
  for (const name of spoken.slice(0, MAX_COUNTRIES)) {
    const code = countryCode(name)
    if (code === undefined) continue
    search.claimed.add(name)
    return code
  }
  return undefined
}

function countryCode(name: string): string | undefined {
  if (name === 'UK') return 'GB'
  const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  if (/^[A-Z]{2}$/.test(name)) return regions.of(name) === undefined ? undefined : name
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  return letters
    .flatMap((a) => letters.map((b) => a + b))
    .find((code) => regions.of(code)?.toLowerCase() === name.toLowerCase())
}

/** A zone as it is written, or the zone of a city; an unknown place is passed on, for the tool to refuse. */
function findZone(heard: Heard): string | undefined {
  const written = /\b(?:[A-Z][A-Za-z]+\/[A-Z][A-Za-z_/-]+|UTC|GMT)\b/.exec(heard.text)?.[0]
  const place =
    heard.names.find(({ after }) => after === 'in')?.text ??
    /\b(?:in|for) ([\p{L} ]+?)(?: right)?(?: now)?\W*$/iu.exec(heard.text)?.[1]
  if (written !== undefined || place === undefined) return written
  const city = place.toLowerCase().replaceAll(' ', '_')
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? place
}
