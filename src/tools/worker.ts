// Runs jobs on untrusted input, each with a deadline and a memory limit: PDFs in processes, others in worker threads.
import { AppError } from '#core/errors.ts'
import type { PdfText } from '#core/pdf.ts'
import { withDeadline } from '#lib/deadline.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { Page } from '#tools/web/page.ts'
import type { Job, JobResult, PageJob, PdfJob, SearchJob } from './job.ts'

/** Runs a job. Throws tool_refused with the reason if the job fails, overloaded when too many wait. */
export interface RunJob {
  (job: PageJob, signal: AbortSignal): Promise<Page>
  (job: PdfJob, signal: AbortSignal): Promise<PdfText>
  (job: SearchJob, signal: AbortSignal): Promise<string>
}

const defaultDeadlineMs = 15_000
const maxThreads = 4
/** Processes for PDFs, and the memory of each as a whole. */
const maxProcesses = 2
const defaultPdfMb = 400
const maxWaiting = 200

export function createJobRunner({ deadlineMs = defaultDeadlineMs, maxPdfMb = defaultPdfMb } = {}): RunJob {
  const threads = createSemaphore(maxThreads)
  const processes = createSemaphore(maxProcesses)

  async function start(job: Job, signal: AbortSignal): Promise<JobResult> {
    if (job.type !== 'pdf') return (await import('./in-thread.ts')).runInThread(job, signal)
    return (await import('./in-process.ts')).runInProcess(job, { maxMemoryMb: maxPdfMb, signal })
  }

  return async (job: Job, signal: AbortSignal): Promise<never> => {
    const room = job.type === 'pdf' ? processes : threads
    if (room.waiting >= maxWaiting)
      throw new AppError('overloaded', 'too many pages, PDFs and searches are waiting: try again in a moment')
    const release = await room.take(signal)
    try {
      const result = await withDeadline(deadlineMs, signal, (either) => start(job, either))
      if (!result.ok) throw new AppError('tool_refused', result.message)
      // The worker returns the type that `RunJob` states for each kind of job.
      return result.value as never
    } finally {
      release()
    }
  }
}
