// Ranking: BM25 over the text and title of a chunk, with a bonus for query terms that are close together.
import type { FoundChunk } from '#core/document.ts'
import { titleOf } from './chunks.ts'
import type { QueryTerm, Variant } from './query.ts'
import type { Reader, Reading } from './terms.ts'

const k1 = 1.2
const b = 0.75
/** Uses in the text that one use in the title equals. */
const titleWorth = 1.5
/** Bonus for two neighbouring query terms that are close in the text, as a share of the lesser term. */
const proximityShare = 0.3
/** The share that counts of terms found only in other chunks of the document. */
const otherChunksShare = 0.5

/** A query term with its inverse document frequency. */
export type WeightedTerm = { readonly term: QueryTerm; readonly idf: number }

export type Ranked<Found extends FoundChunk = FoundChunk> = {
  readonly found: Found
  readonly score: number
  /** Positions of query terms in the text of the best chunk; `which` is the index of the term. */
  readonly hits: readonly { readonly start: number; readonly end: number; readonly which: number }[]
}

/**
 * Ranks documents by their best chunk, best first; of equal scores the newer first. `averageTerms` is per chunk. In slices of
 * a chunk: one that repeats the words of the query takes milliseconds.
 */
export function* rankInSlices<Found extends FoundChunk>(
  reader: Reader,
  found: readonly Found[],
  terms: readonly WeightedTerm[],
  averageTerms: number,
): Generator<void, Ranked<Found>[]> {
  const byPath = new Map<string, Scored<Found>[]>()
  for (const each of found) {
    const scored = scoreChunk(reader, each, { terms, averageTerms })
    yield
    if (!scored) continue
    const others = byPath.get(each.path)
    if (others) others.push(scored)
    else byPath.set(each.path, [scored])
  }
  return [...byPath.values()]
    .map((chunks) => bestOf(chunks))
    .sort((one, two) => two.score - one.score || two.found.updatedAt - one.found.updatedAt)
}

/** The same at once, for a few chunks. */
export function rank<Found extends FoundChunk>(...ranking: Parameters<typeof rankInSlices<Found>>): Ranked<Found>[] {
  const slices = rankInSlices(...ranking)
  for (;;) {
    const { done, value } = slices.next()
    if (done) return value
  }
}

/** The inverse document frequency of a term that is in `count` of `chunks`. */
export function idfOf(count: number, chunks: number): number {
  return Math.log(1 + (Math.max(chunks, count) - count + 0.5) / (count + 0.5))
}

/** `termScores` has the score of each query term. */
type Scored<Found extends FoundChunk> = Ranked<Found> & { readonly termScores: readonly number[] }

function bestOf<Found extends FoundChunk>(chunks: readonly Scored<Found>[]): Ranked<Found> {
  const best = chunks.reduce((one, two) => (two.score > one.score ? two : one))
  const elsewhere = best.termScores.map(
    (score, at) => Math.max(...chunks.map(({ termScores }) => termScores[at] ?? 0)) - score,
  )
  const score = best.score + otherChunksShare * elsewhere.reduce((sum, each) => sum + each, 0)
  return { found: best.found, score, hits: best.hits }
}

type QueryStats = { readonly terms: readonly WeightedTerm[]; readonly averageTerms: number }

function scoreChunk<Found extends FoundChunk>(
  reader: Reader,
  found: Found,
  { terms, averageTerms }: QueryStats,
): Scored<Found> | undefined {
  const text = reader.read(found.text)
  const title = reader.read(titleOf(found.path, found.text))
  const length = 1 - b + (b * text.body.length) / averageTerms
  const termScores: number[] = []
  const positions: number[][] = []
  for (const { term, idf } of terms) {
    const uses = usesOf(term.variants, text)
    const inTitle = Math.min(1, usesOf(term.variants, title).worth)
    const worth = uses.worth + titleWorth * inTitle
    if (term.required && worth === 0) return undefined
    termScores.push((term.weight * idf * worth * (k1 + 1)) / (worth + k1 * length))
    positions.push(uses.positions)
  }
  const score = termScores.reduce((sum, each) => sum + each, 0) + proximityBonus(positions, terms)
  const hits = positions.flatMap((list, which) =>
    list.map((at) => ({ start: text.starts[at] ?? 0, end: text.ends[at] ?? 0, which })),
  )
  return { found, score, termScores, hits }
}

/** The worth of the best variant, and the positions of all variants in the text. */
function usesOf(variants: readonly Variant[], { body, extra }: Reading): { worth: number; positions: number[] } {
  let worth = 0
  const positions: number[] = []
  for (const variant of variants) {
    const inBody = positionsOf(variant, body)
    const inExtra = 'phrase' in variant ? 0 : extra.filter((term) => matches(variant, term)).length
    worth = Math.max(worth, Math.max(inBody.length, inExtra) * variant.worth)
    positions.push(...inBody)
  }
  return { worth, positions }
}

function positionsOf(variant: Variant, body: readonly string[]): number[] {
  const positions: number[] = []
  if ('phrase' in variant) {
    const { phrase } = variant
    for (let at = body.indexOf(phrase[0] ?? ''); at >= 0; at = body.indexOf(phrase[0] ?? '', at + 1)) {
      if (phrase.every((term, step) => body[at + step] === term)) positions.push(at)
    }
    return positions
  }
  for (const [at, term] of body.entries()) if (matches(variant, term)) positions.push(at)
  return positions
}

function matches(variant: Exclude<Variant, { phrase: unknown }>, term: string): boolean {
  return 'term' in variant ? term === variant.term : term.startsWith(variant.prefix)
}

/** Bonus for consecutive query terms that follow each other in the text, with at most one word between. */
function proximityBonus(positions: readonly (readonly number[])[], terms: readonly WeightedTerm[]): number {
  let sum = 0
  for (let at = 1; at < positions.length; at++) {
    const before = new Set(positions[at - 1])
    if (!positions[at]?.some((position) => before.has(position - 1) || before.has(position - 2))) continue
    const [one, two] = [terms[at - 1], terms[at]]
    if (one && two) sum += proximityShare * Math.min(one.idf * one.term.weight, two.idf * two.term.weight)
  }
  return sum
}
