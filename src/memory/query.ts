// What a person types, as what is looked for. Whatever it is, it is a query: quotes make a phrase that must be there, a
// star a beginning, and every other word may be there or not.
import type { Match } from '#core/document.ts'
import { isCommonAbroad, isCommonEnglish } from './stop-words.ts'
import type { Reader, Word } from './terms.ts'

const maxQueryChars = 1_000
const maxAsked = 24
/** A word joined with the next is tried in queries of so many words. */
const maxJoined = 4

/** One way to find a word. */
export type Way = ({ readonly term: string } | { readonly prefix: string } | { readonly phrase: readonly string[] }) & {
  /** What a use of it counts. */ readonly worth: number
}

/** One thing that is asked for: a word or a phrase, by any of its ways. */
export type Asked = {
  readonly ways: readonly Way[]
  /** Its part in the whole question. */
  readonly weight: number
  /** A phrase in quotes: what does not have it is not found. */
  readonly required?: true
  /** What the word begins with, for when it is hardly found as it is. */
  readonly beginning?: string
}

/** What a query asks for, in its order. */
export function readQuery(reader: Reader, query: string): Asked[] {
  const phrases: Asked[] = []
  const rest = query
    .slice(0, maxQueryChars)
    .replaceAll(/["“”„]([^"“”„]+)["“”„]|«([^«»]+)»|「([^「」]+)」/g, (_, ...inside: (string | undefined)[]) => {
      const phrase = phraseOf(reader, inside.slice(0, 3).find((text) => text !== undefined) ?? '')
      if (phrase) phrases.push(phrase)
      return '\n'
    })
  const words = reader.words(rest).map(({ word, end }) => ({ word, open: rest[end] === '*' }))
  const telling = words.filter(({ word }) => !word.plain.every(isCommonEnglish))
  const asked = (telling.length > 0 || phrases.length > 0 ? telling : words).flatMap(({ word, open }, at, list) => {
    const next = list.length <= maxJoined ? list[at + 1]?.word : undefined
    return [...asksFor(word, open), ...joinedWith(word, next)]
  })
  return [...phrases, ...withoutDoubles(asked)].slice(0, maxAsked)
}

/** What the index is asked for. */
export function matchOf({ ways }: Asked): Match {
  const matches = ways.map((way): Match => {
    if ('term' in way) return { term: way.term }
    return 'prefix' in way ? { prefix: way.prefix } : { phrase: way.phrase }
  })
  const [only] = matches
  return only && matches.length === 1 ? only : { any: matches }
}

/** The same, found by its beginning too. */
export function widened(asked: Asked, worth = 0.5): Asked {
  if (asked.beginning === undefined) return asked
  return { ...asked, ways: [...asked.ways, { prefix: asked.beginning, worth }] }
}

function phraseOf(reader: Reader, text: string): Asked | undefined {
  const words = reader.words(text).map(({ word }) => word)
  const phrase = words.flatMap(({ body }) => body)
  const [only] = phrase
  if (only === undefined) return undefined
  const whole = words.length === 1 && words[0]?.whole !== undefined ? [{ term: words[0].whole, worth: 1 }] : []
  const way = phrase.length === 1 ? { term: only, worth: 1 } : { phrase, worth: 1 }
  return { ways: [way, ...whole], weight: 1.5, required: true }
}

function asksFor(word: Word, open: boolean): Asked[] {
  const { body, plain, whole, spellings } = word
  const [only = ''] = body
  if (word.unspaced) {
    // A character alone is found at the beginning of a pair, or at the end of a run.
    if (word.last === undefined) return [{ ways: [{ prefix: only, worth: 1 }], weight: 1 }]
    return body.map((pair) => ({ ways: [{ term: pair, worth: 1 }], weight: 1 }))
  }
  if (body.length > 1) {
    const ways: Way[] = [{ phrase: body, worth: 1 }, ...(whole === undefined ? [] : [{ term: whole, worth: 1 }])]
    const parts = body.flatMap((term, at) =>
      isCommonEnglish(plain[at] ?? '') ? [] : [{ ways: [{ term, worth: 1 }], weight: 0.4 }],
    )
    return [{ ways, weight: 1, ...(whole !== undefined && { beginning: whole }) }, ...parts]
  }
  const [written = only] = plain
  const ways: Way[] = [
    { term: only, worth: 1 },
    ...(whole === undefined ? [] : [{ term: whole, worth: 1 }]),
    ...spellings.map((term) => ({ term, worth: 1 })),
    ...word.rough.map((term) => ({ term, worth: 0.7 })),
  ]
  const asked: Asked = { ways, weight: isCommonAbroad(written) ? 0.3 : 1, beginning: written }
  return [open ? widened(asked, 1) : asked]
}

/** `web socket` also means websocket. */
function joinedWith(word: Word, next: Word | undefined): Asked[] {
  const [first, second] = [word.plain, next?.plain ?? []]
  if (first.length !== 1 || second.length !== 1 || !/^[a-z0-9]+$/.test(`${first[0]}${second[0]}`)) return []
  const joined = `${first[0]}${second[0]}`
  return [{ ways: [{ term: joined, worth: 1 }], weight: 0.8 }]
}

function withoutDoubles(asked: readonly Asked[]): Asked[] {
  const byWays = new Map<string, Asked>()
  for (const each of asked) {
    const key = JSON.stringify(each.ways[0])
    const known = byWays.get(key)
    if (!known || known.weight < each.weight) byWays.set(key, known ? { ...known, weight: each.weight } : each)
  }
  return [...byWays.values()]
}
