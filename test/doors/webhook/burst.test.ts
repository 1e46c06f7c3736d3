// Bursts of submissions, in a few seconds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { burst } from './burst.ts'
import { openHouse } from './house.ts'

test('400 submissions from 40 users are all completed, once and in order', (t) => burst(t, 40))

test('retries that race from many senders, each of them twice, make each job once', async (t) => {
  const house = await openHouse(t)
  const post = (at: number) =>
    house.post({ user_id: 'ada', message: `m${at}`, conversation_id: `c${at % 7}` }, { 'idempotency-key': `key ${at}` })
  const twice = Array.from({ length: 100 }, (_, at) => at)
  const answers = await Promise.all([...twice, ...twice].map(async (at) => ({ at, ...(await post(at)) })))
  const jobs = new Map<number, Set<string>>()
  for (const { at, status, json } of answers) {
    assert.equal(status, 200)
    jobs.set(at, (jobs.get(at) ?? new Set()).add(json.job_id))
  }
  assert.ok([...jobs.values()].every((ids) => ids.size === 1))
  const { rows } = await house.turns.list(userId('webhook:ada'), { limit: 1_000 })
  assert.equal(rows.length, 100)
})
