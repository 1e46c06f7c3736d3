// Runs jobs on untrusted input in worker threads, each with a deadline and a memory limit.
import { AppError } from '#core/errors.ts'
import type { PdfText } from '#core/pdf.ts'
import { withDeadline } from '#lib/deadline.ts'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { Page } from '#tools/web/page.ts'
import type { Search } from '#tools/workspace/search.ts'

export type PageJob = { readonly type: 'page'; readonly html: string; readonly url: string }
export type PdfJob = { readonly type: 'pdf'; readonly bytes: Uint8Array }
export type SearchJob = { readonly type: 'search' } & Search
export type Job = PageJob | PdfJob | SearchJob

export type JobResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

/** Runs a job. Throws tool_refused with the reason if the job fails, overloaded when too many wait. */
export interface RunJob {
  (job: PageJob, signal: AbortSignal): Promise<Page>
  (job: PdfJob, signal: AbortSignal): Promise<PdfText>
  (job: SearchJob, signal: AbortSignal): Promise<string>
}

const defaultDeadlineMs = 15_000
const maxMemoryMb = 256
const maxWorkers = 4
const maxWaiting = 200

export function createJobRunner({ deadlineMs = defaultDeadlineMs } = {}): RunJob {
  const threads = createSemaphore(maxWorkers)

  return async (job: Job, signal: AbortSignal): Promise<never> => {
    if (threads.waiting >= maxWaiting)
      throw new AppError('overloaded', 'too many pages, PDFs and searches are waiting: try again in a moment')
    const release = await threads.take(signal)
    try {
      const result = await withDeadline(deadlineMs, signal, (either) => inWorker(job, either))
      if (!result.ok) throw new AppError('tool_refused', result.message)
      // The worker thread returns the type that `RunJob` states for each kind of job.
      return result.value as never
    } finally {
      release()
    }
  }
}

async function inWorker(job: Job, signal: AbortSignal): Promise<JobResult> {
  const { Worker } = await import('node:worker_threads')
  signal.throwIfAborted()
  const worker = new Worker(inBundle('worker-thread.mjs') ?? inCheckout('src', 'tools', 'worker-thread.ts'), {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  })
  const { promise, resolve } = Promise.withResolvers<JobResult>()
  const abort = (): void => resolve({ ok: false, message: 'it took too long and was stopped' })
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', resolve)
  worker.once('error', (error: Error) => resolve({ ok: false, message: error.message }))
  worker.once('exit', () => resolve({ ok: false, message: 'its worker ended without a result' }))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
