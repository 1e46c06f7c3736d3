// The entry of a worker thread: runs one job, then ends. A hostile page or pattern slows this thread, not the service.
import { parentPort, workerData } from 'node:worker_threads'
import type { Job } from './job.ts'
import { resultOf } from './job-result.ts'

// oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(await resultOf(workerData as Job))
