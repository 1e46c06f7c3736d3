// Runs a job in a process of its own, whose memory is limited as a whole.
import { fork } from 'node:child_process'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { hasPipes, pipeFault } from '#lib/pipes.ts'
import type { Job, JobResult } from './job.ts'

export type ProcessBounds = { readonly maxMemoryMb: number; readonly signal: AbortSignal }

/** The process has ended when this returns. */
export async function runInProcess(job: Job, { maxMemoryMb, signal }: ProcessBounds): Promise<JobResult> {
  signal.throwIfAborted()
  const script = inBundle('worker-process.mjs') ?? inCheckout('src', 'tools', 'worker-process.ts')
  const child = fork(script, [String(maxMemoryMb)], {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  if (!hasPipes(child)) return { ok: false, message: pipeFault }
  const { promise, resolve } = Promise.withResolvers<JobResult>()
  const ended = Promise.withResolvers<void>()
  const abort = (): void => resolve({ ok: false, message: 'it took too long and was stopped' })
  signal.addEventListener('abort', abort, { once: true })
  child.once('message', (result) => resolve(result as JobResult))
  child.once('error', (error) => {
    resolve({ ok: false, message: error.message })
    if (child.pid === undefined) ended.resolve()
  })
  child.once('exit', (_code, ending) => {
    // Its own end, or the system's when memory is short.
    const why = ending === 'SIGKILL' ? `it needs more than ${maxMemoryMb} MB of memory` : 'its process ended early'
    resolve({ ok: false, message: why })
    ended.resolve()
  })
  // A process that has ended already is told by its exit.
  child.send(job, () => {})
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await ended.promise
  }
}
