// Runs a job in a worker thread, whose JavaScript heap is limited.
import { Worker } from 'node:worker_threads'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import type { Job, JobResult } from './job.ts'

const maxHeapMb = 256

export async function runInThread(job: Job, signal: AbortSignal): Promise<JobResult> {
  signal.throwIfAborted()
  const worker = new Worker(inBundle('worker-thread.mjs') ?? inCheckout('src', 'tools', 'worker-thread.ts'), {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
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
