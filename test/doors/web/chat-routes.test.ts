// POST /api/chat and /api/chat/send, end to end: answers, queues, retries, clients that leave.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { messageIdOf } from '#doors/web/chat-routes.ts'
import { calls, createHold, createWriter, echo, eventually, type Say, says, userTexts } from '../test-app.ts'
import { completedJob, openHouse } from './house.ts'

test('chat waits for the turn and answers its text, usage and ids', async (t) => {
  const { call } = await openHouse(t)
  const { status, json } = await call('POST', '/api/chat', { body: { message: 'hello' } })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(json), ['thread_id', 'turn_id', 'status', 'response', 'usage'])
  assert.equal(json.status, 'completed')
  assert.equal(json.response, 'you said: hello')
  assert.deepEqual(json.usage, {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 5,
    cost_usd: 0.25,
    model: 'test-1',
  })
})

test('half of a surrogate pair becomes the replacement character', async (t) => {
  const { call } = await openHouse(t)
  const { json } = await call('POST', '/api/chat', { body: { message: 'a \ud800 b' } })
  assert.equal(json.response, 'you said: a \ufffd b')
})

test('a thread goes on, and content is taken for message', async (t) => {
  const seen: number[] = []
  const say: Say = (request, signal) => {
    seen.push(request.items.length)
    return echo(request, signal)
  }
  const { call } = await openHouse(t, { say })
  const first = await call('POST', '/api/chat', { body: { content: 'one' } })
  const body = { content: 'two', thread_id: first.json.thread_id, message: null, attachments: null }
  const second = await call('POST', '/api/chat', { body })
  assert.equal(second.json.thread_id, first.json.thread_id)
  assert.equal(second.json.response, 'you said: two')
  assert.deepEqual(seen, [1, 3])
})

test('a send that is repeated with its key is the same message, once', async (t) => {
  const { call } = await openHouse(t)
  const body = { message: 'only once' }
  const headers = { 'idempotency-key': 'k1' }
  const first = await call('POST', '/api/chat/send', { body, headers })
  await completedJob({ call }, first.json.turn_id)
  const again = await call('POST', '/api/chat/send', { body, headers })
  assert.deepEqual([again.status, again.json], [202, first.json])
  const { json } = await call('GET', `/api/threads/${first.json.thread_id}`)
  const own = json.items.filter(({ role }: { role?: string }) => role === 'user')
  assert.deepEqual(
    own.map(({ id }: { id: string }) => id),
    [first.json.message_id],
  )
  const other = await call('POST', '/api/chat/send', { body: { message: 'another' }, headers })
  assert.deepEqual([other.status, other.json.error.code], [422, 'idempotency_conflict'])
  const long = await call('POST', '/api/chat/send', { body, headers: { 'idempotency-key': 'k'.repeat(256) } })
  assert.deepEqual([long.status, long.json.error.param], [400, 'Idempotency-Key'])
  const longest = { 'idempotency-key': 'k'.repeat(255) }
  assert.equal((await call('POST', '/api/chat/send', { body, headers: longest })).status, 202)
})

test('while the process is full a send is refused; one that is repeated with its key gets its first answer', async (t) => {
  const hold = createHold()
  const { call } = await openHouse(t, { say: hold.say, room: 1 })
  const send = (key?: string) =>
    call('POST', '/api/chat/send', {
      body: { message: 'hello' },
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const first = await send('k1')
  await hold.asked
  const again = await send('k1')
  assert.deepEqual([again.status, again.json], [202, first.json])
  const others = [await send('k2'), await send(), await call('POST', '/api/chat', { body: { message: 'hello' } })]
  for (const { status, json, headers } of others) {
    assert.deepEqual([status, json.error.code, headers.get('retry-after')], [503, 'overloaded', '2'])
  }
  hold.release('done')
})

test('send answers 202 at once with the id its message has in the thread', async (t) => {
  const hold = createHold()
  const { call } = await openHouse(t, { say: hold.say })
  const { status, json } = await call('POST', '/api/chat/send', { body: { message: 'hello' } })
  assert.equal(status, 202)
  assert.deepEqual(Object.keys(json), ['thread_id', 'turn_id', 'message_id', 'status'])
  assert.equal(json.status, 'accepted')
  const more = { body: { message: 'more', thread_id: json.thread_id }, headers: { 'idempotency-key': 'queued-1' } }
  const queued = await call('POST', '/api/chat/send', more)
  assert.deepEqual((await call('POST', '/api/chat/send', more)).json, queued.json, 'sent again while it waits')
  hold.release('done')
  const last = await call('POST', '/api/chat', { body: { message: 'last', thread_id: json.thread_id } })
  assert.equal(last.json.status, 'completed')
  const { items } = (await call('GET', `/api/threads/${json.thread_id}`)).json
  const asked = items.filter((item: { role?: string }) => item.role === 'user')
  assert.deepEqual(asked.map(({ id }: { id: string }) => id).slice(0, 2), [json.message_id, queued.json.message_id])
})

test('a message for a busy thread is queued behind and stays out of the running prompt', async (t) => {
  const hold = createHold()
  const prompts: string[] = []
  const say: Say = (request, signal) => {
    prompts.push(`${request.items.length}:${userTexts(request.items).at(-1)}`)
    return prompts.length === 1 ? hold.say(request, signal) : echo(request, signal)
  }
  const { call } = await openHouse(t, { say })
  const first = await call('POST', '/api/chat/send', { body: { message: 'first' } })
  await hold.asked
  const second = call('POST', '/api/chat', { body: { message: 'second', thread_id: first.json.thread_id } })
  await eventually(async () => (await call('GET', '/api/jobs?status=queued')).json.jobs.length > 0)
  hold.release('first done')
  assert.equal((await second).json.response, 'you said: second')
  assert.deepEqual(prompts, ['1:first', '3:second'])
})

test('a queued message whose turn was stopped is gone: sent again it is the same one, and what is behind it runs', async (t) => {
  const hold = createHold()
  const { call } = await openHouse(t, {
    say: (request, signal) => (userTexts(request.items).length === 1 ? hold.say : echo)(request, signal),
  })
  const { thread_id } = (await call('POST', '/api/chat/send', { body: { message: 'first' } })).json
  await hold.asked
  const stopped = { body: { message: 'second', thread_id }, headers: { 'idempotency-key': 'stopped-1' } }
  const second = (await call('POST', '/api/chat/send', stopped)).json
  const third = call('POST', '/api/chat', { body: { message: 'third', thread_id } })
  await eventually(async () => (await call('GET', '/api/jobs?status=queued')).json.jobs.length === 2)
  assert.equal((await call('POST', `/api/jobs/${second.turn_id}/cancel`)).json.status, 'cancelled')
  const queued = (await call('GET', `/api/threads/${thread_id}`)).json.queued
  assert.deepEqual(
    queued.map((message: { content: { text: string }[] }) => message.content[0]?.text),
    ['third'],
  )
  hold.release('first done')
  assert.equal((await third).json.response, 'you said: third')
  const again = (await call('POST', '/api/chat/send', stopped)).json
  assert.deepEqual([again.turn_id, again.status], [second.turn_id, 'accepted'])
  assert.equal((await call('GET', `/api/jobs/${second.turn_id}`)).json.status, 'cancelled')
  const { items } = (await call('GET', `/api/threads/${thread_id}`)).json
  const asked = items.filter((item: { role?: string }) => item.role === 'user')
  assert.deepEqual(
    asked.map((item: { content: { text: string }[] }) => item.content[0]?.text),
    ['first', 'third'],
  )
})

const queuedTurn = { id: 't', userId: operator, threadId: 'h', status: 'queued' } as Turn
const messageIds: readonly [
  what: string,
  waiting: readonly string[],
  now: Partial<Turn> | undefined,
  id: string | undefined,
][] = [
  ['that waits', ['other', 't'], undefined, 'of t'],
  ['that began while it was looked for', ['other'], { status: 'running', firstSeq: 3 }, 'item 3'],
  ['whose turn was stopped before it began', ['other'], { status: 'cancelled' }, undefined],
  ['whose thread is gone', [], undefined, undefined],
]
for (const [what, waiting, now, id] of messageIds) {
  test(`the id of a message ${what} is ${id}`, async () => {
    const threads = {
      queued: () => Promise.resolve(waiting.map((turnId) => ({ turnId, id: `of ${turnId}` }))),
      entries: (_user: unknown, _thread: unknown, { after }: { after: number }) =>
        Promise.resolve({ entries: [{ id: `item ${after + 1}` }], more: false }),
    }
    const turns = { get: () => Promise.resolve(now && { ...queuedTurn, ...now }) }
    const parts = { threads, turns } as unknown as Parameters<typeof messageIdOf>[0]
    assert.equal(await messageIdOf(parts, queuedTurn), id)
  })
}

test('after the wait chat answers running, and the turn goes on', async (t) => {
  const hold = createHold()
  const { call } = await openHouse(t, { say: hold.say, patienceMs: 30 })
  const { status, json } = await call('POST', '/api/chat', { body: { message: 'hello' } })
  assert.equal(status, 200)
  assert.equal(json.status, 'running')
  assert.equal(json.response, null)
  hold.release('late')
  const job = await completedJob({ call }, json.turn_id)
  assert.equal(job.json.response, 'late')
})

test('a client that leaves neither stops the turn nor holds anything', async (t) => {
  const hold = createHold()
  const { url, call } = await openHouse(t, { say: hold.say })
  const leave = new AbortController()
  const gone = fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { authorization: 'Bearer operator-token-of-the-tests', 'content-type': 'application/json' },
    body: '{"message":"hello"}',
    signal: leave.signal,
  })
  await hold.asked
  leave.abort()
  await assert.rejects(gone)
  hold.release('still here')
  const list = async () => (await call('GET', '/api/jobs?status=completed')).json.jobs[0]
  assert.equal((await eventually(list)).response, 'still here')
})

test('a failed turn is 200 with its error', async (t) => {
  const say: Say = () => {
    throw new Error('a secret of the inside')
  }
  const { call } = await openHouse(t, { say })
  const { status, json, text } = await call('POST', '/api/chat', { body: { message: 'hello' } })
  assert.equal(status, 200)
  assert.equal(json.status, 'failed')
  assert.equal(json.error.code, 'internal')
  assert.doesNotMatch(text, /secret of the inside/)
})

test('a turn that waits shows its gate, and goes on when that is answered', async (t) => {
  const ran: unknown[] = []
  const say: Say = ({ items }) =>
    items.some(({ type }) => type === 'result') ? says('noted') : calls('write_note', { text: 'milk' })
  const { call } = await openHouse(t, { say, tools: [createWriter(ran)] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'note milk' } })
  assert.equal(json.status, 'waiting')
  assert.equal(json.gate.kind, 'approval')
  assert.equal(json.gate.name, 'write_note')
  assert.deepEqual(json.gate.args, { text: 'milk' })
  assert.deepEqual((await call('GET', `/api/jobs/${json.turn_id}`)).json.gate, json.gate)
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  assert.equal((await call('POST', path, { body: { action: 'approve' } })).status, 200)
  const job = await completedJob({ call }, json.turn_id)
  assert.equal(job.json.response, 'noted')
  assert.deepEqual(ran, ['{"text":"milk"}'])
})
