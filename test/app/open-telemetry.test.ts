// The end of the traces: it comes, whatever still waits to be read, and what was read is delivered before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#config.ts'
import type { Store } from '#core/store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { openTelemetry } from '#app/open-telemetry.ts'
import { silentLog } from '#lib/log.ts'
import { createMetrics } from '#lib/metrics.ts'
import { openCollector } from '../collector.ts'
import { fake } from '../fake.ts'

const turn = fake<Turn>({
  id: '0197a000-0000-7000-8000-000000000001',
  userId: 'u',
  threadId: 'h',
  door: 'web',
  status: 'completed',
  createdAt: 1_800_000_000_000,
  endedAt: 1_800_000_001_000,
  firstSeq: 1,
  lastSeq: 1,
  options: {},
  usage: noUsage,
})

async function openFor(endpoint: string, entries: Store['threads']['entries'], closeMs: number) {
  const metrics = createMetrics()
  const telemetry = await openTelemetry({
    config: () => readConfig({ HOME: '/nowhere', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
    store: fake<Store>({ threads: { entries } }),
    metrics,
    log: silentLog,
    instance: 'here',
    closeMs,
  })
  assert.ok(telemetry)
  return { telemetry, metrics }
}

test('turns that cannot be read do not hold the end, and are counted as dropped', { timeout: 30_000 }, async () => {
  const reading = Promise.withResolvers<never>()
  let asked = 0
  const entries = (): Promise<never> => {
    asked++
    return reading.promise
  }
  const { telemetry, metrics } = await openFor('http://127.0.0.1:9', entries, 20)
  for (let at = 0; at < 3; at++) telemetry.rested(turn)
  // The real clock holds the process open while the end is waited for.
  const open = setInterval(() => {}, 1_000)
  await telemetry.close()
  clearInterval(open)
  assert.equal(asked, 1)
  assert.match(await metrics.text(), /^atrium_telemetry_dropped_total 2$/m)
})

test('the trace of a turn that ended last is delivered before the end; one that waits has none yet', async (t) => {
  const collector = await openCollector()
  t.after(() => collector.close())
  const entries = () => Promise.resolve({ entries: [], more: false })
  const { telemetry, metrics } = await openFor(collector.url, entries, 60_000)
  telemetry.rested({ ...turn, status: 'waiting' })
  telemetry.rested(turn)
  await telemetry.close()
  assert.deepEqual([collector.spans.length, collector.faults], [1, []])
  assert.match(await metrics.text(), /^atrium_telemetry_dropped_total 0$/m)
})
