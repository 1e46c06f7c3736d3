// The pool of tool processes, shared by all tools. A call takes an idle process of its tool, else starts one in a free
// slot, else replaces an idle process of another tool, else waits in the queue.
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { idleStopMs, maxWaitMs, recycleAfterCpuMs } from '#sandbox/child/limits.ts'
import { within } from '#lib/deadline.ts'
import type { Result } from '#sandbox/child/guest.ts'
import { nobodyUid } from '#sandbox/confine.ts'
import { type Job, startProcess, type ToolProcess } from './process.ts'

export interface ToolPool {
  /** Runs a job in a process of the tool whose code is in `folder`. */
  run(folder: string, job: Job): Promise<Result>
  /** The live processes, by the folder of their tool. */
  live(): readonly { folder: string; pid: number | undefined }[]
  close(): Promise<void>
}

export type PoolParts = {
  readonly script: string
  readonly maxProcesses: number
  readonly idleMs?: number
  /** Longest queue; further calls are refused. */
  readonly maxWaiting?: number
  /** Only tests set these. */
  readonly waitMs?: number
  readonly recycleCpuMs?: number
}

type Slot = {
  readonly folder: string
  readonly process: ToolProcess
  busy: boolean
  /** Start of the tenure: the end of the first call, then the first call after each tenure. Infinity before the first. */
  since: number
  idle?: NodeJS.Timeout
}
type QueuedCall = {
  readonly folder: string
  readonly start: (slot: Slot) => void
  readonly fail: (fault: ToolFault) => void
}

/**
 * How long a process goes on with the queued calls of its own tool while other tools wait. Starting a process costs about
 * 100 ms: replacing one after every call would waste most of the time.
 */
const tenureMs = 500
const defaultMaxWaiting = 1_000

export function createToolPool({
  script,
  maxProcesses,
  idleMs = idleStopMs,
  maxWaiting = defaultMaxWaiting,
  waitMs = maxWaitMs,
  recycleCpuMs = recycleAfterCpuMs,
}: PoolParts): ToolPool {
  const slots = new Set<Slot>()
  let queue: QueuedCall[] = []
  let open = true

  function drop(slot: Slot): void {
    clearTimeout(slot.idle)
    slot.process.stop()
    slots.delete(slot)
  }

  function startSlot(folder: string): Slot {
    const root = process.getuid?.() === 0
    const slot: Slot = {
      folder,
      process: startProcess({ script, folder, ...(root && { uid: nobodyUid }) }),
      busy: true,
      since: Number.POSITIVE_INFINITY,
    }
    slots.add(slot)
    return slot
  }

  /** The tools that use all slots one tool may use: one slot is left for the others when calls of a tool never end. */
  function saturatedTools(): Set<string> {
    const busy = [...slots].filter((each) => each.busy).map(({ folder }) => folder)
    const share = Math.max(1, maxProcesses - 1)
    return new Set(busy.filter((folder) => busy.filter((each) => each === folder).length >= share))
  }

  /** A slot for this tool right now, or undefined when there is none. */
  function takeSlot(folder: string): Slot | undefined {
    if (saturatedTools().has(folder)) return undefined
    for (const slot of slots) if (!slot.busy && !slot.process.alive) drop(slot)
    const idle = [...slots].filter(({ busy }) => !busy)
    const own = idle.find((slot) => slot.folder === folder)
    if (own) {
      clearTimeout(own.idle)
      own.busy = true
      if (performance.now() - own.since > tenureMs) own.since = performance.now()
      return own
    }
    const [other] = idle.toSorted((a, b) => a.since - b.since)
    if (slots.size >= maxProcesses && !other) return undefined
    if (slots.size >= maxProcesses && other) drop(other)
    return startSlot(folder)
  }

  function releaseSlot(slot: Slot): void {
    slot.busy = false
    slot.since = Math.min(slot.since, performance.now())
    if (!open || !slot.process.alive || slot.process.cpuMs > recycleCpuMs) drop(slot)
    else {
      slot.idle = setTimeout(() => drop(slot), idleMs)
      slot.idle.unref()
    }
    serveQueue()
  }

  function serveQueue(): void {
    while (queue.length > 0) {
      const saturated = saturatedTools()
      const ready = queue.filter(({ folder }) => !saturated.has(folder))
      const next = chooseNext(ready, [...slots], performance.now())
      const slot = next && takeSlot(next.folder)
      if (!next || !slot) return
      queue = queue.filter((each) => each !== next)
      next.start(slot)
    }
  }

  function waitForSlot(folder: string, signal: AbortSignal | undefined): Promise<Slot> {
    const free = queue.length === 0 ? takeSlot(folder) : undefined
    if (free) return Promise.resolve(free)
    if (queue.length >= maxWaiting) {
      return Promise.reject(
        new ToolFault('sandbox_unavailable', `${maxWaiting} tool calls are waiting already; try later`),
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const entry: QueuedCall = { folder, start: resolve, fail: reject }
    const leave = (fault: ToolFault): void => {
      // A call that already got its slot must use it, or the slot would never be released.
      if (!queue.includes(entry)) return
      queue = queue.filter((each) => each !== entry)
      reject(fault)
    }
    const abort = (): void => leave(new ToolFault('crashed', 'the call was cancelled'))
    queue.push(entry)
    signal?.addEventListener('abort', abort, { once: true })
    serveQueue()
    const late = (): Promise<Slot> => {
      leave(new ToolFault('sandbox_unavailable', `no tool process was free within ${waitMs / 1_000} s; try later`))
      return promise
    }
    return within(waitMs, promise, late).finally(() => signal?.removeEventListener('abort', abort))
  }

  return {
    async run(folder, job) {
      if (!open) throw new ToolFault('sandbox_unavailable', 'the service is shutting down')
      job.signal?.throwIfAborted()
      const slot = await waitForSlot(folder, job.signal)
      try {
        return await slot.process.run(job)
      } finally {
        releaseSlot(slot)
      }
    },
    live: () => [...slots].map(({ folder, process: { pid } }) => ({ folder, pid })),
    close() {
      open = false
      for (const { fail } of queue) fail(new ToolFault('sandbox_unavailable', 'the service is shutting down'))
      queue = []
      for (const each of slots) drop(each)
      return Promise.resolve()
    },
  }
}

/**
 * The next queued call to serve: one whose tool has an idle process in its tenure, else one whose tool has no process,
 * else one whose tool has an idle process, because replacing that one would gain nothing, else the longest waiting.
 */
export function chooseNext<T extends { folder: string }>(
  queue: readonly T[],
  slots: readonly { folder: string; busy: boolean; since: number }[],
  now: number,
): T | undefined {
  const idle = slots.filter(({ busy }) => !busy)
  const firstCallFor = (processes: readonly { folder: string }[]): T | undefined =>
    queue.find((each) => processes.some(({ folder }) => folder === each.folder))
  const inTenure = firstCallFor(idle.filter(({ since }) => now - since <= tenureMs))
  const withoutProcess = queue.find((each) => !slots.some(({ folder }) => folder === each.folder))
  return inTenure ?? withoutProcess ?? firstCallFor(idle) ?? queue[0]
}
