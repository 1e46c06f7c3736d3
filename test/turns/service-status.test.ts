// The status of the service, as every door tells it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada } from '../store/harness.ts'
import { type About, statusOf } from '#turns/service-status.ts'

const about: About = {
  version: '1.2.3',
  uptimeMs: () => 5_999,
  model: () => ({ provider: 'p', name: 'm' }),
  databaseBackend: 'sqlite',
  storage: { used: (user) => Promise.resolve({ bytes: user === ada ? 7 : 9 }) },
  sandboxEnabled: () => Promise.resolve(true),
  doors: () => [{ name: 'web', address: 'here' }],
  connections: () => Promise.resolve(4),
  draining: () => false,
}
const counting = (asked: unknown[]) => ({
  count(user: unknown) {
    asked.push(user)
    return Promise.resolve({ queued: 1, running: 20, waiting: 300, costToday: { costUsd: 0.5, unpricedCalls: 2 } })
  },
})

test('jobs of every state that is open count, and the whole seconds since the start', async () => {
  const asked: unknown[] = []
  assert.deepEqual(await statusOf(counting(asked), about, ada), {
    status: 'ok',
    version: '1.2.3',
    uptime_secs: 5,
    active_jobs: 321,
    llm_backend: 'p',
    llm_model: 'm',
    database_backend: 'sqlite',
    sandbox_enabled: true,
    doors: [{ name: 'web', address: 'here' }],
    storage: { used_bytes: 7, max_bytes: null },
    connections: 4,
    cost_today_usd: 0.5,
    unpriced_calls_today: 2,
  })
  assert.deepEqual(asked, [ada])
})

test('a service that goes down says so, and models that are skipped are named where there are any', async () => {
  const going = { ...about, draining: () => true, skippedModels: () => ['p/x'] }
  const { status, llm_skipped } = await statusOf(counting([]), going)
  assert.deepEqual([status, llm_skipped], ['draining', ['p/x']])
  assert.ok(!('llm_skipped' in (await statusOf(counting([]), { ...about, skippedModels: () => [] }))))
})
