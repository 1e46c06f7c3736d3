// Search: the index brings candidates, a bounded number however much there is, and they are ranked here by one rule.
import type { Candidates, DocumentStore, Found, Match } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { type Asked, matchOf, readQuery, widened } from './query.ts'
import { rank, type Told, tellingOf } from './rank.ts'
import { snippetOf } from './snippet.ts'

/** Chunks that are ranked. */
const maxCandidates = 60
/** Chunks that the index orders to choose them; to order one takes it long. */
const maxDepth = 4_000
/** Matches are counted up to here: a word in more chunks than that tells little. */
const maxCount = 20_000
/** A word that is in fewer chunks is looked for by its beginning too, which has so many letters at least. */
const rare = 3
const shortestBeginning = 3

export type SearchResult = {
  readonly path: string
  /** The part of the document that holds the match. */
  readonly content: string
  readonly score: number
  readonly untrusted: boolean
  readonly updatedAt: number
}

/** The documents of a user that a query finds, best first. Any text is a query. */
export async function searchDocuments(
  store: DocumentStore,
  user: UserId,
  { query, limit }: { query: string; limit: number },
): Promise<SearchResult[]> {
  const counted = await countAsked(store, user, readQuery(query))
  if (!counted) return []
  const { told, chunks, usual } = counted
  const found = await gather(store, user, told, chunks)
  return rank(
    found,
    told.map(({ telling, asked }) => ({ telling, asked })),
    usual,
  )
    .slice(0, limit)
    .map((ranked) => ({
      path: ranked.found.path,
      content: snippetOf(ranked),
      score: Math.round(ranked.score * 1_000) / 1_000,
      untrusted: ranked.found.untrusted,
      updatedAt: ranked.found.updatedAt,
    }))
}

type Counted = Told & { readonly match: Match; readonly count: number }

/** How common each thing asked for is; what is hardly there is looked for by its beginning. */
async function countAsked(
  store: DocumentStore,
  user: UserId,
  asked: readonly Asked[],
): Promise<{ told: Counted[]; chunks: number; usual: number } | undefined> {
  if (asked.length === 0) return undefined
  const first = await store.count(user, asked.map(matchOf), maxCount)
  if (!first) return undefined
  const scarce = asked.filter(
    ({ beginning = '' }, at) => (first.counts[at] ?? 0) < rare && beginning.length >= shortestBeginning,
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
async function gather(store: DocumentStore, user: UserId, told: readonly Counted[], chunks: number): Promise<Found[]> {
  const weights = told.map(({ match, telling, asked }) => ({ match, weight: telling * asked.weight }))
  const found = new Map<string, Found>()
  for (const match of questions(told, chunks)) {
    const candidates: Candidates = { match, weights, depth: maxDepth, limit: maxCandidates }
    for (const each of await store.find(user, candidates)) found.set(`${each.at} ${each.path}`, each)
    if (found.size >= maxCandidates) break
  }
  return [...found.values()]
}

/** Where all matches can be ordered, one question; else rare words first, then common ones that stand together. */
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
  const pairs = common.flatMap((one, at) => common.slice(at + 1).map((two): Match => ({ all: [one, two] })))
  return [
    ...(scarce.length > 0 ? [{ any: scarce }] : []),
    ...(common.length > 1 ? [{ all: common }] : []),
    ...(common.length > 2 ? [{ any: pairs }] : []),
    { any: common },
  ]
}
