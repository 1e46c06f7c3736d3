// Work that others can make slow or large, done in a thread of its own with a deadline and a bound on its memory.
import { AppError } from '#core/errors.ts'
import { withDeadline } from '#lib/deadline.ts'
import { inCheckout } from '#lib/checkout.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { Page } from '#tools/web/page.ts'
import type { Search } from '#tools/workspace/search.ts'

export type PageJob = { readonly type: 'page'; readonly html: string; readonly url: string }
export type PdfJob = { readonly type: 'pdf'; readonly bytes: Uint8Array }
export type SearchJob = { readonly type: 'search' } & Search
export type Job = PageJob | PdfJob | SearchJob

export type Done = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }

/** Does a job. Throws tool_refused with the reason when it cannot be done. */
export interface Work {
  (job: PageJob | PdfJob, signal: AbortSignal): Promise<Page>
  (job: SearchJob, signal: AbortSignal): Promise<string>
}

const defaultDeadlineMs = 15_000
const maxMemoryMb = 256
const maxWorkers = 4
const maxWaiting = 200

export function createWork({ deadlineMs = defaultDeadlineMs } = {}): Work {
  const threads = createSemaphore(maxWorkers)

  return async (job: Job, signal: AbortSignal): Promise<never> => {
    if (threads.waiting >= maxWaiting) throw new AppError('tool_refused', 'too much of this is under way: try again')
    const release = await threads.take(signal)
    try {
      const done = await withDeadline(deadlineMs, signal, (either) => inWorker(job, either))
      if (!done.ok) throw new AppError('tool_refused', done.message)
      // Each kind of job has its own value; the worker is ours.
      return done.value as never
    } finally {
      release()
    }
  }
}

async function inWorker(job: Job, signal: AbortSignal): Promise<Done> {
  const { Worker } = await import('node:worker_threads')
  signal.throwIfAborted()
  const worker = new Worker(inCheckout('src', 'tools', 'worker-thread.ts'), {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  })
  const { promise, resolve } = Promise.withResolvers<Done>()
  const late = (): void => resolve({ ok: false, message: 'it took too long and was given up' })
  signal.addEventListener('abort', late, { once: true })
  worker.once('message', resolve)
  worker.once('error', (error: Error) => resolve({ ok: false, message: error.message }))
  worker.once('exit', () => resolve({ ok: false, message: 'it broke off' }))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', late)
    await worker.terminate()
  }
}
