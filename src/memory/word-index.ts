// Search in a full-text index: the index returns a bounded number of candidates, which are ranked here.
import type { Candidates, FoundChunk, Match, WordIndex } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { inPace } from '#lib/pace.ts'
import { matchOf, type QueryTerm, withPrefix } from './query.ts'
import { idfOf, type Ranked, rankInSlices, type WeightedTerm } from './rank.ts'
import type { Reader } from './terms.ts'

/** Maximum matches that the index sorts to choose candidates: sorting is slow. */
const maxDepth = 2_500
/** Matches are counted up to here: a word in more chunks says little. */
const maxCount = 10_000
/** A word in fewer chunks than this is also searched as a prefix, if it is long enough. */
const minCount = 3
const minPrefixLength = 3

/** An index and whose part of it is searched. */
export type Searched<Found extends FoundChunk> = {
  readonly index: Pick<WordIndex<Found>, 'find'>
  readonly reader: Reader
  readonly user: UserId
}

/** The texts with the most and rarest of the terms, best first. */
export async function rankByWords<Found extends FoundChunk>(
  { index, reader, user }: Searched<Found>,
  stats: TermStats,
  maxCandidates: number,
): Promise<Ranked<Found>[]> {
  const found = await findCandidates(index, user, stats, maxCandidates)
  return inPace(rankInSlices(reader, found, stats.counted, stats.averageTerms))
}

/** The titles with all words of the query that occur anywhere, best first. */
export async function rankTitles<Found extends FoundChunk>(
  { index, reader, user }: Searched<Found>,
  { counted, averageTerms }: TermStats,
  limit: number,
): Promise<Ranked<Found>[]> {
  // Words that were joined, or are parts of others, have less weight.
  const words = counted.filter(({ term }) => term.weight >= 1)
  const all = (words.length > 0 ? words : counted).map(({ match }) => match)
  if (all.length === 0) return []
  const found = await index.find(user, {
    match: { all },
    weights: weightsOf(counted),
    depth: maxDepth,
    limit,
    only: 'title',
  })
  return inPace(rankInSlices(reader, found, counted, averageTerms))
}

export type CountedTerm = WeightedTerm & { readonly match: Match; readonly count: number }
/** The terms of a query that occur in an index, and totals of the index. */
export type TermStats = {
  readonly counted: readonly CountedTerm[]
  readonly chunks: number
  readonly averageTerms: number
}

/** Counts each term, and rare terms again with their prefix. Undefined when nothing can match. */
export async function countTerms(
  index: Pick<WordIndex, 'count'>,
  user: UserId,
  terms: readonly QueryTerm[],
): Promise<TermStats | undefined> {
  const first = await index.count(user, terms.map(matchOf), maxCount)
  if (!first) return undefined
  const rare = terms.filter(
    ({ prefix = '' }, at) => (first.counts[at] ?? 0) < minCount && prefix.length >= minPrefixLength,
  )
  const wider = new Map(rare.map((each) => [each, withPrefix(each)]))
  const second = wider.size > 0 ? await index.count(user, [...wider.values()].map(matchOf), maxCount) : undefined
  const counted = terms.map((each, at): CountedTerm => {
    const wide = wider.get(each)
    const count = wide ? (second?.counts[rare.indexOf(each)] ?? 0) : (first.counts[at] ?? 0)
    const term = wide ?? each
    return { term, match: matchOf(term), count, idf: idfOf(count, first.chunks) }
  })
  const averageTerms = Math.max(1, first.terms / first.chunks)
  if (counted.some(({ term, count }) => term.required && count === 0)) return undefined
  return { counted: counted.filter(({ count }) => count > 0), chunks: first.chunks, averageTerms }
}

/** Candidates from the narrowest index queries that return enough of them. */
async function findCandidates<Found extends FoundChunk>(
  index: Pick<WordIndex<Found>, 'find'>,
  user: UserId,
  { counted, chunks }: TermStats,
  limit: number,
): Promise<Found[]> {
  const weights = weightsOf(counted)
  const found = new Map<string, Found>()
  for (const match of indexQueries(counted, chunks)) {
    const candidates: Candidates = { match, weights, depth: maxDepth, limit }
    for (const each of await index.find(user, candidates)) found.set(`${each.at} ${each.path}`, each)
    if (found.size >= limit) break
  }
  return [...found.values()]
}

/** One index query when all matches can be sorted; else rare terms first, then common ones combined with the rarest. */
export function indexQueries(terms: readonly Pick<CountedTerm, 'term' | 'match' | 'count'>[], chunks: number): Match[] {
  if (terms.length === 0) return []
  const required = terms.filter(({ term }) => term.required)
  if (required.length > 0) return [{ all: required.map(({ match }) => match) }]
  const sum = terms.reduce((all, { count }) => all + count, 0)
  if (sum <= maxDepth || chunks <= maxDepth) return [{ any: terms.map(({ match }) => match) }]
  const sorted = terms.toSorted((one, two) => one.count - two.count)
  let capacity = maxDepth
  const rare = sorted.filter(({ count }) => (capacity -= count) >= 0).map(({ match }) => match)
  const common = sorted.slice(rare.length).map(({ match }) => match)
  const [rarest, ...others] = common
  if (rarest === undefined) return [{ any: rare }]
  return [
    ...(rare.length > 0 ? [{ any: rare }] : []),
    ...(others.length > 0 ? [{ all: common }] : []),
    ...(others.length > 1 ? [{ all: [rarest, { any: others }] }] : []),
    rarest,
  ]
}

function weightsOf(counted: readonly CountedTerm[]): Candidates['weights'] {
  return counted.map(({ match, idf, term }) => ({ match, weight: idf * term.weight }))
}
