// Removes what deletions leave behind in a SQLite file: terms of deleted chunks in the full-text index, and deleted text in
// the write-ahead log. It works in the background, a moment after a deletion, in short steps.
import { setTimeout as sleep } from 'node:timers/promises'
import { dayMs } from '#core/time.ts'
import { first, type Job, run, takesLong } from './sql.ts'
import type { SqliteSql } from './sqlite.ts'

/** Deletions within this time share one scrub. */
const delayMs = 500
/** Between two steps of a scrub: other work goes on. */
const pauseMs = 10
/** A log that somebody reads is tried again after this time, then after twice as long, up to the maximum. */
const minRetryMs = 500
const maxRetryMs = 60_000
/** Pages of the index that one step writes. */
const mergePages = 64
/** Percent of deleted chunks from which a part of the index is rewritten: 1 is the least that FTS5 takes. */
const minDeletedPercent = 1
/** Bytes of a page. Now and then a commit merges 64 pages of each level: a quarter of the default takes a quarter of the time. */
const pageBytes = 1_000
/** Bytes of the numbers of deleted chunks, some hundred. A step reads past all of them that come one after another. */
const maxOwnDeletedBytes = 1_000
/** Rest after a rewrite of the whole index, as a multiple of the time that it took. */
const defaultRestFactor = 100
const maxRestMs = dayMs
/** At close a scrub that is due may take this long. What is left is done after the next start. */
const maxCloseMs = 2_000

/** The full-text indexes, of documents and of threads. */
const indexTables = ['chunk_terms', 'thread_terms'] as const
type IndexTable = (typeof indexTables)[number]

export interface Scrub {
  /** Something was deleted. */
  soon(): void
  /** Ends what is due, within a bound. To be called before the database is closed. */
  close(): Promise<void>
}

export type ScrubOptions = {
  readonly restFactor?: number
  readonly setTimer?: (act: () => void, ms: number) => NodeJS.Timeout
}

/** Begins with a look at what a process that was killed left behind. */
export function startScrub(
  sql: Pick<SqliteSql, 'read' | 'write' | 'hadLog' | 'emptyLog'>,
  options: ScrubOptions = {},
): Scrub {
  const { restFactor = defaultRestFactor, setTimer = setTimeout } = options
  let timer: NodeJS.Timeout | undefined
  let wakesAt = 0
  let running: Promise<void> | undefined
  let closed = false
  let due = false
  /** The log may have deleted text of another process. */
  let hasOthers = sql.hadLog
  const wholeRestsUntil = { chunk_terms: 0, thread_terms: 0 }
  let retryMs = minRetryMs

  function wake(afterMs: number): void {
    const at = performance.now() + afterMs
    if (closed || running || (timer && wakesAt <= at)) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimer(() => {
      timer = undefined
      running = scrub().then((nextMs) => {
        running = undefined
        if (nextMs !== undefined) wake(nextMs)
      })
    }, afterMs).unref()
  }

  /** Returns after how many milliseconds to try again, if something is left. */
  async function scrub(): Promise<number | undefined> {
    let empties = due || hasOthers
    due = false
    hasOthers = false
    const left: number[] = []
    try {
      for (const table of indexTables) {
        await sql.write(() => setOptions(table))
        if (!(await sql.read(() => hasLeftovers(table)))) continue
        empties = true
        if (!(await cleanIndex(table))) left.push(wholeRestsUntil[table])
      }
    } catch {
      // A full disk, or a file that is locked: it is tried again like a log that somebody reads.
      left.push(0)
    }
    const isEmpty = !empties || (await sql.emptyLog())
    const waitMs = isEmpty ? minRetryMs : retryMs
    retryMs = isEmpty ? minRetryMs : Math.min(retryMs * 2, maxRetryMs)
    // Something was deleted meanwhile.
    if (due) return delayMs
    if (isEmpty && left.length === 0) return undefined
    due = true
    return isEmpty ? Math.max(Math.min(...left) - performance.now(), waitMs) : waitMs
  }

  /**
   * Rewrites the parts of the index of which enough was deleted. For a few chunks of a large part the whole index is
   * rewritten, if that has rested. False if something is left, or was deleted meanwhile.
   */
  async function cleanIndex(table: IndexTable): Promise<boolean> {
    const isDirty = (): Promise<boolean> => sql.read(() => hasLeftovers(table))
    await mergeIndex(table, { goesOn: () => !closed, pause: pauseMs })
    if (!(await isDirty())) return true
    if (performance.now() < wholeRestsUntil[table]) return false
    const busyMs = await mergeIndex(table, { whole: true, goesOn: () => !closed, pause: pauseMs })
    wholeRestsUntil[table] = performance.now() + Math.min(busyMs * restFactor, maxRestMs)
    return !(await isDirty())
  }

  /** Rewrites parts of the index, or the whole, without what was deleted. Returns the milliseconds of its steps. */
  async function mergeIndex(table: IndexTable, { whole = false, goesOn, pause }: Merging): Promise<number> {
    let busyMs = 0
    // A negative number begins a merge of everything.
    for (let pages = whole ? -mergePages : mergePages, more = true; more && goesOn(); pages = mergePages) {
      const begun = performance.now()
      const deletedBytes = await sql.read(() => bytesOfDeleted(table))
      more = await sql.write(() => merge(table, pages), deletedBytes > maxOwnDeletedBytes ? takesLong : undefined)
      busyMs += performance.now() - begun
      await sleep(pause)
    }
    return busyMs
  }

  wake(delayMs)
  return {
    soon() {
      due = true
      wake(delayMs)
    },
    async close() {
      if (closed) return
      closed = true
      clearTimeout(timer)
      await running
      if (!due) return
      try {
        const until = performance.now() + maxCloseMs
        const bounded: Merging = { goesOn: () => performance.now() < until, pause: 0 }
        for (const table of indexTables) {
          const isDirty = (): Promise<boolean> => sql.read(() => hasLeftovers(table))
          if (await isDirty()) await mergeIndex(table, bounded)
          if (await isDirty()) await mergeIndex(table, { ...bounded, whole: true })
        }
      } catch {
        // As above: the next start goes on.
      }
      await sql.emptyLog()
    },
  }
}

type Merging = { readonly whole?: boolean; readonly goesOn: () => boolean; readonly pause: number }

/**
 * True if the index has terms of deleted chunks. FTS5 keeps the numbers of deleted rows in pages with ids from 2^53 on. Its
 * option `secure-delete` has no effect on an index without content, and takes 50 ms for a chunk on one with content.
 */
function* hasLeftovers(table: IndexTable): Job<boolean> {
  return (yield* first(`SELECT 1 AS one FROM ${table}_data WHERE id >= 1 << 53 LIMIT 1`)) !== undefined
}

function* bytesOfDeleted(table: IndexTable): Job<number> {
  return Number((yield* first(`SELECT sum(length(block)) AS bytes FROM ${table}_data WHERE id >= 1 << 53`))?.['bytes'])
}

/** Only a scrub rewrites parts because of what was deleted: a commit that did would block the event loop. */
function* setOptions(table: IndexTable): Job<void> {
  yield* setOption(table, 'pgsz', pageBytes)
  yield* setOption(table, 'deletemerge', 0)
}

/** FTS5 keeps its options in the index. It takes no bound values for them. */
function* setOption(table: IndexTable, option: 'pgsz' | 'deletemerge', value: number): Job<void> {
  const stored = yield* first(`SELECT v FROM ${table}_config WHERE k = ?`, option)
  if (stored?.['v'] !== value) yield* run(`INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`)
}

/** Does some of a merge; false once there is nothing to merge. */
function* merge(table: IndexTable, pages: number): Job<boolean> {
  yield* setOption(table, 'deletemerge', minDeletedPercent)
  const before = yield* first('SELECT total_changes() AS n')
  yield* run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, pages)
  const after = yield* first('SELECT total_changes() AS n')
  yield* setOption(table, 'deletemerge', 0)
  // FTS5 reports an idle merge by one change.
  return Number(after?.['n']) - Number(before?.['n']) >= 2
}
