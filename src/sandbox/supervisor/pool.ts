// The few live processes of all tools. A call takes an idle process of its tool, else a free place, else the place of
// an idle process of another tool; beyond that calls wait their turn.
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { idleStopMs, maxCpuMs, maxWaitMs } from '#sandbox/child/limits.ts'
import { within } from '#lib/deadline.ts'
import { nobody } from '#sandbox/confine.ts'
import { type Finished, type Job, startProcess, type ToolProcess } from './process.ts'

export interface ToolPool {
  /** Runs a job in a process of the tool whose code lies in `folder`. */
  run(folder: string, job: Job): Promise<Finished>
  /** Stops idle processes of a tool that was removed or replaced. */
  forget(folder: string): void
  /** The folders of the live processes, with what they do. */
  live(): readonly { folder: string; busy: boolean; pid: number | undefined }[]
  close(): Promise<void>
}

export type PoolParts = {
  readonly script: string
  readonly maxProcesses: number
  readonly idleMs?: number
  /** How many calls may wait; more are refused rather than piled up. */
  readonly maxWaiting?: number
  /** Only tests give these. */
  readonly waitMs?: number
  readonly recycleCpuMs?: number
}

type Place = {
  readonly folder: string
  readonly process: ToolProcess
  busy: boolean
  /** When its first call was over, or it was last the choice of the longest waiting call. Its start does not count. */
  since: number
  idle?: NodeJS.Timeout
}
type Waiting = {
  readonly folder: string
  readonly start: (place: Place) => void
  readonly fail: (fault: ToolFault) => void
}

/**
 * How long a process may go on with the calls of its own tool while those of others wait. Starting another costs some
 * 100 ms: to change with every call would be nothing but starting.
 */
const tenureMs = 500
const defaultMaxWaiting = 1_000

export function createToolPool({
  script,
  maxProcesses,
  idleMs = idleStopMs,
  maxWaiting = defaultMaxWaiting,
  waitMs = maxWaitMs,
  recycleCpuMs = maxCpuMs,
}: PoolParts): ToolPool {
  const places = new Set<Place>()
  let queue: Waiting[] = []
  let open = true

  function drop(place: Place): void {
    clearTimeout(place.idle)
    place.process.stop()
    places.delete(place)
  }

  function begin(folder: string): Place {
    const root = process.getuid?.() === 0
    const place: Place = {
      folder,
      process: startProcess({ script, folder, ...(root && { uid: nobody }) }),
      busy: true,
      since: Number.POSITIVE_INFINITY,
    }
    places.add(place)
    return place
  }

  /** The tools that have all the places one tool may have: one whose calls never end leaves a place to the others. */
  function sated(): Set<string> {
    const busy = [...places].filter((each) => each.busy).map(({ folder }) => folder)
    const share = Math.max(1, maxProcesses - 1)
    return new Set(busy.filter((folder) => busy.filter((each) => each === folder).length >= share))
  }

  /** A process for this tool right now, or undefined when all places are busy. */
  function take(folder: string): Place | undefined {
    if (sated().has(folder)) return undefined
    for (const place of places) if (!place.busy && !place.process.alive) drop(place)
    const idle = [...places].filter(({ busy }) => !busy)
    const own = idle.find((place) => place.folder === folder)
    if (own) {
      clearTimeout(own.idle)
      own.busy = true
      if (performance.now() - own.since > tenureMs) own.since = performance.now()
      return own
    }
    const [other] = idle.toSorted((a, b) => a.since - b.since)
    if (places.size >= maxProcesses && !other) return undefined
    if (places.size >= maxProcesses && other) drop(other)
    return begin(folder)
  }

  function giveBack(place: Place): void {
    place.busy = false
    place.since = Math.min(place.since, performance.now())
    if (!open || !place.process.alive || place.process.cpuMs > recycleCpuMs) drop(place)
    else {
      place.idle = setTimeout(() => drop(place), idleMs)
      place.idle.unref()
    }
    serve()
  }

  function serve(): void {
    while (queue.length > 0) {
      const full = sated()
      const ready = queue.filter(({ folder }) => !full.has(folder))
      const next = chooseNext(ready, [...places], performance.now())
      const place = next && take(next.folder)
      if (!next || !place) return
      queue = queue.filter((each) => each !== next)
      next.start(place)
    }
  }

  function place(folder: string, signal: AbortSignal | undefined): Promise<Place> {
    const free = queue.length === 0 ? take(folder) : undefined
    if (free) return Promise.resolve(free)
    if (queue.length >= maxWaiting) {
      return Promise.reject(
        new ToolFault('sandbox_unavailable', `${maxWaiting} tool calls are waiting already; try later`),
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<Place>()
    const entry: Waiting = { folder, start: resolve, fail: reject }
    const leave = (fault: ToolFault): void => {
      // One that has its place by now must take it, or nobody ever gives it back.
      if (!queue.includes(entry)) return
      queue = queue.filter((each) => each !== entry)
      reject(fault)
    }
    const abort = (): void => leave(new ToolFault('crashed', 'the call was cancelled'))
    queue.push(entry)
    signal?.addEventListener('abort', abort, { once: true })
    serve()
    const late = (): Promise<Place> => {
      leave(new ToolFault('sandbox_unavailable', `no tool process was free within ${waitMs / 1_000} s; try later`))
      return promise
    }
    return within(waitMs, promise, late).finally(() => signal?.removeEventListener('abort', abort))
  }

  return {
    async run(folder, job) {
      if (!open) throw new ToolFault('sandbox_unavailable', 'the service is shutting down')
      job.signal?.throwIfAborted()
      const taken = await place(folder, job.signal)
      try {
        return await taken.process.run(job)
      } finally {
        giveBack(taken)
      }
    },
    forget(folder) {
      for (const each of places) if (each.folder === folder && !each.busy) drop(each)
    },
    live: () => [...places].map(({ folder, busy, process: { pid } }) => ({ folder, busy, pid })),
    close() {
      open = false
      for (const { fail } of queue) fail(new ToolFault('sandbox_unavailable', 'the service is shutting down'))
      queue = []
      for (const each of places) drop(each)
      return Promise.resolve()
    },
  }
}

/**
 * An idle process goes on with a call of its own tool for its tenure, then a tool without any process comes first. When
 * every waiting tool has one, starting another for the longest waiting call would only put one of them out.
 */
export function chooseNext<T extends { folder: string }>(
  queue: readonly T[],
  places: readonly { folder: string; busy: boolean; since: number }[],
  now: number,
): T | undefined {
  const idle = places.filter(({ busy }) => !busy)
  const waitingFor = (at: readonly { folder: string }[]): T | undefined =>
    queue.find((each) => at.some(({ folder }) => folder === each.folder))
  const inTenure = waitingFor(idle.filter(({ since }) => now - since <= tenureMs))
  const without = queue.find((each) => !places.some(({ folder }) => folder === each.folder))
  return inTenure ?? without ?? waitingFor(idle) ?? queue[0]
}
