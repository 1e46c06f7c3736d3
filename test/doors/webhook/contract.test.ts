// The contract of the channel, over real HTTP: jobs, conversations, metadata, gates and retries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { isUuid, operator, userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { calls, createHold, says, userTexts } from '../test-app.ts'
import { type Answer, assertFault, hello, openHouse, secret } from './house.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

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
