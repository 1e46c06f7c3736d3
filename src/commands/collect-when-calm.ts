// Collects garbage while the service is calm: V8 would keep what the start and a load left until memory runs short.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** The delay after the start, and the interval of later looks. */
const startMs = 500
const lookMs = 10_000
/** The start is collected only if the event loop was less busy than this. */
const maxUtilization = 0.25

/** An interval up to this is calm: after a load the index over threads takes a tenth of the time, for minutes. */
const maxCalm = 0.15
/** Busy intervals in a row with this much work are a load. After less it costs too much: 500 turns take 1.5 times as long. */
const minLoadMs = 5_000
/** A collection stops the event loop, on a slow core for 160 ms if 58 MiB are in use. After a load most of a heap is not. */
const maxHeapBytes = 128 * 2 ** 20
const minFreedBytes = 8 * 2 ** 20
/** The time between two collections: loads that come and go would pay again and again. */
const minPauseMs = 5 * 60_000

type Load = { readonly active: number; readonly utilization: number }
type Heap = { readonly used: number; readonly total: number }
type Look = { readonly loadMs: number; readonly collects: boolean }

/** The state that decides about a collection, beside the load: the last one's time and heap, and the running turns. */
type State = { readonly kept: number; readonly sinceMs: number; readonly running: number }

/** The decision at the end of an interval: `loadMs` is the work of the busy intervals before it. Pure. */
export function lookAt(loadMs: number, interval: Load, heap: Heap, { kept, sinceMs, running }: State): Look {
  if (interval.utilization > maxCalm) return { loadMs: loadMs + interval.active, collects: false }
  if (loadMs < minLoadMs || heap.total - kept < minFreedBytes) return { loadMs: 0, collects: false }
  // Else later: no turn should wait for it, and V8 itself may free enough meanwhile.
  const collects = running === 0 && sinceMs >= minPauseMs && heap.used <= maxHeapBytes
  return { loadMs: collects ? 0 : loadMs, collects }
}

/** Collects once after the start, and once after each load. */
export function collectWhenCalm(running: () => number): void {
  const begun = performance.eventLoopUtilization()
  let looked = begun
  let loadMs = 0
  let kept = 0
  let collectedAt = -Infinity
  async function collectNow(): Promise<void> {
    await collect()
    kept = readHeap().used
  }
  setTimeout(() => {
    if (performance.eventLoopUtilization(begun).utilization <= maxUtilization) void collectNow()
    looked = performance.eventLoopUtilization()
  }, startMs).unref()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const state = { kept, sinceMs: performance.now() - collectedAt, running: running() }
    const look = lookAt(loadMs, performance.eventLoopUtilization(now, looked), readHeap(), state)
    looked = now
    loadMs = look.loadMs
    if (!look.collects) return
    collectedAt = performance.now()
    void collectNow()
  }, lookMs).unref()
}

/** Not by `process.memoryUsage`: it reads a file, which throws while this process may open no other. */
function readHeap(): Heap {
  const { used_heap_size: used, total_heap_size: total } = getHeapStatistics()
  return { used, total }
}

/** The last resort also drops compiled code. A regular collection costs the next turns a third, and frees no page of the heap. */
async function collect(): Promise<void> {
  const { runInNewContext } = await import('node:vm')
  // Set only for a moment, and not by the launcher: with this flag V8 rejects its compile cache.
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
