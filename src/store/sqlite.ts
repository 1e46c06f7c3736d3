// `Sql` on SQLite: one connection, WAL, synchronous=FULL. The writes of one tick share one commit.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import { isErasing } from './erasing.ts'
import { type Job, query, type Row, type Sql, type Statement } from './sql.ts'
import { asAppError, isBusy } from './sqlite-faults.ts'
import { createPrivateFile, enableWal, hasLog, maxBusyMs, setUpConnection, watchFile } from './sqlite-file.ts'
import { createSqliteLog, measureLog } from './sqlite-log.ts'
import { type PreparedStatement, prepareOnce } from './sqlite-statement.ts'
import { createSqliteThreads } from './sqlite-threads.ts'
import { createSqliteWriter, noThread, type SqliteWriter } from './sqlite-writer.ts'

const memory = ':memory:'
/** Between two attempts to begin a transaction while another process writes. */
const busyRetryMs = 2
const maxBatch = 256
/** A commit takes no further job after this time: it blocks the event loop. */
const maxCommitMs = 20
/** A job that stores more runs in a thread. */
const minLongBytes = 2 * 1024 * 1024

type Write = {
  readonly job: () => Job<unknown>
  readonly long: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type SqliteParts = {
  /** Allows loading an extension later. */
  readonly extensions?: boolean
  /** Called when a job erases something, before its commit. */
  readonly onErase?: () => void
  /** Called in each transaction before its first job. If it throws, nothing is stored. */
  readonly onBegin?: (() => void) | undefined
  /** How long a writer waits for another process. */
  readonly busyMs?: number
  /** The content of a database in memory: tests copy a migrated one instead of migrating each. */
  readonly image?: Uint8Array | undefined
}

export type SqliteSql = Sql & {
  readonly db: DatabaseSync
  /** The file had a log when it was opened. */
  readonly hadLog: boolean
  /** Moves the write-ahead log into the file and empties it. False while another process uses it: that is not waited for. */
  emptyLog(): Promise<boolean>
}

/** Opens the database file, and creates it if needed. `:memory:` is for tests. */
export function openSqlite(
  path: string,
  { extensions = false, onErase, onBegin, busyMs = maxBusyMs, image }: SqliteParts = {},
): SqliteSql {
  const hadLog = path !== memory && hasLog(path)
  let db: DatabaseSync
  let logPages: StatementSync | undefined
  // Closes the file again if it cannot be used.
  using opening = new DisposableStack()
  try {
    if (path !== memory) createPrivateFile(path)
    db = opening.use(new DatabaseSync(path, { timeout: busyMs, allowExtension: extensions }))
    if (extensions) db.enableLoadExtension(false)
    if (image) db.deserialize(image)
    enableWal(db)
    setUpConnection(db)
    logPages = measureLog(db)
    opening.move()
  } catch (error) {
    throw asAppError(error)
  }
  const statements = new Map<string, { readonly prepared: PreparedStatement; readonly erases: boolean }>()
  const queue: Write[] = []
  const checkFile = path === memory ? () => {} : watchFile(path)
  const threads = path === memory ? undefined : createSqliteThreads(path)
  const onStatement = (sql: string): unknown => isErasing(sql) && onErase?.()
  const writer = path === memory ? undefined : createSqliteWriter(path, { onBegin, onStatement, busyMs })
  const log = createSqliteLog(db, { pages: logPages, writer, withoutWait })
  const oneAtATime = createOneAtATime()
  /** Since when another process has held up the first job of the queue. */
  let busySince: number | undefined
  let waitsMs = busyMs
  let closed = false

  function run({ sql, values, counted }: Statement): Row[] {
    let statement = statements.get(sql)
    if (!statement) {
      statement = { prepared: prepareOnce(db, sql), erases: isErasing(sql) }
      statements.set(sql, statement)
    }
    const rows = statement.prepared.all(values)
    if (!counted && !statement.erases) return rows
    // Not by `StatementSync.run`: it fails where the full-text index has made a rowid that is no safe integer.
    const [changed = {}] = run({ sql: 'SELECT changes() AS changed', values: [] })
    // A statement that erases nothing is no reason to scrub the file.
    if (statement.erases && Number(changed['changed']) > 0) onErase?.()
    return counted ? [changed] : rows
  }

  function drive<T>(job: Job<T>): T {
    let step = job.next()
    while (!step.done) step = job.next(run(step.value))
    return step.value
  }

  function rollback(): void {
    // A full disk may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
  }

  /** Sets how long SQLite itself waits for another process. That wait blocks the event loop: only reads have one. */
  function waitFor(ms: number): void {
    if (ms !== waitsMs) db.exec(`PRAGMA busy_timeout=${ms}`)
    waitsMs = ms
  }

  function withoutWait<T>(work: () => T): T {
    waitFor(0)
    try {
      return work()
    } finally {
      waitFor(busyMs)
    }
  }

  /** Throws at once while another process writes: `flush` tries again. */
  function begin(): void {
    waitFor(0)
    run({ sql: 'BEGIN IMMEDIATE', values: [] })
  }

  /** Runs as many of the jobs as there is time for, in one transaction. `failed`: one threw, nothing was stored. */
  function runTransaction(batch: readonly Write[]): { results: unknown[]; failed?: { error: unknown } } {
    const results: unknown[] = []
    const until = performance.now() + maxCommitMs
    begin()
    try {
      onBegin?.()
      for (const write of batch) {
        results.push(drive(write.job()))
        if (performance.now() > until) break
      }
    } catch (error) {
      rollback()
      return { results, failed: { error } }
    }
    try {
      checkFile()
      run({ sql: 'COMMIT', values: [] })
    } catch (error) {
      rollback()
      throw error
    }
    log.moveSoon()
    return { results }
  }

  /**
   * Settles the first jobs and returns how many: none while another process writes. If a job throws, the jobs before it
   * run again without it.
   */
  function settle(batch: readonly Write[]): number {
    try {
      const { results, failed } = runTransaction(batch)
      if (!failed) batch.slice(0, results.length).forEach((write, at) => write.resolve(results[at]))
      else if (results.length > 0) return settle(batch.slice(0, results.length))
      else batch[0]?.reject(asAppError(failed.error))
      return Math.max(1, results.length)
    } catch (error) {
      if (isBusy(error)) {
        busySince ??= performance.now()
        if (performance.now() - busySince < busyMs) return 0
      }
      const fault = asAppError(error)
      for (const write of batch) write.reject(fault)
      return batch.length
    }
  }

  /** Settles the first job of the queue; the others wait, and their order is kept. */
  async function settleLong(write: Write, thread: SqliteWriter): Promise<void> {
    try {
      checkFile()
      write.resolve(await thread.run(write.job))
    } catch (error) {
      if (error === noThread) return settleFirst([write])
      write.reject(asAppError(error))
    }
    queue.shift()
    busySince = undefined
    log.moveSoonAfterMuch()
    if (queue.length > 0) setImmediate(flush)
  }

  function flush(): void {
    const batch = queue.slice(0, maxBatch)
    const firstLong = batch.findIndex(({ long }) => long)
    if (writer && firstLong === 0 && batch[0]) return void settleLong(batch[0], writer)
    settleFirst(firstLong > 0 ? batch.slice(0, firstLong) : batch)
  }

  function settleFirst(batch: readonly Write[]): void {
    const done = settle(batch)
    queue.splice(0, done)
    if (done === 0) setTimeout(flush, busyRetryMs)
    else busySince = undefined
    if (done > 0 && queue.length > 0) setImmediate(flush)
  }

  // oxlint-disable-next-line require-await -- the interface is asynchronous, SQLite is not
  async function read<T>(job: () => Job<T>): Promise<T> {
    if (closed) throw new AppError('shutting_down', 'the database is closed')
    try {
      waitFor(busyMs)
      return drive(job())
    } catch (error) {
      throw asAppError(error)
    }
  }

  return {
    backend: 'sqlite',
    lock: '',
    db,
    hadLog,
    emptyLog: () => log.empty(),
    read,
    readLong: (user, job) =>
      oneAtATime(user, async () => {
        if (!threads) return read(job)
        try {
          const steps = job()
          let step = steps.next()
          while (!step.done) step = steps.next(await threads.run([step.value], user))
          return step.value
        } catch (error) {
          throw asAppError(error)
        }
      }),
    write<T>(job: () => Job<T>, { bytes = 0 } = {}) {
      if (closed) return Promise.reject(new AppError('shutting_down', 'the database is closed'))
      return new Promise<T>((resolve, reject) => {
        queue.push({ job, long: bytes > minLongBytes, resolve: resolve as (value: unknown) => void, reject })
        if (queue.length === 1) setImmediate(flush)
      })
    },
    async ping() {
      checkFile()
      await read(() => query('SELECT 1'))
    },
    async close() {
      while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
      if (closed) return
      closed = true
      await Promise.all([threads?.close(), writer?.close()])
      db.close()
    },
  }
}
