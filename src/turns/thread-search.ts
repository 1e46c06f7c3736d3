// Search through titles and messages of threads, with the ranking of memory.
import type { UserId } from '#core/ids.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import type { FoundMessage, SearchReading, ThreadIndexStore } from '#core/thread-index.ts'
import type { Thread } from '#core/turn.ts'
import { pace } from '#lib/pace.ts'
import { readQuery } from '#memory/query.ts'
import type { Ranked } from '#memory/rank.ts'
import { snippetOf } from '#memory/snippet.ts'
import { createReader } from '#memory/terms.ts'
import { countTerms, rankByWords, rankTitles, type Searched } from '#memory/word-index.ts'

/** Chunks to rank: at least `minCandidates`, and this many per requested thread. */
const minCandidates = 60
const candidatesPerThread = 3
/** Bytes of messages that one search reads and parses: it blocks other work meanwhile. */
const maxReadBytes = 1024 * 1024
/** Threads that are read at once for each one that is returned: variants of a conversation are found together. */
const readPerThread = 2

/** A thread that matched: by its title, or by the words of a message with this seq. */
export type FoundThread = Thread & { readonly match?: { readonly seq: number; readonly snippet: string } }

export type ThreadSearch = (user: UserId, search: { query: string; limit: number }) => Promise<readonly FoundThread[]>

type SearchParts = {
  readonly index: Pick<ThreadIndexStore, 'count' | 'find'>
  readonly threads: Pick<ThreadStore, 'get'>
}

/** Finds a user's threads: first those whose title has all the words, then by their messages. Any text is a valid query. */
export function createThreadSearch({ index, threads }: SearchParts): ThreadSearch {
  const reader = createReader()
  return async (user, { query, limit }) => {
    const terms = readQuery(reader, query)
    const stats = terms.length > 0 ? await countTerms(index, user, terms) : undefined
    if (!stats) return []
    const reading: SearchReading = { texts: new Map(), bytesLeft: maxReadBytes }
    const find: Searched<FoundMessage>['index']['find'] = (whose, what) => index.find(whose, what, reading)
    const searched = { index: { find }, reader, user }
    const titled = await rankTitles(searched, stats, limit)
    const said = await rankByWords(searched, stats, Math.max(minCandidates, candidatesPerThread * limit))
    const found = new Map<string, Ranked<FoundMessage>>()
    for (const each of [...titled, ...said.filter(({ score }) => score > 0)]) {
      if (!found.has(each.found.path)) found.set(each.found.path, each)
    }
    const rows: FoundThread[] = []
    const ranked = [...found.values()]
    for (let at = 0; at < ranked.length && oneVariantEach(rows).length < limit; at += readPerThread * limit) {
      const part = ranked.slice(at, at + readPerThread * limit)
      const read = await Promise.all(
        part.map(async (each) => ({ each, thread: await threads.get(user, each.found.path) })),
      )
      for (const { each, thread } of read) {
        if (thread) rows.push(withMatch(thread, each))
        await pace()
      }
    }
    return oneVariantEach(rows).slice(0, limit)
  }
}

/** The best of each conversation; the variant that lists show, if it matched too. */
function oneVariantEach(rows: readonly FoundThread[]): FoundThread[] {
  const best = new Map<string, FoundThread>()
  for (const row of rows) {
    const key = row.family ?? row.id
    const before = best.get(key)
    if (!before || (before.hidden && !row.hidden)) best.set(key, row)
  }
  return [...best.values()]
}

function withMatch(thread: Thread, { found, hits }: Ranked<FoundMessage>): FoundThread {
  return found.seq === 0 ? thread : { ...thread, match: { seq: found.seq, snippet: snippetOf({ found, hits }) } }
}
