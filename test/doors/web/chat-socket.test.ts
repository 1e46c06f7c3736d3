// The live connection: what it takes and tells.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelEvent } from '#core/model.ts'
import { calls, createHold, createWriter, type Say, says } from '../test-app.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, openClient, rests } from './socket.ts'
import { noThread } from './socket-refusals.ts'

test('a message is accepted, and its items, text and end come in order', async (t) => {
  const { url, call } = await openHouse(t)
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'message', message: 'hello', ref: 'm1' })
  const accepted = await client.next('accepted')
  assert.deepEqual([accepted.ref, accepted.status], ['m1', 'accepted'])
  const end = await client.next(rests)
  assert.deepEqual([end.id, end.status, end.thread_id], [accepted.turn_id, 'completed', accepted.thread_id])
  const items = client.frames.filter(({ type }) => type === 'item')
  assert.deepEqual(
    items.map(({ seq, item }) => [seq, item.role, item.content[0].text]),
    [
      [1, 'user', 'hello'],
      [2, 'assistant', 'you said: hello'],
    ],
  )
  assert.equal(items[0].item.id, accepted.message_id)
  const stored = (await call('GET', `/api/threads/${accepted.thread_id}`)).json.items
  assert.deepEqual(
    items.map(({ item }) => item),
    stored,
  )
  // The same name again is the same message.
  client.send({ type: 'message', message: 'hello', ref: 'm1' })
  const again = await client.next('accepted')
  assert.deepEqual(again, accepted)
  client.send({ type: 'message', message: 'other', ref: 'm1' })
  assert.equal((await client.next('error')).code, 'idempotency_conflict')
  client.send({ type: 'message', message: 'more', thread_id: accepted.thread_id })
  const more = await client.next('accepted')
  await client.next((frame) => rests(frame) && frame.id === more.turn_id)
  assert.deepEqual(
    client.frames.filter(({ type }) => type === 'item').map(({ seq }) => seq),
    [1, 2, 3, 4],
  )
})

test('while the process is full a message is refused; one that is repeated with its name gets its first answer', async (t) => {
  const hold = createHold()
  const { url } = await openHouse(t, { say: hold.say, room: 1 })
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'message', message: 'hello', ref: 'm1' })
  const accepted = await client.next('accepted')
  await hold.asked
  client.send({ type: 'message', message: 'hello', ref: 'm1' })
  assert.deepEqual(await client.next('accepted'), accepted)
  client.send({ type: 'message', message: 'hello', ref: 'm2' })
  const { ref, code, retry_after_secs } = await client.next('error')
  assert.deepEqual([ref, code, retry_after_secs], ['m2', 'overloaded', 2])
  hold.release('done')
})

test('what is wrong with a frame is told, and the connection goes on', async (t) => {
  const { url } = await openHouse(t)
  const client = await openClient(url, bearer(operatorToken))
  const wrong: readonly [frame: unknown, code: string, param: string | undefined][] = [
    ['no json', 'invalid_input', undefined],
    ['[]', 'invalid_input', undefined],
    ['null', 'invalid_input', undefined],
    [{}, 'invalid_input', 'type'],
    [{ type: 'nothing' }, 'invalid_input', 'type'],
    [{ type: 'auth', token: 'x' }, 'invalid_input', 'type'],
    [{ type: 'message' }, 'invalid_input', 'message'],
    [{ type: 'message', message: '  ' }, 'invalid_input', 'message'],
    [{ type: 'message', message: 7 }, 'invalid_input', 'message'],
    [{ type: 'message', message: 'x'.repeat(1_048_577) }, 'too_large', 'message'],
    [{ type: 'message', message: 'hi', thread_id: noThread }, 'not_found', 'thread_id'],
    [{ type: 'message', message: 'hi', thread_id: 'x' }, 'not_found', 'thread_id'],
    [{ type: 'subscribe', thread_id: noThread }, 'not_found', undefined],
    [{ type: 'subscribe', thread_id: noThread, after: -1 }, 'invalid_input', 'after'],
    [{ type: 'cancel', thread_id: 'x' }, 'not_found', undefined],
    [{ type: 'gate', gate_id: 'call_x', action: 'approve' }, 'not_found', 'gate_id'],
    [{ type: 'gate', gate_id: 'call_x', action: 'yes' }, 'invalid_input', 'action'],
    [{ type: 'ping', ref: '' }, 'invalid_input', 'ref'],
  ]
  for (const [frame, code, param] of wrong) {
    client.send(frame)
    const told = await client.next('error')
    assert.deepEqual([told.code, told.param], [code, param], JSON.stringify(frame).slice(0, 100))
    assert.ok(told.message.length > 5)
  }
  client.send({ type: 'ping' })
  await client.next('pong')
  client.ws.send(Buffer.from('{"type":"ping"}'), { binary: true })
  assert.equal((await client.next('error')).code, 'invalid_input')
})

test('a refused frame is answered with its ref, whatever is wrong with it', async (t) => {
  const { url } = await openHouse(t)
  const client = await openClient(url, bearer(operatorToken))
  const wrong = [{}, { type: 'nothing' }, { type: 7 }, { type: 'message' }, { type: 'cancel', thread_id: 7 }]
  for (const [at, frame] of wrong.entries()) {
    client.send({ ...frame, ref: `r${at}` })
    const { code, ref } = await client.next('error')
    assert.deepEqual([code, ref], ['invalid_input', `r${at}`])
  }
})

test('a turn is stopped by its thread', async (t) => {
  const hold = createHold()
  const { url } = await openHouse(t, { say: hold.say })
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'message', message: 'hello' })
  const { thread_id, turn_id } = await client.next('accepted')
  await hold.asked
  client.send({ type: 'cancel', thread_id })
  const end = await client.next(rests)
  assert.deepEqual([end.id, end.status], [turn_id, 'cancelled'])
})

test('a subscription replays what was missed, tells the text so far, and how the last turn stands', async (t) => {
  const hold = createHold()
  const { promise: first, resolve: begin } = Promise.withResolvers<void>()
  const model = {
    provider: 'test',
    name: 'test-1',
    window: 100_000,
    async *stream(request: Parameters<Say>[0], signal: AbortSignal): AsyncGenerator<ModelEvent[]> {
      yield [{ type: 'text', text: 'so far ' }]
      begin()
      yield await hold.say(request, signal)
    },
  }
  const { url, call, addUser } = await openHouse(t, { model })
  const ada = await addUser('ada')
  const { thread_id, turn_id } = (await call('POST', '/api/chat/send', { body: { message: 'hello' } })).json
  await first
  await hold.asked
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'subscribe', thread_id, after: 0 })
  const snapshot = await client.next('snapshot')
  assert.deepEqual([snapshot.text, snapshot.turn_id, snapshot.thread_id], ['so far ', turn_id, thread_id])
  assert.equal((await client.next('turn')).status, 'running')
  hold.release('and on')
  const delta = await client.next('delta')
  assert.deepEqual([delta.offset, delta.text, delta.item_id], [7, 'and on', snapshot.item_id])
  assert.equal((await client.next('turn')).status, 'completed')
  const late = await openClient(url, bearer(operatorToken))
  late.send({ type: 'subscribe', thread_id, after: 1 })
  const item = await late.next('item')
  assert.deepEqual([item.seq, item.item.content[0].text, item.item.id], [2, 'so far and on', snapshot.item_id])
  assert.equal((await late.next('turn')).status, 'completed')
  // That the thread has changed is told to whoever is connected by then.
  assert.deepEqual(
    late.frames.map(({ type }) => type).filter((type) => type !== 'thread'),
    ['ready', 'item', 'turn'],
  )
  const stranger = await openClient(url, bearer(ada))
  stranger.send({ type: 'subscribe', thread_id, after: 0 })
  assert.equal((await stranger.next('error')).code, 'not_found')
  assert.deepEqual(
    stranger.frames.map(({ type }) => type),
    ['ready', 'error'],
  )
})

test('lists and what waits are in step in every tab; a gate answered in one is answered in all', async (t) => {
  const ran: unknown[] = []
  const say: Say = ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', {}))
  const { url, call, addUser } = await openHouse(t, { say, tools: [createWriter(ran)] })
  const ada = await addUser('ada')
  const [one, two] = [await openClient(url, bearer(operatorToken)), await openClient(url, bearer(operatorToken))]
  const stranger = await openClient(url, bearer(ada))
  await Promise.all([one, two, stranger].map((each) => each.next('ready')))
  const { thread_id } = (await call('POST', '/api/chat/send', { body: { message: 'write it' } })).json
  const gate = await one.next('gate')
  assert.deepEqual([gate.thread_id, gate.name, gate.waiting, gate.kind], [thread_id, 'write_note', 1, 'approval'])
  const listed = await two.next((frame) => frame.type === 'thread' && frame.state === 'waiting')
  assert.deepEqual([listed.id, listed.title], [thread_id, 'write it'])
  const seen = await two.next('gate')
  assert.equal((await call('GET', '/api/gates')).json.gates[0].id, seen.id)
  const late = await openClient(url, bearer(operatorToken))
  assert.equal((await late.next('ready')).waiting, 1)
  stranger.send({ type: 'gate', gate_id: gate.id, action: 'approve' })
  assert.equal((await stranger.next('error')).code, 'not_found')
  one.send({ type: 'gate', gate_id: gate.id, action: 'approve' })
  for (const each of [one, two, late]) {
    const closed = await each.next((frame) => frame.type === 'gate' && frame.closed === true)
    assert.deepEqual([closed.id, closed.thread_id, closed.waiting], [gate.id, thread_id, 0])
  }
  await two.next((frame) => frame.type === 'thread' && frame.state === 'idle')
  assert.equal(ran.length, 1)
  two.send({ type: 'gate', gate_id: gate.id, action: 'deny' })
  assert.equal((await two.next('error')).code, 'gate_closed')
  await call('PATCH', `/api/threads/${thread_id}`, { body: { title: 'Other' } })
  await two.next((frame) => frame.type === 'thread' && frame.title === 'Other')
  await call('DELETE', `/api/threads/${thread_id}`)
  const gone = await two.next((frame) => frame.type === 'thread' && frame.removed === true)
  assert.equal(gone.id, thread_id)
  assert.ok(!stranger.frames.some(({ type }) => type === 'thread' || type === 'gate'))
})

test('a second subscription to a thread takes the place of the first: nothing is told twice, and one leave ends it', async (t) => {
  const { url, call } = await openHouse(t)
  const first = (await call('POST', '/api/chat', { body: { message: 'one' } })).json
  const { thread_id } = first
  const client = await openClient(url, bearer(operatorToken))
  const seqs = () => client.frames.filter(({ type }) => type === 'item').map(({ seq }) => seq)
  const pong = async () => {
    client.send({ type: 'ping' })
    await client.next('pong')
  }
  for (const after of [0, 1]) {
    client.send({ type: 'subscribe', thread_id, after })
    await client.next('turn')
    await pong()
  }
  assert.deepEqual(seqs(), [1, 2, 2], 'each tells what is behind its place')
  // Sent over the same connection: it is followed already.
  client.send({ type: 'message', message: 'two', thread_id })
  await client.next(rests)
  await pong()
  assert.deepEqual(seqs().slice(3), [3, 4])
  await call('POST', '/api/chat', { body: { message: 'three', thread_id } })
  await client.next((frame) => frame.type === 'turn' && frame.status === 'completed')
  await pong()
  assert.deepEqual(seqs().slice(5), [5, 6])
  client.send({ type: 'unsubscribe', thread_id })
  await pong()
  await call('POST', '/api/chat', { body: { message: 'four', thread_id } })
  await pong()
  assert.equal(seqs().length, 7)
})

test('a service that goes down closes what waits for nothing, and lets a running turn be told', async (t) => {
  const hold = createHold()
  const { url, close } = await openHouse(t, { say: hold.say })
  const idle = await openClient(url, bearer(operatorToken))
  const busy = await openClient(url, bearer(operatorToken))
  busy.send({ type: 'message', message: 'hello' })
  await busy.next('accepted')
  await hold.asked
  const closing = close(30_000)
  assert.equal((await idle.closed).code, 1001)
  hold.release('the end')
  assert.equal((await busy.next(rests)).status, 'completed')
  assert.equal((await busy.closed).code, 1001)
  await closing
})
