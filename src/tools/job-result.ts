// Runs one job here and now, in whatever thread this is.
import { errorMessage } from '#core/errors.ts'
import { search } from '#tools/workspace/search.ts'
import { readPage } from '#tools/web/page.ts'
import { readPdf } from '#tools/web/pdf.ts'
import type { Job, JobResult } from './job.ts'

/** What comes of a job. Untrusted input can make it take for ever: the service calls it in a thread of its own. */
export async function resultOf(job: Job): Promise<JobResult> {
  try {
    return { ok: true, value: await run(job) }
  } catch (error) {
    return { ok: false, message: errorMessage(error) }
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
