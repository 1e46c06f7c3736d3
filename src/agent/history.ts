// A cache of threads between turns, so that the cost of a turn depends on what it adds and not on the thread's length.
import type { Entry, Item } from '#core/item.ts'
import type { StartedTurn } from '#core/turn-store.ts'
import type { HistoryPart, ThreadStore } from '#core/thread-store.ts'
import type { Turn } from '#core/turn.ts'
import { nextTurn, pace } from '#lib/pace.ts'
import type { Fence } from '#safety/fence.ts'
import type { Marker } from '#safety/marks.ts'
import { createAppend, dropSummarised, emptyHistory, type History, isRendered } from './history-prompt.ts'

const defaultMaxBytes = 16 * 1024 * 1024
/** Most threads have a turn or two and are read in no time: the bytes are for the long ones. */
const defaultMaxThreads = 1_000
/** The thread used last may exceed the cache limit by this factor; else each turn of a long thread would reload it. */
const maxOverLimit = 4
export interface Histories {
  /** The history of a turn that has just started, including its first entries. */
  open(started: StartedTurn): Promise<History>
  /**
   * Adds recorded entries. A gap before them means that somebody else wrote to the thread, such as an answer during the
   * turn. The missing entries are then read from the store: a turn that misses them would run its calls again.
   */
  extend(turn: Turn, history: History, entries: readonly Entry[]): Promise<void>
  drop(threadId: string): void
}

/** A cache of histories, bounded in bytes and in number; the least recently used is evicted first. */
export function createHistories({
  threads,
  maxBytes = defaultMaxBytes,
  maxThreads = defaultMaxThreads,
  fence,
  marker,
}: {
  threads: Pick<ThreadStore, 'history'>
  maxBytes?: number
  maxThreads?: number
  /** Fences outside text. */
  fence: Fence
  /** Marks passages of outside text that look like instructions. */
  marker?: () => Marker
}): Histories {
  const { append, fenceParts } = createAppend(fence, marker)
  const cache = new Map<string, History>()
  let bytes = 0

  function drop(threadId: string): void {
    bytes -= cache.get(threadId)?.bytes ?? 0
    cache.delete(threadId)
  }

  function put(history: History): History {
    cache.set(history.threadId, history)
    bytes += history.bytes
    for (const oldest of cache.keys()) {
      const fits = bytes <= maxBytes && cache.size <= maxThreads
      if (fits || (oldest === history.threadId && bytes <= maxOverLimit * maxBytes)) break
      drop(oldest)
    }
    return history
  }

  /** Fencing takes milliseconds for a long text, and a request may bring a hundred of them. */
  async function appendAll(history: History, entries: Iterable<Pick<Entry, 'item' | 'seq'>>): Promise<void> {
    for (const { item, seq } of entries) {
      if (item.type === 'message' && item.content.some(isRendered)) await fenceParts(item)
      append(history, item, seq)
      await pace()
    }
  }

  /** Long threads are read in parts: each is dropped before the next is read. */
  async function appendParts(history: History, turn: Turn, first: HistoryPart): Promise<void> {
    for (let part = first; ; part = await threads.history(turn, history.seq)) {
      await appendAll(history, inSequence(part.items, part.after))
      if (!part.more) return
      await nextTurn()
    }
  }

  return {
    async open({ turn, entries }) {
      const next = entries[0]?.seq
      const cached = cache.get(turn.threadId)
      drop(turn.threadId)
      const known = next === 1 ? emptyHistory(turn.threadId) : cached && cached.seq + 1 === next ? cached : undefined
      if (known) {
        dropSummarised(known)
        await appendAll(known, entries)
        return put(known)
      }
      // A resumed turn (answered gate, crash) or an uncached thread: the store has everything, also these entries.
      const part = await threads.history(turn)
      const history = emptyHistory(turn.threadId, part.after)
      await appendParts(history, turn, part)
      return put(history)
    },
    async extend(turn, history, entries) {
      const before = history.bytes
      const [next] = entries
      if (next && next.seq !== history.seq + 1) {
        await appendParts(history, turn, await threads.history(turn, history.seq))
      } else await appendAll(history, entries)
      if (cache.get(history.threadId) === history) bytes += history.bytes - before
    },
    drop,
  }
}

function inSequence(items: readonly Item[], after: number): Pick<Entry, 'item' | 'seq'>[] {
  return items.map((item, at) => ({ item, seq: after + 1 + at }))
}
