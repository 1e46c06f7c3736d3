// Collects garbage while the service is calm: V8 would keep what the start and a load left until memory runs short.

/** The delay after the start, and the interval of later looks. */
const startMs = 500
const lookMs = 10_000
/** The start is collected only if the event loop was less busy than this. */
const maxUtilization = 0.25

type Load = { readonly active: number; readonly utilization: number }

/** True once the service is calm behind a load: `since` is all of it since the last collection, `now` the last interval. */
export function isCalmBehindLoad(since: Load, now: Load): boolean {
  // A collection takes some 40 ms.
  const [minLoadMs, maxCalm] = [1_000, 0.02]
  return since.active - now.active >= minLoadMs && now.utilization <= maxCalm
}

/** Collects once behind the start, and once behind each load. */
export function collectWhenCalm(): void {
  let collected = performance.eventLoopUtilization()
  let looked = collected
  setTimeout(() => {
    // This one also drops code that only the start used; behind a load it would drop what the next turns need.
    if (performance.eventLoopUtilization(collected).utilization <= maxUtilization) void collect('last-resort')
    collected = performance.eventLoopUtilization()
  }, startMs).unref()
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    if (
      isCalmBehindLoad(performance.eventLoopUtilization(now, collected), performance.eventLoopUtilization(now, looked))
    ) {
      void collect('regular')
      collected = now
    }
    looked = now
  }, lookMs).unref()
}

async function collect(flavor: 'regular' | 'last-resort'): Promise<void> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import('node:v8'), import('node:vm')])
  // Set only for a moment, and not by the launcher: with this flag V8 rejects its compile cache.
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  setFlagsFromString('--no-expose-gc')
  gc({ type: 'major', execution: 'sync', flavor })
}
