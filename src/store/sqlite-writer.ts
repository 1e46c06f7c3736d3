// Transactions of jobs that store megabytes, in a thread: a commit of 10 MB takes tens of milliseconds, and would block the
// event loop.
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import type { Job, Row, Statement } from './sql.ts'
import { isBusy } from './sqlite-faults.ts'
import { createSqliteThreads } from './sqlite-threads.ts'

/** Statements whose rows nobody reads go to the thread together, up to this many of them. */
const maxTogether = 100
const begin: Statement = { sql: 'BEGIN IMMEDIATE', values: [] }
const commit: Statement = { sql: 'COMMIT', values: [] }
const rollback: Statement = { sql: 'ROLLBACK', values: [] }
const changed: Statement = { sql: 'SELECT changes() AS changed', values: [] }

/** No thread could begin, for example because the files of the program were replaced. Nothing was stored. */
export const noThread = new Error('no thread of the database could begin a transaction')

export interface SqliteWriter {
  /** Runs a job in a transaction; resolves once it is durable. Throws `noThread`. */
  run<T>(job: () => Job<T>): Promise<T>
  /** Moves the write-ahead log into the file, as far as nobody reads it. False if no thread could. */
  moveLog(): Promise<boolean>
  /** Moves it and empties it. False while another process uses it, which is not waited for; undefined if no thread could. */
  emptyLog(): Promise<boolean | undefined>
  close(): Promise<void>
}

export type WriterParts = {
  /** Called in each transaction before its job. If it throws, nothing is stored. */
  readonly onBegin?: (() => void) | undefined
  /** Called before each statement of a job. */
  readonly onStatement: (sql: string) => void
  /** How long a transaction waits for another process. */
  readonly busyMs: number
}

export function createSqliteWriter(path: string, { onBegin, onStatement, busyMs }: WriterParts): SqliteWriter {
  // If it ends within a transaction, the next thread refuses the rest of it: see `sqlite-thread.ts`.
  const thread = createSqliteThreads(path, { maxThreads: 1, maxSlow: 0, writes: true, busyMs })
  // The log cannot be moved within a transaction.
  const oneAtATime = createOneAtATime()

  async function runJob<T>(job: () => Job<T>): Promise<T> {
    await thread.run([begin]).catch((error: unknown) => {
      throw isBusy(error) ? error : noThread
    })
    try {
      onBegin?.()
      const result = await drive(job(), (statements) => {
        for (const { sql } of statements) onStatement(sql)
        return thread.run(statements)
      })
      await thread.run([commit])
      return result
    } catch (error) {
      // Fails if the transaction has ended already.
      await thread.run([rollback]).catch(() => {})
      throw error
    }
  }

  return {
    run: (job) => oneAtATime('', () => runJob(job)),
    moveLog: () =>
      oneAtATime('', () => thread.run([pragma('wal_checkpoint(PASSIVE)')])).then(
        () => true,
        () => false,
      ),
    emptyLog: () =>
      oneAtATime('', async () => {
        try {
          const [row] = await thread.run([pragma('busy_timeout=0'), pragma('wal_checkpoint(TRUNCATE)')])
          return Number(row?.['busy']) === 0
        } catch {
          return undefined
        } finally {
          await thread.run([pragma(`busy_timeout=${busyMs}`)]).catch(() => {})
        }
      }),
    close: () => thread.close(),
  }
}

function pragma(words: string): Statement {
  return { sql: `PRAGMA ${words}`, values: [] }
}

async function drive<T>(job: Job<T>, send: (statements: Statement[]) => Promise<Row[]>): Promise<T> {
  let unsent: Statement[] = []
  let step = job.next()
  while (!step.done) {
    unsent.push(step.value)
    const waits = !step.value.rowsIgnored || unsent.length >= maxTogether
    if (step.value.counted) unsent.push(changed)
    const rows = waits ? await send(unsent) : []
    if (waits) unsent = []
    step = job.next(rows)
  }
  if (unsent.length > 0) await send(unsent)
  return step.value
}
