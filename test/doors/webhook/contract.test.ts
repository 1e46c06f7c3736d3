// The contract, over real HTTP: every row of the specification's tables on the channel, and the decisions beside them.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { isUuid, operator, userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { createMemoryLimits } from '#store/memory-limits.ts'
import { calls, createHold, says, userTexts } from '../test-app.ts'
import { type Answer, openHouse, secret } from './house.ts'

const hello = { user_id: 'ada', message: 'hello' }
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function assertFault(answer: Answer, status: number, code: string, message: RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.json))
  assert.deepEqual(Object.keys(answer.json), ['error'])
  assert.deepEqual(Object.keys(answer.json.error).slice(0, 2), ['code', 'message'])
  assert.equal(answer.json.error.code, code)
  assert.match(answer.json.error.message, message)
}

test('a fresh submission is answered queued, runs, and ends completed with a response', async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const posted = await house.post(hello)
  assert.equal(posted.status, 200)
  assert.deepEqual(Object.keys(posted.json), ['job_id', 'status'])
  assert.equal(posted.json.status, 'queued')
  assert.ok(isUuid(posted.json.job_id))
  await hold.asked
  const running = await house.job(posted.json.job_id)
  assert.deepEqual(Object.keys(running.json).sort(), ['created_at', 'id', 'status'])
  assert.deepEqual([running.json.id, running.json.status], [posted.json.job_id, 'running'])
  assert.match(running.json.created_at, isoTime)
  hold.release('hi')
  const { json, headers } = await house.completed(posted.json.job_id)
  assert.deepEqual(Object.keys(json).sort(), ['completed_at', 'created_at', 'id', 'response', 'status'])
  assert.deepEqual([json.status, json.response], ['completed', 'hi'])
  assert.match(json.completed_at, isoTime)
  assert.ok(json.completed_at >= json.created_at)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.deepEqual(
    ['cache-control', 'x-content-type-options', 'x-powered-by'].map((name) => headers.get(name)),
    ['no-store', 'nosniff', null],
  )
})

test('a job behind another of its conversation is queued until that one is completed', async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const first = await house.post({ ...hello, conversation_id: 'c' })
  const second = await house.post({ ...hello, conversation_id: 'c' })
  await hold.asked
  assert.equal((await house.job(second.json.job_id)).json.status, 'queued')
  hold.release('hi')
  await house.completed(first.json.job_id)
  assert.equal((await house.completed(second.json.job_id)).json.response, 'hi')
})

test('a conversation goes on under its id, in order; without one every message stands alone', async (t) => {
  const house = await openHouse(t, { say: ({ items }) => says(userTexts(items).join('|')) })
  const jobs: Answer[] = []
  for (const message of ['a', 'b', 'c']) jobs.push(await house.post({ user_id: 'ada', message, conversation_id: 'c' }))
  const alone = [await house.post(hello), await house.post({ ...hello, conversation_id: null })]
  const said = await Promise.all([...jobs, ...alone].map(async ({ json }) => (await house.completed(json.job_id)).json))
  assert.deepEqual(
    said.map(({ response }) => response),
    ['a', 'a|b', 'a|b|c', 'hello', 'hello'],
  )
})

test('a conversation belongs to its user_id, and no user_id reaches anybody else', async (t) => {
  const house = await openHouse(t, { say: ({ items }) => says(userTexts(items).join('|')) })
  for (const user of [operator, userId('token-user')]) {
    const input = [textMessage('user', 'private')]
    const { events } = await house.turns.start({
      user,
      door: 'web',
      threadKey: 'c',
      input,
      options: {},
      whenBusy: 'queue',
    })
    events.close()
  }
  for (const user_id of ['ada', 'bob', 'operator', 'token-user', 'webhook:ada']) {
    const { json } = await house.post({ user_id, message: user_id, conversation_id: 'c' })
    assert.equal((await house.completed(json.job_id)).json.response, user_id)
  }
})

test('numbers of metadata come back as they were written', async (t) => {
  const house = await openHouse(t)
  const written = '{"id":9007199254740993,"price":1.10,"list":[-0,1E2,{"huge":12345678901234567890}]}'
  const { json } = await house.post(`{"user_id":"ada","message":"hello","metadata":${written}}`)
  await house.completed(json.job_id)
  const answer = await fetch(`${house.door.url}/jobs/${json.job_id}`, { headers: { 'x-webhook-secret': secret } })
  assert.ok((await answer.text()).includes(`"metadata":${written}`))
})

test('metadata is stored and returned as it was sent', async (t) => {
  const house = await openHouse(t)
  const metadata = {
    order: 7,
    nested: { list: [1, 'two', null, true, 0.1], '': {} },
    ['__proto__']: 'kept',
    text: 'ü😀',
  }
  const body = `{"user_id":"ada","message":"hello","metadata":{"order":7,"nested":{"list":[1,"two",null,true,0.1],"":{}},"__proto__":"kept","text":"ü😀"}}`
  const { json } = await house.post(body)
  const job = await house.completed(json.job_id)
  assert.equal(JSON.stringify(job.json.metadata), JSON.stringify(metadata))
  const none = await house.post({ ...hello, metadata: null })
  assert.equal('metadata' in (await house.completed(none.json.job_id)).json, false)
})

test('a turn that failed is completed, with an error beside an explanation', async (t) => {
  const say = (): never => {
    throw new AppError('model_unreachable', 'the model does not answer')
  }
  const house = await openHouse(t, { say })
  const { json } = await house.completed((await house.post(hello)).json.job_id)
  assert.equal(json.status, 'completed')
  assert.deepEqual(json.error, { code: 'model_unreachable', message: 'the model does not answer' })
  assert.match(json.response, /the model does not answer/)
  assert.match(json.completed_at, isoTime)
})

test('a turn at a gate is running and waiting; the operator answers, and it goes on', async (t) => {
  const ran: unknown[] = []
  const write: Tool = {
    spec: { name: 'write_note', description: 'Writes', parameters: { type: 'object' } },
    effects: 'write',
    repeatable: false,
    untrusted: false,
    run: (args) => Promise.resolve(`${ran.push(args)} written`),
  }
  const house = await openHouse(t, {
    tools: [write],
    say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', { a: 1 })),
  })
  const id = (await house.post(hello)).json.job_id as string
  let waiting = await house.job(id)
  while (!waiting.json.waiting) waiting = await house.job(id)
  assert.equal(waiting.json.status, 'running')
  const { message, ...gate } = waiting.json.waiting
  const reason = 'write_note may change something'
  assert.deepEqual(gate, { kind: 'approval', name: 'write_note', prompt: 'Run `write_note`?', reason })
  assert.match(message, /web UI/)
  assert.equal('response' in waiting.json || 'completed_at' in waiting.json, false)
  const [turn] = (await house.turns.list(operator, { status: 'waiting', limit: 5 })).rows
  assert.equal(turn?.id, id)
  const entries = await house.turns.entries(operator, turn)
  const call = entries.find(({ item }) => item.type === 'gate')?.item
  assert.ok(call?.type === 'gate')
  await house.gates.answer(operator, turn.threadId, { callId: call.callId, decision: 'allow', by: 'operator' })
  assert.notEqual((await house.job(id)).json.status, 'queued', 'a status never goes back')
  assert.equal((await house.completed(id)).json.response, 'done')
  assert.equal(ran.length, 1)
})

test('a cancelled job is completed and says so', async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const id = (await house.post(hello)).json.job_id as string
  await hold.asked
  await house.turns.cancel(operator, id)
  const { json } = await house.job(id)
  assert.deepEqual([json.status, json.error.code], ['completed', 'turn_cancelled'])
  assert.match(json.response, /cancelled/)
})

test('a retry with the same key is the same job; another body is refused', async (t) => {
  const house = await openHouse(t)
  const keyed = { 'idempotency-key': 'k1' }
  const first = await house.post(hello, keyed)
  await house.completed(first.json.job_id)
  const again = await house.post({ message: 'hello', user_id: 'ada', sent_at: 'later' }, keyed)
  assert.deepEqual(again.json, { job_id: first.json.job_id, status: 'completed', response: 'you said: hello' })
  assertFault(await house.post({ ...hello, message: 'other' }, keyed), 422, 'idempotency_conflict', /Idempotency-Key/)
  const other = await house.post({ ...hello, user_id: 'bob' }, keyed)
  assert.notEqual(other.json.job_id, first.json.job_id)
  assertFault(await house.post(hello, { 'idempotency-key': '' }), 400, 'invalid_input', /Idempotency-Key/)
  assertFault(await house.post(hello, { 'idempotency-key': 'k'.repeat(256) }), 400, 'invalid_input', /Idempotency-Key/)
})

test('retries that race make one job', async (t) => {
  const house = await openHouse(t)
  const answers = await Promise.all(Array.from({ length: 40 }, () => house.post(hello, { 'idempotency-key': 'race' })))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ json }) => json.job_id)).size, 1)
  assert.equal((await house.turns.list(operator, { limit: 10 })).rows.length, 1)
})

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
  await assert.rejects(openWebhook({ ...parts, log, host: '127.0.0.1', port: house.door.port }), /set HTTP_PORT/)
  await assert.rejects(openWebhook({ ...parts, log, host: '192.0.2.1', port: 0 }), /set HTTP_HOST/)
})
