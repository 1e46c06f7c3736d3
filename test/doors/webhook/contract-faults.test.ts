// The faults of the contract, over real HTTP: secrets, unknown routes, limits, a database that is away.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { createMemoryLimits } from '#store/memory-limits.ts'
import { assertFault, hello, openHouse, secret } from './house.ts'

test('both routes need the secret', async (t) => {
  const house = await openHouse(t)
  const { json } = await house.post(hello)
  for (const given of [null, '', 'wrong', `${secret}x`, secret.toUpperCase()]) {
    const header = { 'x-webhook-secret': given }
    assertFault(await house.post(hello, header), 401, 'unauthorized', /X-Webhook-Secret/)
    assertFault(await house.request('GET', `/jobs/${json.job_id}`, header), 401, 'unauthorized', /X-Webhook-Secret/)
    assertFault(await house.request('GET', '/jobs/none', header), 401, 'unauthorized', /X-Webhook-Secret/)
  }
})

test('a signature of the body stands in for the secret, on a submission alone', async (t) => {
  const house = await openHouse(t)
  const body = JSON.stringify(hello)
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const signed = { 'x-webhook-secret': null, 'x-hub-signature-256': signature }
  const { status, json } = await house.post(body, signed)
  assert.equal(status, 200)
  assertFault(await house.post(`${body} `, signed), 401, 'unauthorized', /X-Hub-Signature-256/)
  assertFault(await house.request('GET', `/jobs/${json.job_id}`, signed), 401, 'unauthorized', /X-Webhook-Secret/)
})

test('unknown jobs, routes and methods are told as such', async (t) => {
  const house = await openHouse(t)
  const input = [textMessage('user', 'private')]
  const { turn, events } = await house.turns.start({
    user: operator,
    door: 'web',
    input,
    options: {},
    whenBusy: 'queue',
  })
  events.close()
  for (const id of ['00000000-0000-7000-8000-000000000000', 'none', '%00', `${turn.id}0`, turn.id]) {
    assertFault(await house.job(id), 404, 'not_found', /job/)
  }
  for (const path of ['/', '/jobs', '/jobs/', '/webhook/', '/jobs/a/b', '/api/status']) {
    assertFault(await house.request('GET', path), 404, 'not_found', /POST \/webhook/)
  }
  for (const [method, path, allow] of [
    ['GET', '/webhook', 'POST'],
    ['PUT', '/webhook', 'POST'],
    ['OPTIONS', '/webhook', 'POST'],
    ['POST', '/jobs/x', 'GET'],
    ['DELETE', '/jobs/x', 'GET'],
  ] as const) {
    const answer = await house.request(method, path)
    assertFault(answer, 405, 'method_not_allowed', new RegExp(allow))
    assert.equal(answer.headers.get('allow'), allow)
  }
  const { json } = await house.post(hello)
  assert.equal((await house.request('GET', `/jobs/${String(json.job_id).toUpperCase()}?poll=1`)).status, 200)
})

test('the checks come in their order: 429, 413, 401, 415, 400', async (t) => {
  const house = await openHouse(t, { ratePerMinute: 4 })
  const large = 'x'.repeat(65_537)
  const wrong = { 'x-webhook-secret': 'wrong', 'content-type': 'text/plain' }
  assertFault(await house.post(large, wrong), 413, 'too_large', /64 KB/)
  assertFault(await house.post('{', wrong), 401, 'unauthorized', /./)
  assertFault(
    await house.post('{', { 'content-type': 'text/plain' }),
    415,
    'unsupported_media_type',
    /application\/json/,
  )
  assertFault(await house.post('{'), 400, 'invalid_input', /JSON/)
  const late = await house.post(large, wrong)
  assertFault(late, 429, 'rate_limited', /4 requests/)
  assert.match(late.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
})

test('every request counts for the rate: polls, refused ones and unknown routes', async (t) => {
  let now = 1_000_000
  const house = await openHouse(t, { ratePerMinute: 60, now: () => now })
  for (let at = 0; at < 15; at++) {
    await house.post(hello)
    await house.job('none')
    await house.post(hello, { 'x-webhook-secret': null })
    await house.request('GET', '/nowhere')
  }
  assertFault(await house.job('none'), 429, 'rate_limited', /60 requests/)
  now += 59_999
  assertFault(await house.post(hello), 429, 'rate_limited', /try again in 1 s/)
  now += 1
  assert.equal((await house.post(hello)).status, 200)
})

test('behind a trusted proxy the rate is the client address’s, and what a client claims is not believed', async (t) => {
  const house = await openHouse(t, { ratePerMinute: 1, trustProxy: 1 })
  const from = (forwarded: string) => house.post(hello, { 'x-forwarded-for': forwarded })
  assert.equal((await from('203.0.113.1')).status, 200)
  assert.equal((await from('203.0.113.2')).status, 200)
  assert.equal((await from('198.51.100.7, 203.0.113.1')).status, 429)
  assert.equal((await from('2001:db8:1:2::1')).status, 200)
  assert.equal((await from('2001:db8:1:2:ffff::9')).status, 429, 'one /64 is one client')
  assert.equal((await from('2001:db8:1:3::1')).status, 200)
  const open = await openHouse(t, { ratePerMinute: 1 })
  assert.equal((await open.post(hello, { 'x-forwarded-for': '203.0.113.1' })).status, 200)
  assert.equal((await open.post(hello, { 'x-forwarded-for': '203.0.113.2' })).status, 429)
})

test('addresses without end do not fill the memory: the longest unused is forgotten', async () => {
  const limits = createMemoryLimits()
  const take = (address: string) => limits.take(`webhook:${address}`, 1, 60_000, 1)
  assert.deepEqual([(await take('first')).allowed, (await take('first')).allowed], [true, false])
  for (let at = 0; at < 20_000; at++) await take(`${at}`)
  assert.deepEqual([(await take('first')).allowed, (await take('19999')).allowed], [true, false])
})

test('while the database is away nothing is acknowledged: 503 with Retry-After', async (t) => {
  let away = false
  const fault = () => new AppError('database_unavailable', 'the database is unavailable')
  const house = await openHouse(t, {
    wrapStore: (store) => ({
      ...store,
      turns: {
        ...store.turns,
        start: (turn) => (away ? Promise.reject(fault()) : store.turns.start(turn)),
        findByDoor: (door, id) => (away ? Promise.reject(fault()) : store.turns.findByDoor(door, id)),
      },
    }),
  })
  const { json } = await house.post(hello)
  away = true
  for (const answer of [await house.post(hello), await house.job(json.job_id)]) {
    assertFault(answer, 503, 'database_unavailable', /unavailable/)
    assert.equal(answer.headers.get('retry-after'), '5')
  }
  away = false
  assert.equal((await house.post(hello)).status, 200)
})

test('a bug is a 500 that says nothing of its inside', async (t) => {
  const logged: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void logged.push(fields) }
  const house = await openHouse(t, {
    log,
    wrapStore: (store) => ({
      ...store,
      turns: { ...store.turns, start: () => Promise.reject(new Error('inside words')) },
    }),
  })
  const answer = await house.post(hello)
  assertFault(answer, 500, 'internal', /log/)
  assert.doesNotMatch(JSON.stringify(answer.json), /inside words|at /)
  assert.equal(logged.length, 1)
})

test('a port that is taken is told with the variable to set', async (t) => {
  const house = await openHouse(t)
  const { openWebhook } = await import('#doors/webhook/door.ts')
  const { turns, threads, gates, store } = house
  const given = { turns, threads, gates, limits: store.limits, secret }
  const parts = { ...given, ratePerMinute: 0, trustProxy: false as const }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  await assert.rejects(openWebhook({ ...parts, log, host: '127.0.0.1', port: house.door.port }), /with HTTP_PORT$/)
  await assert.rejects(openWebhook({ ...parts, log, host: '192.0.2.1', port: 0 }), /set HTTP_HOST/)
})
