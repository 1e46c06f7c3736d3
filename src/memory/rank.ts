// The order of what was found: BM25 over the words of a chunk and its title, and a little for words that stand together.
import type { Found } from '#core/document.ts'
import { titleOf } from './chunks.ts'
import type { Asked, Way } from './query.ts'
import type { Reader, Reading } from './terms.ts'

const k1 = 1.2
const b = 0.75
/** Uses in the text that one in the title is worth. */
const titleWorth = 1.5
/** What a pair of asked words side by side adds, in parts of the lesser one. */
const togetherWorth = 0.3
/** What a document gets for words that only its other chunks have. */
const elsewhereWorth = 0.5

/** A thing asked for, with how telling it is: rare words more than common ones. */
export type Told = { readonly asked: Asked; readonly telling: number }

export type Ranked = {
  readonly found: Found
  readonly score: number
  /** Where in the text of its best chunk something asked for stands: by the place of the word, which. */
  readonly hits: readonly { readonly start: number; readonly end: number; readonly which: number }[]
}

/** Documents by their best chunk, best first; of equals the newer. `usual` is the length of a usual chunk, in words. */
export function rank(reader: Reader, found: readonly Found[], told: readonly Told[], usual: number): Ranked[] {
  const byPath = new Map<string, Scored[]>()
  for (const each of found) {
    const scored = scoreChunk(reader, each, { told, usual })
    if (!scored) continue
    const others = byPath.get(each.path)
    if (others) others.push(scored)
    else byPath.set(each.path, [scored])
  }
  return [...byPath.values()]
    .map(bestOf)
    .sort((one, two) => two.score - one.score || two.found.updatedAt - one.found.updatedAt)
}

/** How telling something is that stands in so many chunks of all. */
export function tellingOf(count: number, chunks: number): number {
  return Math.log(1 + (Math.max(chunks, count) - count + 0.5) / (count + 0.5))
}

type Scored = Ranked & { /** What each thing asked for brought. */ readonly shares: readonly number[] }

function bestOf(chunks: readonly Scored[]): Ranked {
  const best = chunks.reduce((one, two) => (two.score > one.score ? two : one))
  const elsewhere = best.shares.map((share, at) => Math.max(...chunks.map(({ shares }) => shares[at] ?? 0)) - share)
  const score = best.score + elsewhereWorth * elsewhere.reduce((sum, each) => sum + each, 0)
  return { found: best.found, score, hits: best.hits }
}

type Scale = { readonly told: readonly Told[]; readonly usual: number }

function scoreChunk(reader: Reader, found: Found, { told, usual }: Scale): Scored | undefined {
  const text = reader.read(found.text)
  const title = reader.read(titleOf(found.path, found.text))
  const length = 1 - b + (b * text.body.length) / usual
  const shares: number[] = []
  const places: number[][] = []
  for (const { asked, telling } of told) {
    const uses = usesOf(asked.ways, text)
    const inTitle = Math.min(1, usesOf(asked.ways, title).worth)
    const worth = uses.worth + titleWorth * inTitle
    if (asked.required && worth === 0) return undefined
    shares.push((asked.weight * telling * worth * (k1 + 1)) / (worth + k1 * length))
    places.push(uses.places)
  }
  const score = shares.reduce((sum, each) => sum + each, 0) + together(places, told)
  const hits = places.flatMap((list, which) =>
    list.map((at) => ({ start: text.starts[at] ?? 0, end: text.ends[at] ?? 0, which })),
  )
  return { found, score, shares, hits }
}

/** What the best of the ways is worth, and the places of all of them in the text. */
function usesOf(ways: readonly Way[], { body, extra }: Reading): { worth: number; places: number[] } {
  let worth = 0
  const places: number[] = []
  for (const way of ways) {
    const at = placesOf(way, body)
    const beside = 'phrase' in way ? 0 : extra.filter((term) => fits(way, term)).length
    worth = Math.max(worth, Math.max(at.length, beside) * way.worth)
    places.push(...at)
  }
  return { worth, places }
}

function placesOf(way: Way, body: readonly string[]): number[] {
  const places: number[] = []
  if ('phrase' in way) {
    const { phrase } = way
    for (let at = body.indexOf(phrase[0] ?? ''); at >= 0; at = body.indexOf(phrase[0] ?? '', at + 1)) {
      if (phrase.every((term, step) => body[at + step] === term)) places.push(at)
    }
    return places
  }
  for (const [at, term] of body.entries()) if (fits(way, term)) places.push(at)
  return places
}

function fits(way: Exclude<Way, { phrase: unknown }>, term: string): boolean {
  return 'term' in way ? term === way.term : term.startsWith(way.prefix)
}

/** Things asked for one after the other that stand so in the text. */
function together(places: readonly (readonly number[])[], told: readonly Told[]): number {
  let sum = 0
  for (let at = 1; at < places.length; at++) {
    const before = new Set(places[at - 1])
    if (!places[at]?.some((place) => before.has(place - 1) || before.has(place - 2))) continue
    const [one, two] = [told[at - 1], told[at]]
    if (one && two) sum += togetherWorth * Math.min(one.telling * one.asked.weight, two.telling * two.asked.weight)
  }
  return sum
}
