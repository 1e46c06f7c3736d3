// Threads with their own connections to a SQLite file. A search can take seconds over texts that were made for it, and a
// commit of megabytes tens of milliseconds: both would block the event loop.
import { Worker } from 'node:worker_threads'
import { AppError } from '#core/errors.ts'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { evictOldest } from '#lib/evict.ts'
import type { Row, Statement } from './sql.ts'
import { maxBusyMs } from './sqlite-file.ts'

/** The second starts when the first is busy. */
const defaultMaxThreads = 2
/** Threads for statements that take long, beside the others. */
const defaultMaxSlow = 2
/** A statement that has run for this time takes long, and so will those of the same user. */
const slowMs = 500
/** A user of whom no statement took long for this time is no longer expected to have such. */
const slowForMs = 10 * 60_000
const maxSlowUsers = 1_000
/** A thread that has nothing to do ends after this time. */
const defaultIdleMs = 60_000

export type ThreadData = { readonly path: string; readonly writes: boolean; readonly busyMs: number }

/** What a thread says once it has opened the file, and then to each list of statements. */
export type Answer =
  | 'ready'
  | { readonly rows: Row[] }
  | { readonly message: string; readonly errcode: number | undefined }

export interface SqliteThreads {
  /** How many run now. */
  readonly running: number
  /**
   * Runs statements one after another, without pause, and returns the rows of the last one. `user` is who waits for them:
   * those whose statements take long wait for each other, and not others for them.
   */
  run(statements: readonly Statement[], user?: string): Promise<Row[]>
  /** Ends the threads. A statement that runs is awaited, and refused like those that wait. */
  close(): Promise<void>
}

type Task = {
  readonly statements: readonly Statement[]
  readonly user: string
  readonly resolve: (rows: Row[]) => void
  readonly reject: (error: unknown) => void
  /** It takes long, or is expected to. */
  slow: boolean
}
type Thread = { readonly worker: Worker; ready: boolean; task?: Task | undefined; timer?: NodeJS.Timeout | undefined }

type ThreadOptions = {
  readonly idleMs?: number
  readonly maxThreads?: number
  /** 0 for threads of which none is slow. */
  readonly maxSlow?: number
  readonly setTimer?: (act: () => void, ms: number) => NodeJS.Timeout
  readonly open?: (data: ThreadData) => Worker
  readonly writes?: boolean
  /** How long a connection waits for another process. */
  readonly busyMs?: number
}

export function createSqliteThreads(path: string, options: ThreadOptions = {}): SqliteThreads {
  const { idleMs = defaultIdleMs, maxThreads = defaultMaxThreads, maxSlow = defaultMaxSlow, writes = false } = options
  const { busyMs = maxBusyMs, setTimer = setTimeout, open = openWorker } = options
  const threads = new Set<Thread>()
  const waiting: Task[] = []
  /** Until when the statements of a user are expected to take long. */
  const slowUsers = new Map<string, number>()
  let closed = false
  let ending: Promise<unknown> = Promise.resolve()

  function start(): Thread {
    const worker = open({ path, writes, busyMs })
    const thread: Thread = { worker, ready: false }
    threads.add(thread)
    worker.on('message', (answer: Answer) => {
      // `close` waits for the end of the thread, which must not be let go before.
      if (closed) return
      if (answer === 'ready') return becomeReady(thread)
      const { task } = thread
      rest(thread)
      if ('rows' in answer) task?.resolve(answer.rows)
      else task?.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }))
      assign()
    })
    worker.on('error', (error) => end(thread, error))
    worker.on('exit', () => end(thread, new Error('a thread of the database ended')))
    return thread
  }

  /** Its start counts for nobody: it takes long on a busy machine. */
  function becomeReady(thread: Thread): void {
    thread.ready = true
    if (thread.task) watch(thread, thread.task)
  }

  function watch(thread: Thread, task: Task): void {
    if (maxSlow > 0) thread.timer = setTimer(() => noteSlow(task), slowMs).unref()
  }

  /** The thread does not keep the process alive while it has nothing to do. */
  function rest(thread: Thread): void {
    clearTimeout(thread.timer)
    thread.task = undefined
    thread.worker.unref()
    thread.timer = setTimeout(() => {
      threads.delete(thread)
      ending = Promise.all([ending, thread.worker.terminate()])
    }, idleMs).unref()
  }

  function end(thread: Thread, error: unknown): void {
    threads.delete(thread)
    clearTimeout(thread.timer)
    thread.task?.reject(closed ? shuttingDown() : error)
    thread.task = undefined
    if (!closed) assign()
  }

  /** Gives the tasks that wait to threads, in order, as far as their kind has one left. */
  function assign(): void {
    for (let at = 0; at < waiting.length; ) {
      const task = waiting[at] as Task
      try {
        const thread = threadFor(task)
        if (!thread) {
          at++
          continue
        }
        give(thread, task)
      } catch (error) {
        // The system has no room for another thread.
        task.reject(error)
      }
      waiting.splice(at, 1)
    }
  }

  function threadFor(task: Task): Thread | undefined {
    task.slow = maxSlow > 0 && (slowUsers.get(task.user) ?? 0) > performance.now()
    const all = [...threads]
    const alike = all.filter((thread) => thread.task?.slow === task.slow).length
    if (alike >= (task.slow ? maxSlow : maxThreads)) return undefined
    const idle = all.find((thread) => !thread.task)
    return idle ?? (threads.size < maxThreads + maxSlow ? start() : undefined)
  }

  function give(thread: Thread, task: Task): void {
    clearTimeout(thread.timer)
    thread.task = task
    thread.worker.ref()
    if (thread.ready) watch(thread, task)
    // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
    thread.worker.postMessage(task.statements.map(({ sql, values }) => ({ sql, values })))
  }

  function noteSlow(task: Task): void {
    task.slow = true
    slowUsers.delete(task.user)
    slowUsers.set(task.user, performance.now() + slowForMs)
    evictOldest(slowUsers, maxSlowUsers)
    assign()
  }

  return {
    get running() {
      return threads.size
    },
    run(statements, user = '') {
      if (closed) return Promise.reject(shuttingDown())
      return new Promise((resolve, reject) => {
        waiting.push({ statements, user, resolve, reject, slow: false })
        assign()
      })
    },
    async close() {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(shuttingDown())
      await Promise.all([ending, ...[...threads].map(({ worker }) => worker.terminate())])
    },
  }
}

/** Throws if the system has no room for another thread. */
export function openWorker(workerData: ThreadData): Worker {
  const entry = inBundle('sqlite-thread.mjs') ?? inCheckout('src', 'store', 'sqlite-thread.ts')
  return new Worker(entry, { workerData, env: {}, execArgv: [] })
}

function shuttingDown(): AppError {
  return new AppError('shutting_down', 'the database is closed')
}
