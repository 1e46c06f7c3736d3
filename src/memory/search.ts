// Document search: the index returns a bounded number of candidates, which are ranked here.
import type { Candidates, DocumentStore, FoundChunk, Match } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { fuse } from './rank-fusion.ts'
import type { SemanticSearch } from './semantic-search.ts'
import { matchOf, type QueryTerm, readQuery, withPrefix } from './query.ts'
import { idfOf, rank, type Ranked, type WeightedTerm } from './rank.ts'
import { snippetOf } from './snippet.ts'
import type { Reader } from './terms.ts'

/** Chunks to rank: at least `minCandidates`, and this many per requested document. */
const minCandidates = 30
const candidatesPerDocument = 2
/** Maximum matches that the index sorts to choose candidates: sorting is slow. */
const maxDepth = 2_500
/** Matches are counted up to here: a word in more chunks says little. */
const maxCount = 10_000
/** A word in fewer chunks than this is also searched as a prefix, if it is long enough. */
const minCount = 3
const minPrefixLength = 3

export type SearchResult = {
  readonly path: string
  /** The part of the document with the match. */
  readonly content: string
  readonly score: number
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type SearchParts = {
  readonly store: DocumentStore
  readonly reader: Reader
  /** Present when an embedding model is configured. */
  readonly semanticSearch?: SemanticSearch | undefined
}

/** The user's documents that match a query, best first. Any text is a valid query. */
export async function searchDocuments(
  { store, reader, semanticSearch }: SearchParts,
  user: UserId,
  { query, limit }: { query: string; limit: number },
): Promise<SearchResult[]> {
  const terms = readQuery(reader, query)
  if (terms.length === 0) return []
  const maxCandidates = Math.max(minCandidates, candidatesPerDocument * limit)
  // A required phrase is matched literally, so semantic search cannot help.
  const literal = terms.some(({ required }) => required)
  const [byWords, near] = await Promise.all([
    rankByWords({ store, reader }, user, terms, maxCandidates),
    semanticSearch && !literal ? semanticSearch(user, query, maxCandidates) : [],
  ])
  const ranked = near.length === 0 ? byWords : fuseResults(byWords, near)
  const precision = near.length === 0 ? 1e3 : 1e6
  return ranked.slice(0, limit).map(({ found, score, hits }) => ({
    path: found.path,
    content: snippetOf({ found, hits }),
    score: Math.round(score * precision) / precision,
    untrusted: found.untrusted,
    updatedAt: found.updatedAt,
  }))
}

async function rankByWords(
  { store, reader }: Omit<SearchParts, 'semanticSearch'>,
  user: UserId,
  terms: readonly QueryTerm[],
  maxCandidates: number,
): Promise<Ranked[]> {
  const stats = await countTerms(store, user, terms)
  if (!stats) return []
  const found = await findCandidates(store, user, stats, maxCandidates)
  return rank(reader, found, stats.counted, stats.averageTerms)
}

/** Both rankings as one. A document in both keeps the chunk found by words, so that its snippet shows them. */
function fuseResults(byWords: readonly Ranked[], near: readonly FoundChunk[]): Ranked[] {
  const byMeaning = new Map<string, Ranked>()
  for (const found of near) if (!byMeaning.has(found.path)) byMeaning.set(found.path, { found, score: 0, hits: [] })
  const known = new Map([...byMeaning, ...byWords.map((each) => [each.found.path, each] as const)])
  const fused = fuse([byWords.map(({ found }) => found.path), [...byMeaning.keys()]])
  return fused.flatMap(({ path, score }) => {
    const ranked = known.get(path)
    return ranked ? [{ ...ranked, score }] : []
  })
}

type CountedTerm = WeightedTerm & { readonly match: Match; readonly count: number }
type Stats = { readonly counted: readonly CountedTerm[]; readonly chunks: number; readonly averageTerms: number }

/** Counts each term, and rare terms again with their prefix. Undefined when nothing can match. */
async function countTerms(store: DocumentStore, user: UserId, terms: readonly QueryTerm[]): Promise<Stats | undefined> {
  const first = await store.count(user, terms.map(matchOf), maxCount)
  if (!first) return undefined
  const rare = terms.filter(
    ({ prefix = '' }, at) => (first.counts[at] ?? 0) < minCount && prefix.length >= minPrefixLength,
  )
  const wider = new Map(rare.map((each) => [each, withPrefix(each)]))
  const second = wider.size > 0 ? await store.count(user, [...wider.values()].map(matchOf), maxCount) : undefined
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
async function findCandidates(
  store: DocumentStore,
  user: UserId,
  { counted, chunks }: Stats,
  limit: number,
): Promise<FoundChunk[]> {
  const weights = counted.map(({ match, idf, term }) => ({ match, weight: idf * term.weight }))
  const found = new Map<string, FoundChunk>()
  for (const match of indexQueries(counted, chunks)) {
    const candidates: Candidates = { match, weights, depth: maxDepth, limit }
    for (const each of await store.find(user, candidates)) found.set(`${each.at} ${each.path}`, each)
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
