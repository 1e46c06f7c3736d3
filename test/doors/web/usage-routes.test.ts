// GET /api/usage: one's own, and the operator's view of all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHouse } from './house.ts'

test('a user sees what their turns took by day and model, the operator what those of all did', async (t) => {
  const now = Date.now()
  const { call, addUser } = await openHouse(t, { now: () => now })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  for (const token of [ada, ada, bob]) await call('POST', '/api/chat', { token, body: { message: 'hello' } })
  const date = new Date(now).toISOString().slice(0, 10)
  const row = {
    date,
    model: 'test-1',
    turns: 2,
    input_tokens: 6,
    cached_tokens: 0,
    output_tokens: 4,
    cost_usd: 0.5,
    unpriced_calls: 0,
  }
  const one = { ...row, turns: 1, input_tokens: 3, output_tokens: 2, cost_usd: 0.25 }
  assert.deepEqual((await call('GET', '/api/usage', { token: ada })).json, { days: [row] })
  assert.deepEqual((await call('GET', '/api/usage?days=1', { token: bob })).json, { days: [one] })
  const { days } = (await call('GET', '/api/usage')).json
  const byName = days.toSorted((a: { user: string }, b: { user: string }) => a.user.localeCompare(b.user))
  assert.deepEqual(byName, [
    { ...row, user: 'ada' },
    { ...one, user: 'bob' },
  ])
  // What they come to is told where it is asked for.
  const sums = async (token?: string) =>
    (await call('GET', '/api/usage?days=7&totals=true', token === undefined ? {} : { token })).json.totals
  const of = (turns: number, cost_usd: number) => ({
    before_usd: null,
    before_unpriced_calls: 0,
    failed: 0,
    cancelled: 0,
    doors: [{ door: 'web', turns, cost_usd, unpriced_calls: 0 }],
    missions: [],
  })
  assert.deepEqual([await sums(ada), await sums(bob), await sums()], [of(2, 0.5), of(1, 0.25), of(3, 0.75)])
})

test('days is a whole number of 1 or more', async (t) => {
  const { call } = await openHouse(t)
  assert.deepEqual((await call('GET', '/api/usage?days=9999')).json, { days: [] })
  const { status, json } = await call('GET', '/api/usage?days=no')
  assert.deepEqual([status, json.error.code], [400, 'invalid_input'])
  assert.match(json.error.message, /days/)
})
