// Reads PDFs in worker threads, which are loaded with the first PDF.
import type { ReadPdf } from '#core/pdf.ts'
import type { RunJob } from '#tools/worker.ts'

/** For one PDF. Its sender waits. */
const deadlineMs = 30_000

export function createReadPdf(): ReadPdf {
  let runner: Promise<RunJob> | undefined
  return async (bytes, signal) => {
    runner ??= import('#tools/worker.ts').then(({ createJobRunner }) => createJobRunner({ deadlineMs }))
    return (await runner)({ type: 'pdf', bytes }, signal)
  }
}
