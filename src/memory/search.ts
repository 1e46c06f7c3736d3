// Search: the index brings candidates, a bounded number however much there is, and they are ranked here by one rule.
import type { Candidates, DocumentStore, Found, Match } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { fuse } from './rank-fusion.ts'
import type { Meaning } from './semantic-search.ts'
import { type Asked, matchOf, readQuery, widened } from './query.ts'
import { rank, type Ranked, type Told, tellingOf } from './rank.ts'
import { snippetOf } from './snippet.ts'
import type { Reader } from './terms.ts'

/** Chunks that are ranked: so many at least, and some for each document that is wanted. */
const minCandidates = 30
const candidatesEach = 2
/** Chunks that the index orders to choose them; to order one takes it long. */
const maxDepth = 2_500
/** Matches are counted up to here: a word in more chunks than that tells little. */
const maxCount = 10_000
/** A word that is in fewer chunks is looked for by its beginning too, which has so many letters at least. */
const rare = 3
const minBeginningLength = 3

export type SearchResult = {
  readonly path: string
  /** The part of the document that holds the match. */
  readonly content: string
  readonly score: number
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type SearchParts = {
  readonly store: DocumentStore
  readonly reader: Reader
  /** Where an embedding model is configured. */
  readonly meaning?: Meaning | undefined
}

/** The documents of a user that a query finds, best first. Any text is a query. */
export async function searchDocuments(
  { store, reader, meaning }: SearchParts,
  user: UserId,
  { query, limit }: { query: string; limit: number },
): Promise<SearchResult[]> {
  const asked = readQuery(reader, query)
  if (asked.length === 0) return []
  const most = Math.max(minCandidates, candidatesEach * limit)
  // What must be there to the letter is no matter of meaning.
  const literal = asked.some(({ required }) => required)
  const [byWords, near] = await Promise.all([
    rankByWords({ store, reader }, user, asked, most),
    meaning && !literal ? meaning(user, query, most) : [],
  ])
  const ranked = near.length === 0 ? byWords : joined(byWords, near)
  const fineness = near.length === 0 ? 1e3 : 1e6
  return ranked.slice(0, limit).map(({ found, score, hits }) => ({
    path: found.path,
    content: snippetOf({ found, hits }),
    score: Math.round(score * fineness) / fineness,
    untrusted: found.untrusted,
    updatedAt: found.updatedAt,
  }))
}

async function rankByWords(
  { store, reader }: Omit<SearchParts, 'meaning'>,
  user: UserId,
  asked: readonly Asked[],
  most: number,
): Promise<Ranked[]> {
  const counted = await countAsked(store, user, asked)
  if (!counted) return []
  const { told, chunks, usual } = counted
  const found = await gather(store, user, told, { chunks, most })
  return rank(
    reader,
    found,
    told.map(({ telling, asked: each }) => ({ telling, asked: each })),
    usual,
  )
}

/** Both orders as one; a document shows the words that were asked for, where it has them. */
function joined(byWords: readonly Ranked[], near: readonly Found[]): Ranked[] {
  const byMeaning = new Map<string, Ranked>()
  for (const found of near) if (!byMeaning.has(found.path)) byMeaning.set(found.path, { found, score: 0, hits: [] })
  const known = new Map([...byMeaning, ...byWords.map((each) => [each.found.path, each] as const)])
  const fused = fuse([byWords.map(({ found }) => found.path), [...byMeaning.keys()]])
  return fused.flatMap(({ path, score }) => {
    const ranked = known.get(path)
    return ranked ? [{ ...ranked, score }] : []
  })
}

type Counted = Told & { readonly match: Match; readonly count: number }

/** How common each thing asked for is; what is hardly there is looked for by its beginning. */
async function countAsked(
  store: DocumentStore,
  user: UserId,
  asked: readonly Asked[],
): Promise<{ told: Counted[]; chunks: number; usual: number } | undefined> {
  const first = await store.count(user, asked.map(matchOf), maxCount)
  if (!first) return undefined
  const scarce = asked.filter(
    ({ beginning = '' }, at) => (first.counts[at] ?? 0) < rare && beginning.length >= minBeginningLength,
  )
  const wider = new Map(scarce.map((each) => [each, widened(each)]))
  const second = wider.size > 0 ? await store.count(user, [...wider.values()].map(matchOf), maxCount) : undefined
  const told = asked.map((each, at): Counted => {
    const wide = wider.get(each)
    const count = wide ? (second?.counts[scarce.indexOf(each)] ?? 0) : (first.counts[at] ?? 0)
    const used = wide ?? each
    return { asked: used, match: matchOf(used), count, telling: tellingOf(count, first.chunks) }
  })
  const usual = Math.max(1, first.terms / first.chunks)
  if (told.some(({ asked: each, count }) => each.required && count === 0)) return undefined
  return { told: told.filter(({ count }) => count > 0), chunks: first.chunks, usual }
}

/** Candidates from the narrowest question that brings enough of them. */
async function gather(
  store: DocumentStore,
  user: UserId,
  told: readonly Counted[],
  { chunks, most }: { chunks: number; most: number },
): Promise<Found[]> {
  const weights = told.map(({ match, telling, asked }) => ({ match, weight: telling * asked.weight }))
  const found = new Map<string, Found>()
  for (const match of questions(told, chunks)) {
    const candidates: Candidates = { match, weights, depth: maxDepth, limit: most }
    for (const each of await store.find(user, candidates)) found.set(`${each.at} ${each.path}`, each)
    if (found.size >= most) break
  }
  return [...found.values()]
}

/** Where all matches can be ordered, one question; else rare words first, then common ones together with the rarest. */
export function questions(told: readonly Pick<Counted, 'asked' | 'match' | 'count'>[], chunks: number): Match[] {
  if (told.length === 0) return []
  const required = told.filter(({ asked }) => asked.required)
  if (required.length > 0) return [{ all: required.map(({ match }) => match) }]
  const sum = told.reduce((all, { count }) => all + count, 0)
  if (sum <= maxDepth || chunks <= maxDepth) return [{ any: told.map(({ match }) => match) }]
  const sorted = told.toSorted((one, two) => one.count - two.count)
  let room = maxDepth
  const scarce = sorted.filter(({ count }) => (room -= count) >= 0).map(({ match }) => match)
  const common = sorted.slice(scarce.length).map(({ match }) => match)
  const [rarest, ...others] = common
  if (rarest === undefined) return [{ any: scarce }]
  return [
    ...(scarce.length > 0 ? [{ any: scarce }] : []),
    ...(others.length > 0 ? [{ all: common }] : []),
    ...(others.length > 1 ? [{ all: [rarest, { any: others }] }] : []),
    rarest,
  ]
}
