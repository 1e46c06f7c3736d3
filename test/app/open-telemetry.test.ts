// The end of the traces: it comes, whatever still waits to be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#config.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { openTelemetry } from '#app/open-telemetry.ts'
import { silentLog } from '#lib/log.ts'
import { createMetrics } from '#lib/metrics.ts'
import { fake } from '../fake.ts'

test('turns that cannot be read do not hold the end', { timeout: 30_000 }, async () => {
  const reading = Promise.withResolvers<never>()
  let asked = 0
  const entries = (): Promise<never> => {
    asked++
    return reading.promise
  }
  const telemetry = await openTelemetry({
    config: () => readConfig({ HOME: '/nowhere', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }),
    store: fake<Store>({ threads: { entries } }),
    metrics: createMetrics(),
    log: silentLog,
    instance: 'here',
    closeMs: 20,
  })
  assert.ok(telemetry)
  const turn = fake<Turn>({ id: 't', userId: 'u', threadId: 'h', status: 'completed', firstSeq: 1 })
  for (let at = 0; at < 3; at++) telemetry.rested(turn)
  // The real clock holds the process open while the end is waited for.
  const open = setInterval(() => {}, 1_000)
  await telemetry.close()
  clearInterval(open)
  assert.equal(asked, 1)
})
