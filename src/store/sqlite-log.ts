// The write-ahead log of a database, moved into its file beside the commits: within a commit it would block the event loop
// twice as long. Long moves are left to a thread.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqliteWriter } from './sqlite-writer.ts'

/** Pages of the log from which it is moved into the file: SQLite's own default. */
const maxLogPages = 1_000
/** A longer log is moved by a thread: 2,000 pages take 8 to 18 ms. */
const maxOwnPages = 2_000
/** A longer log is emptied by a thread: in an erasure of many threads each took 40 to 67 ms on a busy machine. */
const maxOwnEmptied = 250
/** Commits between two looks at the length of the log: a look takes as long as two statements of a turn. */
const commitsPerLook = 8

export type SqliteLog = {
  /** After a commit: moves a long log in a later loop, so that the answer of the commit does not wait for it. */
  moveSoon(): void
  /** The same after a commit that stored much. */
  moveSoonAfterMuch(): void
  /** Moves the log into the file and empties it. False while another process uses it: that is not waited for. */
  empty(): Promise<boolean>
}

type LogParts = {
  /** From `measureLog`; undefined where commits move the log themselves. */
  readonly pages: StatementSync | undefined
  readonly writer: Pick<SqliteWriter, 'moveLog' | 'emptyLog'> | undefined
  /** Does something that waits for no other process. */
  readonly withoutWait: <T>(work: () => T) => T
}

export function createSqliteLog(db: DatabaseSync, { pages, writer, withoutWait }: LogParts): SqliteLog {
  let commits = 0
  let moves = false
  /** The first move may wait for all that others, such as a copy or a restore, wrote to the file just before. */
  let movedOnce = false

  /** 0 where a failing disk does not tell it: what was committed is stored all the same. */
  function lengthNow(): number {
    try {
      return Number(pages?.get()?.['log'] ?? 0)
    } catch {
      return 0
    }
  }

  function moveSoon(): void {
    if (!pages || moves || commits++ % commitsPerLook > 0) return
    const length = lengthNow()
    if (length < maxLogPages) return
    moves = true
    setImmediate(() => void move(length))
  }

  /** True if a thread should move the log. */
  function isLongMove(length: number, maxLength: number): boolean {
    const isFirst = !movedOnce
    movedOnce = true
    return isFirst || length > maxLength
  }

  async function move(length: number): Promise<void> {
    try {
      const isMoved = isLongMove(length, maxOwnPages) && (await writer?.moveLog())
      if (!isMoved) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // The log keeps everything, and the next look tries again. A database that was closed meanwhile has moved it.
    }
    moves = false
  }

  function emptyAtOnce(): boolean {
    try {
      return withoutWait(() => Number(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']) === 0)
    } catch {
      return false
    }
  }

  return {
    moveSoon,
    moveSoonAfterMuch() {
      commits = 0
      moveSoon()
    },
    async empty() {
      const isLong = isLongMove(lengthNow(), maxOwnEmptied)
      return (isLong ? await writer?.emptyLog() : undefined) ?? emptyAtOnce()
    },
  }
}

/** Takes the moves from the commits, and returns the statement that tells the length of the log. */
export function measureLog(db: DatabaseSync): StatementSync | undefined {
  if (!canMeasureLog(String(db.prepare('SELECT sqlite_version() AS version').get()?.['version']))) return undefined
  db.exec('PRAGMA wal_autocheckpoint=0')
  return db.prepare('PRAGMA wal_checkpoint(NOOP)')
}

/** From 3.51 on SQLite tells the length of its log. Before, the same question moves the log into the file. */
export function canMeasureLog(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}
