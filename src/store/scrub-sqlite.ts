// Removes what deletions leave behind in a SQLite file: terms of deleted chunks in the full-text index, and deleted text in
// the write-ahead log. It works in the background, a moment after a deletion, in short steps.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { first, type Job, run, type Sql } from './sql.ts'

/** Deletions within this time share one scrub. */
const delayMs = 500
/** Between two steps of a scrub: other work goes on. */
const pauseMs = 10
/** A log that somebody reads is tried again after this time, then after twice as long, up to the maximum. */
const minRetryMs = 500
const maxRetryMs = 60_000
/** Pages of the index that one step writes. */
const mergePages = 16
/** The index is rewritten as a whole: after that it rests for so many times as long as that took. */
const restFactor = 20
/** At close a scrub that is due may take this long. What is left is done after the next start. */
const maxCloseMs = 2_000

export interface Scrub {
  /** Something was deleted. */
  soon(): void
  /** Ends what is due, within a bound. To be called before the database is closed. */
  close(): Promise<void>
}

/** Begins with a look at what a process that was killed left behind. */
export function startScrub(sql: Sql, db: DatabaseSync): Scrub {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let closed = false
  let due = false
  let indexRestsUntil = 0
  let retryMs = minRetryMs

  function wake(afterMs: number): void {
    if (closed || timer || running) return
    timer = setTimeout(() => {
      timer = undefined
      running = scrub().then((nextMs) => {
        running = undefined
        if (nextMs !== undefined) wake(nextMs)
      })
    }, afterMs).unref()
  }

  /** Returns after how many milliseconds to try again, if something is left. */
  async function scrub(): Promise<number | undefined> {
    due = false
    const rests = indexRestsUntil - performance.now()
    let isClean = false
    try {
      isClean = rests <= 0 ? await cleanIndex() : !(await sql.read(hasLeftovers))
    } catch {
      // A full disk, or a file that is locked: it is tried again like a log that somebody reads.
    }
    const isEmpty = truncateLog(db)
    retryMs = isEmpty ? minRetryMs : Math.min(retryMs * 2, maxRetryMs)
    if (isEmpty && isClean) return due ? delayMs : undefined
    due = true
    return isEmpty ? Math.max(indexRestsUntil - performance.now(), retryMs) : retryMs
  }

  /** False if something was deleted meanwhile, or the store is closed. */
  async function cleanIndex(): Promise<boolean> {
    if (!(await sql.read(hasLeftovers))) return true
    const busyMs = await mergeIndex(() => !closed, pauseMs)
    indexRestsUntil = performance.now() + busyMs * restFactor
    return !(await sql.read(hasLeftovers))
  }

  /** Merges all parts of the index into one, without what was deleted. Returns the milliseconds of its steps. */
  async function mergeIndex(goesOn: () => boolean, pause: number): Promise<number> {
    let busyMs = 0
    // A negative number begins a merge of everything.
    for (let pages = -mergePages, more = true; more && goesOn(); pages = mergePages) {
      const begun = performance.now()
      more = await sql.write(() => merge(pages))
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
        if (await sql.read(hasLeftovers)) await mergeIndex(() => performance.now() < until, 0)
      } catch {
        // As above: the next start goes on.
      }
      truncateLog(db)
    },
  }
}

/**
 * True if the index has terms of deleted chunks. FTS5 keeps the numbers of deleted rows in pages with ids from 2^53 on. Its
 * option `secure-delete` has no effect on an index without content, and takes 50 ms for a chunk on one with content.
 */
function* hasLeftovers(): Job<boolean> {
  return (yield* first('SELECT 1 AS one FROM chunk_terms_data WHERE id >= 1 << 53 LIMIT 1')) !== undefined
}

/** Does some of a merge; false once there is nothing to merge. */
function* merge(pages: number): Job<boolean> {
  const before = yield* first('SELECT total_changes() AS n')
  yield* run(`INSERT INTO chunk_terms (chunk_terms, rank) VALUES ('merge', ?)`, pages)
  const after = yield* first('SELECT total_changes() AS n')
  // FTS5 reports an idle merge by one change.
  return Number(after?.['n']) - Number(before?.['n']) >= 2
}

/** Moves the write-ahead log into the file and empties it. False while another process reads: it never waits for that. */
function truncateLog(db: DatabaseSync): boolean {
  const timeout = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return Number(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']) === 0
  } catch {
    return false
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}
