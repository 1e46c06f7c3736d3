// Threads with their own connections to a SQLite file. A search can take seconds over texts that were made for it, and a
// commit of megabytes tens of milliseconds: both would block the event loop.
import { Worker } from 'node:worker_threads'
import { AppError } from '#core/errors.ts'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import type { Row, Statement } from './sql.ts'

/** The second starts when the first is busy. */
const defaultMaxThreads = 2
/** A thread that has nothing to do ends after this time. */
const defaultIdleMs = 60_000

export type ThreadData = { readonly path: string; readonly writes: boolean }

/** What a thread answers to a list of statements. */
export type Answer = { readonly rows: Row[] } | { readonly message: string; readonly errcode: number | undefined }

export interface SqliteThreads {
  /** How many run now. */
  readonly running: number
  /** Runs statements one after another, without pause, and returns the rows of the last one. */
  run(...statements: Statement[]): Promise<Row[]>
  /** Ends the threads. A statement that runs is awaited, and refused like those that wait. */
  close(): Promise<void>
}

type Asked = { readonly resolve: (rows: Row[]) => void; readonly reject: (error: unknown) => void }
/** `asked`: statements without an answer, in order. */
type Thread = { readonly worker: Worker; readonly asked: Asked[]; idle?: NodeJS.Timeout }

export function createSqliteThreads(
  path: string,
  { idleMs = defaultIdleMs, maxThreads = defaultMaxThreads, writes = false } = {},
): SqliteThreads {
  const threads = new Set<Thread>()
  let closed = false
  let ending: Promise<unknown> = Promise.resolve()

  function start(): Thread {
    const worker = new Worker(inBundle('sqlite-thread.mjs') ?? inCheckout('src', 'store', 'sqlite-thread.ts'), {
      workerData: { path, writes } satisfies ThreadData,
      env: {},
      execArgv: [],
    })
    const thread: Thread = { worker, asked: [] }
    threads.add(thread)
    worker.on('message', (answer: Answer) => {
      const { resolve, reject } = thread.asked.shift() ?? {}
      if ('rows' in answer) resolve?.(answer.rows)
      else reject?.(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
      if (thread.asked.length === 0) rest(thread)
    })
    worker.on('error', (error) => end(thread, error))
    worker.on('exit', () => end(thread, new Error('a thread that reads the database ended')))
    return thread
  }

  /** The thread does not keep the process alive while it has nothing to do. */
  function rest(thread: Thread): void {
    thread.worker.unref()
    thread.idle = setTimeout(() => {
      threads.delete(thread)
      ending = Promise.all([ending, thread.worker.terminate()])
    }, idleMs).unref()
  }

  function end(thread: Thread, error: unknown): void {
    threads.delete(thread)
    clearTimeout(thread.idle)
    for (const { reject } of thread.asked.splice(0)) reject(closed ? shuttingDown() : error)
  }

  function leastBusy(): Thread {
    const [best] = [...threads].sort((one, two) => one.asked.length - two.asked.length)
    return best && (best.asked.length === 0 || threads.size >= maxThreads) ? best : start()
  }

  return {
    get running() {
      return threads.size
    },
    run(...statements) {
      if (closed) return Promise.reject(shuttingDown())
      const thread = leastBusy()
      clearTimeout(thread.idle)
      thread.worker.ref()
      return new Promise((resolve, reject) => {
        thread.asked.push({ resolve, reject })
        // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
        thread.worker.postMessage(statements.map(({ sql, values }) => ({ sql, values })))
      })
    },
    async close() {
      closed = true
      await Promise.all([ending, ...[...threads].map(({ worker }) => worker.terminate())])
    },
  }
}

function shuttingDown(): AppError {
  return new AppError('shutting_down', 'the database is closed')
}
