// Indexes threads for search, in the background: in short steps, for a small part of the time, and once turns are at rest.
// The list of threads to index is stored, so nothing is lost when the process stops.
import { setTimeout as sleep } from 'node:timers/promises'
import { idAt } from '#core/ids.ts'
import type { LeaseStore } from '#core/lease.ts'
import type { ReadThread, ThreadChunk, ThreadIndexStore, ThreadToIndex } from '#core/thread-index.ts'
import type { Log } from '#lib/log.ts'
import { createLookLoop } from '#lib/look-loop.ts'
import { pace } from '#lib/pace.ts'
import { piecesOf } from '#memory/chunks.ts'
import { createReader, type Reader } from '#memory/terms.ts'

/** Time between two looks for changes by other processes, and whether the duty can be taken over. */
const lookMs = 30_000
/** The duty is held from look to look. */
const dutyMs = 4 * lookMs
/** Delay of the first look, so that short commands end without one. */
const firstLookMs = 5_000
/** It waits until no turn has ended for this long, but no longer than the maximum. */
const quietMs = 1_000
const maxQuietMs = 15_000
/** The rest after each step, as a multiple of the time that the step took. */
const defaultRestFactor = 9
/** Threads whose turns ended since the last step. The next look finds the others. */
const maxNoted = 1_000
/** Rows with ids that are younger than this may not be committed yet. */
const lateMs = 60_000
/** A position that is further ahead is from before the clock was set back. The clocks of processes differ by less. */
const maxAheadMs = 300_000
/** Steps of a catch-up by a command. */
const maxCatchUpThreads = 5_000
/** The waits for a thread that cannot be indexed: each is twice the one before. */
const firstPutOffMs = 30_000
const maxPutOffMs = 60 * 60_000
/** Threads whose waits grow. */
const maxPutOff = 1_000

export interface ThreadIndexer {
  /** A thread was changed, renamed or deleted. */
  note(threadId: string): void
  stop(): Promise<void>
}

export type ThreadIndexerParts = {
  readonly index: ThreadIndexStore
  readonly leases: Pick<LeaseStore, 'takeDuty' | 'leaveDuty'>
  /** Identifies this process. */
  readonly owner: string
  readonly log: Log
  readonly waits?: { readonly firstLookMs: number; readonly quietMs: number; readonly restFactor: number }
}

export function createThreadIndexer(parts: ThreadIndexerParts): ThreadIndexer {
  const { index, leases, owner, log } = parts
  const waits = parts.waits ?? { firstLookMs, quietMs, restFactor: defaultRestFactor }
  const reader = createReader()
  const stopping = new AbortController()
  const noted = new Set<string>()
  const waiting = new Map<string, number>()
  const indexing = { index, reader, onFault: putOff, onIndexed: (threadId: string) => waiting.delete(threadId) }
  let lastNote = 0
  let resting = true
  const loop = createLookLoop({
    async look() {
      resting = false
      if (noted.size > 0) await quiet()
      const ours = await leases.takeDuty('thread index', owner, dutyMs)
      // For the process that has the duty.
      if (noted.size > 0) await addNoted()
      if (ours) await indexDue()
      resting = true
      return noted.size > 0 ? 0 : lookMs
    },
    onFault(error, times) {
      if (times === 1 && !stopping.signal.aborted) log.warn({ err: error }, 'indexing threads failed; it is retried')
      return lookMs
    },
    firstMs: waits.firstLookMs,
  })

  async function addNoted(): Promise<void> {
    const ids = [...noted]
    noted.clear()
    await index.add(ids)
  }

  async function indexDue(): Promise<void> {
    await followAll(index, rest, stopping.signal)
    while (!stopping.signal.aborted) {
      const begun = performance.now()
      if (!(await indexNext(indexing))) return
      await rest(begun)
    }
  }

  /** A thread whose words or rows make a fault: the others go on without it. */
  async function putOff(threadId: string, error: unknown): Promise<void> {
    const known = waiting.get(threadId)
    const ms = known === undefined ? firstPutOffMs : Math.min(2 * known, maxPutOffMs)
    await index.putOff(threadId, ms)
    if (known === undefined) log.warn({ err: error, thread: threadId }, 'a thread cannot be indexed; it is retried')
    if (known !== undefined || waiting.size < maxPutOff) waiting.set(threadId, ms)
  }

  /** After a step that began at this time. */
  async function rest(begun: number): Promise<void> {
    const restMs = (performance.now() - begun) * waits.restFactor
    if (restMs > 0) await sleep(restMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
  }

  /** Waits until no thread has been noted for a while. */
  async function quiet(): Promise<void> {
    const until = performance.now() + Math.max(maxQuietMs, waits.quietMs)
    let left = waits.quietMs
    while (left > 0 && performance.now() < until && !stopping.signal.aborted) {
      await sleep(left, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      left = lastNote + waits.quietMs - performance.now()
    }
  }

  return {
    note(threadId) {
      lastNote = performance.now()
      if (noted.size < maxNoted) noted.add(threadId)
      // A look takes what was noted meanwhile. While looks fail, they are tried again by the clock alone.
      if (resting) loop.wake()
    },
    async stop() {
      stopping.abort()
      await loop.stop()
      // When the database cannot be reached, the duty expires by itself.
      await leases.leaveDuty('thread index', owner).catch(() => {})
    },
  }
}

/** Indexes what is not yet indexed, for a command that searches. Bounded: a large old home takes several calls. */
export async function catchUp(index: ThreadIndexStore): Promise<void> {
  const reader = createReader()
  await followAll(index)
  for (let done = 0; done < maxCatchUpThreads; ) {
    const threads = await indexNext({ index, reader, onFault: (id) => index.putOff(id, firstPutOffMs) })
    if (threads === 0) return
    done += threads
  }
}

/** Puts all threads that changed on the list: after an upgrade or a restore, all that there are. */
async function followAll(
  index: ThreadIndexStore,
  rest?: (begun: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const until = idAt(Date.now() - lateMs)
  const stored = await index.position()
  const latest = idAt(Date.now() + maxAheadMs)
  // What was stored since the clock was set back has ids before such a position.
  const isAhead = stored.turns > latest || stored.threads > latest
  if (isAhead) await index.rewind()
  let followed = { position: isAhead ? { turns: '', threads: '' } : stored, more: true }
  while (followed.more && !signal?.aborted) {
    const begun = performance.now()
    followed = await index.follow(followed.position, until)
    if (followed.more) await rest?.(begun)
  }
}

type Indexing = {
  readonly index: ThreadIndexStore
  readonly reader: Reader
  readonly onIndexed?: (threadId: string) => void
}

/**
 * Does the next step; returns the number of threads in it, 0 if none is due. If it fails, its threads are indexed one by one,
 * and `onFault` must let those that fail wait. If it cannot either, the database is to blame.
 */
async function indexNext({
  onFault,
  ...indexing
}: Indexing & { onFault: (threadId: string, error: unknown) => Promise<void> }): Promise<number> {
  const due = await indexing.index.due()
  try {
    return await indexSome(indexing, due)
  } catch {
    for (const id of due) await indexSome(indexing, [id]).catch((error: unknown) => onFault(id, error))
    return due.length
  }
}

/** Indexes the first of these threads, and returns how many. */
async function indexSome({ index, reader, onIndexed }: Indexing, threadIds: readonly string[]): Promise<number> {
  const threads = await index.read(threadIds)
  const gone = threads.filter(({ type }) => type === 'gone').map(({ threadId }) => threadId)
  if (gone.length > 0) await index.erase(gone)
  const read: ReadThread[] = []
  for (const thread of threads) {
    if (thread.type === 'behind') read.push({ thread, chunks: await chunksOf(reader, thread) })
  }
  if (read.length > 0) await index.save(read)
  for (const { threadId } of threads) onIndexed?.(threadId)
  return threads.length
}

async function chunksOf(
  reader: Reader,
  { title, titleChanged, messages }: Extract<ThreadToIndex, { type: 'behind' }>,
): Promise<ThreadChunk[]> {
  const chunks: ThreadChunk[] = []
  if (titleChanged && title !== '') {
    const { body, extra } = reader.read(title)
    chunks.push({ seq: 0, start: 0, chars: title.length, terms: { title: [...body, ...extra], body: [], extra: [] } })
  }
  for (const { seq, text } of messages) {
    for (const piece of text === '' ? [] : piecesOf(text)) {
      const { body, extra } = reader.read(piece.text)
      chunks.push({ seq, start: piece.start, chars: piece.text.length, terms: { title: [], body, extra } })
      await pace()
    }
  }
  return chunks
}
