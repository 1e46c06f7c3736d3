// Reads PDFs for senders of messages, one at a time for each user. Its code is loaded with the first PDF.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { PdfText, ReadPdf } from '#core/pdf.ts'
import { loadOnce } from '#lib/load-once.ts'
import { createSemaphores } from '#lib/semaphore.ts'
import type { RunJob } from '#tools/worker.ts'

/** For one PDF. Its sender waits. */
const deadlineMs = 30_000
/** PDFs of one user that wait for an earlier one. */
const maxWaiting = 10

/** Another `load` is for tests. */
export function createReadPdf(load = loadRunner): ReadPdf {
  const runner = loadOnce(load)
  const readers = createSemaphores<UserId>(1)

  async function read(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText> {
    return (await runner())({ type: 'pdf', bytes }, signal)
  }

  return async (bytes, signal, user) => {
    if (user === undefined) return read(bytes, signal)
    if (readers.waiting(user) >= maxWaiting) {
      throw new AppError('overloaded', `${maxWaiting} of your PDFs wait to be read already: try again in a moment`)
    }
    const release = await readers.take(user, signal)
    try {
      return await read(bytes, signal)
    } finally {
      release()
    }
  }
}

async function loadRunner(): Promise<RunJob> {
  return (await import('#tools/worker.ts')).createJobRunner({ deadlineMs })
}
