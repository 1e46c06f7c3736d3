// One live process of a tool: started with the fewest rights that run it, given one call at a time, killed when it is
// late, floods, or lies.
import { dirname } from 'node:path'
import { within } from '#lib/deadline.ts'
import { type Confined, spawnConfined } from '#sandbox/confine.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'
import { createFrameReader, encodeFrame, type Frame } from '#sandbox/child/frames.ts'
import type { LogLine, Result, Work } from '#sandbox/child/guest.ts'
import { checkDone, type Done, type HostCall, readHostCall, readLogs } from './messages.ts'
import {
  maxCallBytes,
  maxCallFrames,
  maxCpuSecs,
  maxFrameBytes,
  maxLogLines,
  maxMemoryPages,
  maxProcessMib,
  maxTableEntries,
} from '#sandbox/child/limits.ts'

/** Answers what a guest asks of the host. The head goes back as it is, the body as raw bytes. */
export type Host = (call: HostCall, signal: AbortSignal) => Promise<{ head: object; body?: Uint8Array }>

export type Job = {
  readonly work: Work
  readonly host: Host
  /** Where the guest's lines go as they come: they are there even when the call is killed. */
  readonly logs: LogLine[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

export type Finished = { readonly result: Result }

export interface ToolProcess {
  /** Runs one job; another may only be given once it has settled. A fault that ends the process is thrown. */
  run(job: Job): Promise<Finished>
  /** False once the process is gone or about to be. */
  readonly alive: boolean
  /** CPU it has used, as it says itself. */
  readonly cpuMs: number
  readonly pid: number | undefined
  stop(): void
}

export type ProcessParts = {
  /** The child's entry, from prepareRuntime. */
  readonly script: string
  /** The installed tool's code. */
  readonly folder: string
  /** Another user to become, when this process is root. */
  readonly uid?: number
}

/** Starts a process for a tool. It is ready when its first job says so. */
export function startProcess(parts: ProcessParts): ToolProcess {
  const child = spawnChild(parts)
  let alive = true
  let cpuMs = 0
  let current: Running | undefined

  const end = (): void => {
    alive = false
    child.kill('SIGKILL')
  }
  const fail: Fail = (code, message, cause) => {
    end()
    current?.reject(new ToolFault(code, message, { cause }))
  }
  const read = createFrameReader(maxFrameBytes, (frame) => {
    try {
      current?.onFrame(frame)
    } catch (error) {
      fail('flood', `the tool's process sent something out of order and was stopped: ${String(error)}`)
    }
  })
  child.stdout.on('data', (chunk: Buffer) => {
    // Between two jobs a process has nothing to say.
    if (!current) return end()
    try {
      current.count(chunk.length)
      if (alive) read(chunk)
    } catch (error) {
      fail('flood', `the tool's process sent too much and was stopped: ${String(error)}`)
    }
  })
  child.on('error', (error) => fail('sandbox_unavailable', `a tool process could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    alive = false
    current?.reject(deathOf(code, signal))
  })
  for (const stream of [child.stdin, child.stdout]) stream.on('error', () => {})

  return {
    get alive() {
      return alive
    },
    get cpuMs() {
      return cpuMs
    },
    pid: child.pid,
    stop: end,
    async run(job) {
      if (!alive || current) throw new ToolFault('crashed', 'the tool process is not free')
      if (job.signal?.aborted) throw new ToolFault('crashed', 'the call was cancelled')
      const running = watch(job, { child, fail })
      current = running
      try {
        const done = await within(job.deadlineMs, running.done, () => {
          fail('time_limit', `the tool did not finish within ${job.deadlineMs / 1_000} s and was stopped`)
          return running.done
        })
        cpuMs = done.cpuMs
        return { result: done.result }
      } finally {
        running.release()
        current = undefined
      }
    },
  }
}

type Fail = (code: ToolFaultCode, message: string, cause?: unknown) => void

type Running = {
  readonly done: Promise<Done>
  reject(fault: ToolFault): void
  count(bytes: number): void
  onFrame(frame: Frame): void
  release(): void
}

/** One job on its way: counts what comes, answers what is asked, keeps the deadline. */
function watch(job: Job, { child, fail }: { child: Confined; fail: Fail }): Running {
  const { promise, resolve, reject } = Promise.withResolvers<Done>()
  const stop = new AbortController()
  let bytes = 0
  let frames = 0
  const abort = (): void => fail('crashed', 'the call was cancelled')
  job.signal?.addEventListener('abort', abort, { once: true })
  child.stdin.write(encodeFrame({ type: 'call', work: job.work }))
  let asking = false
  const answer = async (call: HostCall): Promise<void> => {
    const { head, body } = await job.host(call, stop.signal)
    if (stop.signal.aborted) return
    child.stdin.write(encodeFrame({ ...head, type: 'answer', id: call.id }, body), () => {
      asking = false
    })
  }
  const keep = (lines: readonly LogLine[]): void => {
    job.logs.push(...lines.slice(0, maxLogLines - job.logs.length))
  }
  return {
    done: promise,
    reject,
    count(length) {
      bytes += length
      if (bytes > maxCallBytes) throw new Error(`more than ${maxCallBytes} bytes in one call`)
    },
    onFrame({ head, body }) {
      if (++frames > maxCallFrames) throw new Error(`more than ${maxCallFrames} messages in one call`)
      const call = readHostCall(head, body)
      if (call) {
        // A guest waits for each answer. Only a process that lies asks on, to have the service pile up what it fetches.
        if (asking) throw new Error('a question before the last answer was taken')
        asking = true
        answer(call).catch((error: unknown) =>
          fail('sandbox_unavailable', 'the service could not answer the tool; its log says more', error),
        )
        return
      }
      const lines = readLogs(head)
      if (lines) return keep(lines)
      const done = checkDone(head)
      if (!done) return
      keep(done.logs)
      resolve(done)
    },
    release() {
      job.signal?.removeEventListener('abort', abort)
      stop.abort()
    },
  }
}

function spawnChild({ script, folder, uid }: ProcessParts): Confined {
  return spawnConfined({
    script,
    args: [folder, String(uid ?? '')],
    reads: [`${dirname(script)}/*`, `${folder}/*`],
    flags: [
      '--disable-sigusr1',
      '--disallow-code-generation-from-strings',
      `--wasm-max-mem-pages=${maxMemoryPages}`,
      `--wasm-max-table-size=${maxTableEntries}`,
      '--max-old-space-size=128',
    ],
    cpuSecs: maxCpuSecs,
    memoryMib: maxProcessMib,
    stderr: 'ignore',
  })
}

function deathOf(code: number | null, signal: NodeJS.Signals | null): ToolFault {
  // Out of heap ends in an abort; the guest's own memory is bounded, so this is what it made the host keep.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL' || code === 134 || code === 133) {
    return new ToolFault('memory_limit', 'the tool used more memory than it may and was stopped')
  }
  return new ToolFault('crashed', `the tool's process ended (${signal ?? `code ${code}`}) before it answered`)
}
