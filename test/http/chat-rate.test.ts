// The chat rate limit: its boundary, its key, what counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayToken, openHouse, operatorToken } from '../doors/web/house.ts'

test('a fork counts like a message', async (t) => {
  const { call } = await openHouse(t, { perMinute: 2 })
  const { thread_id: id } = (await call('POST', '/api/chat', { body: { message: 'hello' } })).json
  assert.equal((await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: 1 } })).status, 201)
  const refused = await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: 1 } })
  assert.deepEqual([refused.status, refused.json.error.code], [429, 'rate_limited'])
})

test('the limit holds to the request and to the millisecond', async (t) => {
  let now = 1_800_000_000_000
  const { call } = await openHouse(t, { perMinute: 3, now: () => now })
  const send = () => call('POST', '/api/chat/send', { body: { message: 'hi' } })
  assert.equal((await send()).status, 202)
  now += 10_000
  assert.equal((await send()).status, 202)
  assert.equal((await send()).status, 202)
  const refused = await send()
  assert.equal(refused.status, 429)
  assert.equal(refused.json.error.code, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '50')
  now += 49_999
  const last = await send()
  assert.equal(last.status, 429)
  assert.equal(last.headers.get('retry-after'), '1')
  now += 1
  assert.equal((await send()).status, 202)
  assert.equal((await send()).status, 429)
})

test('the limit is per user; operator tokens are one user', async (t) => {
  const { call, addUser } = await openHouse(t, { perMinute: 1 })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const send = async (token: string) =>
    (await call('POST', '/api/chat/send', { token, body: { message: 'hi' } })).status
  assert.deepEqual([await send(ada), await send(ada), await send(bob)], [202, 429, 202])
  assert.deepEqual([await send(operatorToken), await send(gatewayToken)], [202, 429])
})

test('refused sends count, of both routes; reading does not', async (t) => {
  const { call } = await openHouse(t, { perMinute: 5 })
  assert.equal((await call('POST', '/api/chat', { body: 'x'.repeat(14 * 1024 * 1024 + 1) })).status, 413)
  assert.equal((await call('POST', '/api/chat', { body: {} })).status, 400)
  assert.equal((await call('POST', '/api/chat/send', { body: '{' })).status, 400)
  assert.equal((await call('POST', '/api/chat', { headers: { 'content-type': 'text/plain' }, body: 'x' })).status, 415)
  for (let at = 0; at < 10; at++) assert.equal((await call('GET', '/api/jobs')).status, 200)
  assert.equal((await call('POST', '/api/chat', { body: { message: 'hi' } })).status, 200)
  assert.equal((await call('POST', '/api/chat', { body: { message: 'hi' } })).status, 429)
  assert.equal((await call('POST', '/api/chat/send', { body: { message: 'hi' } })).status, 429)
})

test('0 is no limit', async (t) => {
  const { call } = await openHouse(t, { perMinute: 0 })
  for (let at = 0; at < 40; at++) {
    assert.equal((await call('POST', '/api/chat/send', { body: { message: 'hi' } })).status, 202)
  }
})
