// The entry of a process that runs one job in a thread and ends itself when it has too much memory. The limit of a thread
// counts its JavaScript heap alone, and a PDF's streams are decoded outside of it. The first thread stays free to look.
import { runInThread } from './in-thread.ts'
import type { Job } from './job.ts'

const checkMs = 20
const maxBytes = Number(process.argv[2]) * 1024 * 1024

/** At once, whatever the other thread does. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

function checkMemory(): void {
  if (process.memoryUsage.rss() > maxBytes) end()
}

// The service has ended.
process.once('disconnect', end)
process.once('message', (job: Job) => {
  checkMemory()
  setInterval(checkMemory, checkMs)
  void runInThread(job, new AbortController().signal).then((result) => process.send?.(result))
})
