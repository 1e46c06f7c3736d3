// GET /metrics for Prometheus, and the metrics of the process.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Metrics } from '#lib/metrics.ts'
import type { Route } from './routes.ts'

const contentType = 'text/plain; version=0.0.4; charset=utf-8'
const resolutionMs = 20
const nsPerSecond = 1e9
const usPerSecond = 1e6
const msPerSecond = 1_000

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    who: 'operator',
    summary: 'Metrics in the Prometheus text format',
    describe: () => ({
      responses: { 200: { description: 'OK', content: { 'text/plain': { schema: { type: 'string' } } } } },
    }),
    async handle(_request, reply) {
      return reply
        .type(contentType)
        .header('cache-control', 'no-store')
        .send(await metrics.text())
    },
  }
}

/** Memory, CPU time and event loop delay, under the names that Prometheus' own clients use. */
export function registerProcessMetrics(metrics: Metrics): void {
  metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process.',
    read: () => process.memoryUsage.rss(),
  })
  metrics.gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Heap memory in use, including garbage that is not collected yet.',
    read: () => getHeapStatistics().used_heap_size,
  })
  metrics.gauge({
    name: 'nodejs_external_memory_bytes',
    help: 'Memory outside the heap, such as buffers that wait to be sent.',
    read: () => getHeapStatistics().external_memory,
  })
  metrics.gauge({
    name: 'process_cpu_seconds_total',
    help: 'CPU time used by the process.',
    type: 'counter',
    read() {
      const { user, system } = process.cpuUsage()
      return (user + system) / usPerSecond
    },
  })
  metrics.gauge({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time in which the event loop was busy; it waits for a commit of SQLite too. Its rate is the share in use.',
    type: 'counter',
    read: () => performance.eventLoopUtilization().active / msPerSecond,
  })
  metrics.gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process, in seconds since 1970.',
    read: () => performance.timeOrigin / 1000,
  })
  const delay = createDelay()
  metrics.gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'Delay of the event loop since the previous scrape.',
    read: () => delay(),
  })
}

/** Measuring begins with the first scrape: its timer fires 50 times a second. */
function createDelay() {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined
  return () => {
    const first = histogram === undefined
    histogram ??= monitorEventLoopDelay({ resolution: resolutionMs })
    if (first) histogram.enable()
    const measured = histogram
    const late = (ns: number): number => (first ? 0 : Math.max(0, ns - resolutionMs * 1e6) / nsPerSecond)
    const samples = [
      ...[50, 90, 99].map((percent) => ({
        labels: { stat: `p${percent}` },
        value: late(measured.percentile(percent)),
      })),
      { labels: { stat: 'max' }, value: late(measured.max) },
    ]
    measured.reset()
    return samples
  }
}
