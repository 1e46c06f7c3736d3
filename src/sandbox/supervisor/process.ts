// One live process of a tool: started with minimal rights, runs one job at a time, killed when it exceeds the deadline,
// sends too much, or breaks the protocol.
import { dirname } from 'node:path'
import { within } from '#lib/deadline.ts'
import { hasPipes, pipeFault } from '#lib/pipes.ts'
import { type ConfinedProcess, spawnConfined } from '#sandbox/confine.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'
import { createFrameReader, encodeFrame, type Frame } from '#sandbox/child/frames.ts'
import type { LogLine, Result, Work } from '#sandbox/child/guest.ts'
import { maxMemoryPages } from '#sandbox/package/modules.ts'
import { checkDone, type Done, type HostCall, readHostCall, readLogs } from './messages.ts'
import {
  maxCallBytes,
  maxCallFrames,
  maxCpuSecs,
  maxFrameBytes,
  maxLogLines,
  maxProcessMib,
  maxTableEntries,
} from '#sandbox/child/limits.ts'

/** Answers a guest's host call. The head is sent back as JSON, the body as raw bytes. */
export type Host = (call: HostCall, signal: AbortSignal) => Promise<{ head: object; body?: Uint8Array }>

export type Job = {
  readonly work: Work
  readonly host: Host
  /** Receives the guest's log lines as they arrive, so that a killed call keeps them. */
  readonly logs: LogLine[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

export interface ToolProcess {
  /** Runs one job. The next may start once this one has settled. Throws a fault when the process is killed or ends. */
  run(job: Job): Promise<Result>
  /** False once the process has ended or was killed. */
  readonly alive: boolean
  /** CPU used, as the process reports it. */
  readonly cpuMs: number
  readonly pid: number | undefined
  stop(): void
}

export type ProcessParts = {
  /** The child's entry, from prepareRuntime. */
  readonly script: string
  /** The installed tool's code. */
  readonly folder: string
  /** The user to switch to when the service runs as root. */
  readonly uid?: number
}

/** Starts a process for a tool. It takes a job at once and begins it when its code is loaded. */
export function startProcess(parts: ProcessParts): ToolProcess {
  const child = spawnChild(parts)
  if (!hasPipes(child)) return unstarted()
  let alive = true
  let cpuMs = 0
  let current: Running | undefined

  const kill = (): void => {
    alive = false
    child.kill('SIGKILL')
  }
  const fail: Fail = (code, message, cause) => {
    kill()
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
    // Output between two jobs breaks the protocol.
    if (!current) return kill()
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
    current?.reject(exitFault(code, signal))
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
    stop: kill,
    async run(job) {
      if (!alive || current) throw new ToolFault('crashed', 'the tool process is not free')
      if (job.signal?.aborted) throw new ToolFault('crashed', 'the call was cancelled')
      const running = startJob(job, { child, fail })
      current = running
      try {
        const done = await within(job.deadlineMs, running.done, () => {
          fail('time_limit', `the tool did not finish within ${job.deadlineMs / 1_000} s and was stopped`)
          return running.done
        })
        cpuMs = done.cpuMs
        return done.result
      } finally {
        running.release()
        current = undefined
      }
    },
  }
}

function unstarted(): ToolProcess {
  return {
    alive: false,
    cpuMs: 0,
    pid: undefined,
    stop() {},
    run: () =>
      Promise.reject(new ToolFault('sandbox_unavailable', `a tool process could not be started: ${pipeFault}`)),
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

/** Sends a job to the child, then counts its output and answers its host calls. */
function startJob(job: Job, { child, fail }: { child: ConfinedProcess; fail: Fail }): Running {
  const { promise, resolve, reject } = Promise.withResolvers<Done>()
  const stop = new AbortController()
  let bytes = 0
  let frames = 0
  const abort = (): void => fail('crashed', 'the call was cancelled')
  job.signal?.addEventListener('abort', abort, { once: true })
  child.stdin.write(encodeFrame({ type: 'call', work: job.work }))
  let answerPending = false
  const answer = async (call: HostCall): Promise<void> => {
    const { head, body } = await job.host(call, stop.signal)
    if (stop.signal.aborted) return
    child.stdin.write(encodeFrame({ ...head, type: 'answer', id: call.id }, body), () => {
      answerPending = false
    })
  }
  const addLogs = (lines: readonly LogLine[]): void => {
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
        // A guest waits for each answer. A process that does not could make the service buffer many answers at once.
        if (answerPending) throw new Error('a host call before the last answer was read')
        answerPending = true
        answer(call).catch((error: unknown) =>
          fail('sandbox_unavailable', 'the service could not answer the tool; its log says more', error),
        )
        return
      }
      const lines = readLogs(head)
      if (lines) return addLogs(lines)
      const done = checkDone(head)
      if (!done) return
      addLogs(done.logs)
      resolve(done)
    },
    release() {
      job.signal?.removeEventListener('abort', abort)
      stop.abort()
    },
  }
}

function spawnChild({ script, folder, uid }: ProcessParts): ConfinedProcess {
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

/** The fault of a call whose process ended. */
export function exitFault(code: number | null, signal: NodeJS.Signals | null): ToolFault {
  // Node aborts when its heap is full. The guest's own memory is bounded, so this is memory that it made its host use.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL' || code === 134 || code === 133) {
    return new ToolFault('memory_limit', 'the tool used more memory than it may and was stopped')
  }
  return new ToolFault('crashed', `the tool's process ended (${signal ?? `code ${code}`}) before it answered`)
}
