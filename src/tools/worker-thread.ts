// What a worker does: one job, then it ends. Whoever wrote a page or a pattern can make it slow, not the service.
import { parentPort, workerData } from 'node:worker_threads'
import { search } from '#tools/workspace/search.ts'
import type { Done, Job } from './worker.ts'
import { readPage } from '#tools/web/page.ts'
import { readPdf } from '#tools/web/pdf.ts'

async function answer(job: Job): Promise<Done> {
  try {
    return { ok: true, value: await work(job) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}

function work(job: Job): Promise<unknown> {
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

// oxlint-disable-next-line require-post-message-target-origin -- a port of a thread has none
parentPort?.postMessage(await answer(workerData as Job))
