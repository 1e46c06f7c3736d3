// GET /metrics: what the service counts, for Prometheus; and what the process itself can tell.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metrics } from '#lib/metrics.ts'
import type { Route } from './routes.ts'

const contentType = 'text/plain; version=0.0.4; charset=utf-8'
const resolutionMs = 20
const nsPerSecond = 1e9
const usPerSecond = 1e6

export function metricsRoute(metrics: Metrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    who: 'operator',
    summary: 'What the service counts, for Prometheus',
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

/** Memory, time and the delay of the event loop, under the names that Prometheus' own clients use. */
export function countProcess(metrics: Metrics): void {
  metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory that the process holds.',
    read: () => process.memoryUsage.rss(),
  })
  metrics.gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory of live and dead objects.',
    read: () => process.memoryUsage().heapUsed,
  })
  metrics.gauge({
    name: 'nodejs_external_memory_bytes',
    help: 'Memory outside the heap, such as what waits to be sent.',
    read: () => process.memoryUsage().external,
  })
  metrics.gauge({
    name: 'process_cpu_seconds_total',
    help: 'Time that the process has computed.',
    type: 'counter',
    read() {
      const { user, system } = process.cpuUsage()
      return (user + system) / usPerSecond
    },
  })
  metrics.gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, since 1970.',
    read: () => performance.timeOrigin / 1000,
  })
  const delay = createDelay()
  metrics.gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late the event loop was, since it was last asked.',
    read: () => delay(),
  })
}

/** Nothing is measured until somebody has asked once: a timer of 50 beats a second is not for nobody. */
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
