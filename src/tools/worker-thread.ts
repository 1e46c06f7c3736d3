// The entry of a worker thread: runs one job, then ends. A hostile page or pattern slows this thread, not the service.
import { parentPort, workerData } from 'node:worker_threads'
import { search } from '#tools/workspace/search.ts'
import type { Job, JobResult } from './job.ts'
import { readPage } from '#tools/web/page.ts'
import { readPdf } from '#tools/web/pdf.ts'

async function resultOf(job: Job): Promise<JobResult> {
  try {
    return { ok: true, value: await run(job) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function run(job: Job): Promise<unknown> {
  switch (job.type) {
    case 'page':
      return readPage(job.html, job.url)
    case 'pdf':
      return readPdf(job.bytes)
    case 'search':
      return search(job)
    default:
      return job satisfies never
  }
}

// oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(await resultOf(workerData as Job))
