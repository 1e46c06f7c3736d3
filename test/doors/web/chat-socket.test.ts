// The live connection: who may open it, what it takes and tells.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { defaultBounds, frameLimitsOf } from '#http/socket.ts'
import { userId } from '#core/ids.ts'
import type { ModelEvent } from '#core/model.ts'
import { calls, createHold, createWriter, type Say, says } from '../test-app.ts'
import { openBare } from '../../http/socket.ts'
import { until } from '../../until.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, openClient, Refused, rests } from './socket.ts'

const never = () => Promise.reject(new Error('not asked here'))
const hourMs = 3_600_000
const noThread = '0197a000-0000-7000-8000-000000000000'

async function refused(work: Promise<unknown>): Promise<[number, string]> {
  try {
    await work
  } catch (error) {
    if (error instanceof Refused) return [error.status, error.text]
    throw error
  }
  throw new Error('it was not refused')
}

test('a connection is opened with a bearer token, a cookie, or a first frame', async (t) => {
  const { url, call, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  const byToken = await openClient(url, bearer(ada), '/ws')
  assert.deepEqual(await byToken.next('ready'), { type: 'ready', user: 'ada', operator: false, waiting: 0 })
  const login = await call('POST', '/api/login', { token: null, body: { token: ada } })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const byCookie = await openClient(url, { cookie, origin: url })
  assert.equal((await byCookie.next('ready')).user, 'ada')
  const byFrame = await openClient(url)
  // What follows at once waits for the first.
  byFrame.send({ type: 'auth', token: operatorToken })
  byFrame.send({ type: 'ping', ref: 'p' })
  assert.deepEqual((await byFrame.next('ready')).operator, true)
  assert.deepEqual(await byFrame.next('pong'), { type: 'pong', ref: 'p' })
  assert.deepEqual(await refused(openClient(url, { cookie, origin: 'http://evil.example' })), [403, 'Forbidden'])
  assert.deepEqual(await refused(openClient(url, bearer('nope'))), [401, 'Invalid or missing auth token'])
  assert.deepEqual(await refused(openClient(url, { cookie: 'atrium_session=nope' })), [
    401,
    'Invalid or missing auth token',
  ])
  assert.equal((await refused(openClient(url, { authorization: 'Basic x' })))[0], 401)
  assert.equal((await refused(openClient(url, bearer(ada), `/api/chat/ws/x`)))[0], 404)
  const inQuery = await openClient(url, {}, `/api/chat/ws?token=${ada}`)
  inQuery.send({ type: 'ping' })
  assert.equal((await inQuery.closed).code, 4401, 'no token is taken from a query')
})

test('a first frame that is no good token, or none in time, ends the connection', async (t) => {
  const { url } = await openHouse(t, { socketBounds: { authMs: 50 } })
  for (const first of [{ type: 'auth', token: 'nope' }, { type: 'ping' }, 'no json', { type: 'auth' }]) {
    const client = await openClient(url)
    client.send(first)
    client.send({ type: 'message', message: 'hi' })
    const { code, reason } = await client.closed
    assert.deepEqual([code, reason.startsWith('unauthorized'), client.frames], [4401, true, []])
  }
  const silent = await openClient(url)
  assert.equal((await silent.closed).code, 4401)
})

test('frames behind a refused one make no room for more strangers than there may be', async (t) => {
  const { url } = await openHouse(t)
  const refusedOne = await openClient(url)
  for (let at = 0; at < 5; at++) refusedOne.send({ type: 'auth', token: 'nope' })
  assert.equal((await refusedOne.closed).code, 4401)
  await Promise.all(Array.from({ length: 100 }, () => openClient(url)))
  assert.deepEqual(await refused(openClient(url)), [503, 'too many connections wait for their auth frame'])
})

test('a first frame while the database is away is told to come back, not that its token is bad', async (t) => {
  const { url } = await openHouse(t, { storeAway: () => true })
  const client = await openClient(url)
  client.send({ type: 'auth', token: operatorToken })
  assert.deepEqual(await client.closed, { code: 1013, reason: 'database_unavailable: try again in a moment' })
})

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

test('a frame that is too large, or too many of them, end the connection', async (t) => {
  const { url } = await openHouse(t, { perMinute: 30 })
  const large = await openClient(url, bearer(operatorToken))
  large.ws.send('x'.repeat(8 * 1024 * 1024))
  assert.equal((await large.closed).code, 1009)
  const busy = await openClient(url, bearer(operatorToken))
  for (let at = 0; at < 300; at++) busy.send({ type: 'ping' })
  const { code, reason } = await busy.closed
  assert.deepEqual([code, reason.startsWith('rate_limited')], [4429, true])
})

test('frames and large frames are limited to more than the chat rate, and not at all without one', async (t) => {
  for (const [rate, maxFrames, maxLargeFrames] of [
    [0, 0, 0],
    [1, 200, 60],
    [30, 200, 60],
    [500, 1_000, 1_000],
  ] as const)
    assert.deepEqual(frameLimitsOf(rate), { maxFrames, maxLargeFrames })
  const large = 'x'.repeat(65 * 1024)
  const limited = await openHouse(t, { perMinute: 31 })
  const client = await openClient(limited.url, bearer(operatorToken))
  for (let at = 0; at < 63; at++) client.ws.send(large)
  const reason = 'rate_limited: at most 62 frames over 64 KB in 60 s'
  assert.deepEqual(await client.closed, { code: 4429, reason })
  const free = await openHouse(t)
  const busy = await openClient(free.url, bearer(operatorToken))
  for (let at = 0; at < 63; at++) busy.ws.send(large)
  for (let at = 0; at < 300; at++) busy.send({ type: 'ping' })
  for (let at = 0; at < 300; at++) await busy.next('pong')
})

test('frames of one user that are begun and not ended are held up to 64 MiB; whole ones count no more', async (t) => {
  assert.equal(defaultBounds.maxUnfinishedBytes, 64 * 1024 * 1024)
  const { url, addUser } = await openHouse(t, { socketBounds: { maxUnfinishedBytes: 1024 * 1024 } })
  const ada = await addUser('ada')
  const begun = 'x'.repeat(104 * 1024)
  const all = await Promise.all(Array.from({ length: 10 }, () => openClient(url, bearer(ada))))
  const [first, ...others] = all
  assert.ok(first)
  // More than the bound in all, and none of it left.
  for (let at = 0; at < 11; at++) {
    first.ws.send(begun)
    assert.equal((await first.next('error')).code, 'invalid_input')
  }
  for (const { ws } of others) ws.send(begun, { fin: false })
  const other = await openClient(url, bearer(operatorToken))
  first.ws.send(begun, { fin: false })
  const { code, reason } = await Promise.race(all.map(({ closed }) => closed))
  assert.deepEqual([code, reason.startsWith('rate_limited')], [4429, true])
  other.ws.send(begun)
  assert.equal((await other.next('error')).code, 'invalid_input')
})

test('one user has a hundred connections, and others still come in', async (t) => {
  const { url, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  const all = await Promise.all(Array.from({ length: 100 }, () => openClient(url, bearer(ada))))
  const last = await openClient(url, bearer(ada))
  assert.equal((await last.closed).code, 4429)
  await (await openClient(url, bearer(operatorToken))).next('ready')
  all[0]?.ws.close()
  await all[0]?.closed
  await (await openClient(url, bearer(ada))).next('ready')
})

test('messages count for the chat rate, whichever way they come', async (t) => {
  const { url, call } = await openHouse(t, { perMinute: 3 })
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'message', message: 'one' })
  await client.next('accepted')
  assert.equal((await call('POST', '/api/chat/send', { body: { message: 'two' } })).status, 202)
  client.send({ type: 'message', message: 'three' })
  await client.next('accepted')
  client.send({ type: 'message', message: 'four', ref: 'x' })
  const told = await client.next('error')
  assert.deepEqual([told.code, told.ref, told.retry_after_secs > 0], ['rate_limited', 'x', true])
  assert.equal((await call('POST', '/api/chat/send', { body: { message: 'five' } })).status, 429)
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

test('signing out everywhere, and removing a user, ends what is connected at once', async (t) => {
  const { url, call, addUser } = await openHouse(t, { socketBounds: { beatMs: 3_600_000 } })
  const ada = await addUser('ada')
  const login = async () => {
    const answer = await call('POST', '/api/login', { token: null, body: { token: ada } })
    return { cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '' }
  }
  const [first, second] = [await login(), await login()]
  const [a, b, c] = [await openClient(url, first), await openClient(url, second), await openClient(url, bearer(ada))]
  await Promise.all([a, b, c].map((each) => each.next('ready')))
  await call('POST', '/api/logout', { token: null, headers: first })
  assert.equal((await a.closed).code, 4401)
  b.send({ type: 'ping' })
  await b.next('pong')
  await call('POST', '/api/logout', { token: ada, body: { everywhere: true } })
  assert.equal((await b.closed).code, 4401)
  c.send({ type: 'ping' })
  await c.next('pong')
  await call('DELETE', '/api/users/ada')
  assert.equal((await c.closed).code, 4401)
})

test('a token that ends is noticed by the next frame and by the heartbeat', async (t) => {
  const clock = { now: Date.now() }
  const { url, addUser } = await openHouse(t, { now: () => clock.now, socketBounds: { beatMs: 500 } })
  const ada = await addUser('ada', clock.now + 1_000)
  const client = await openClient(url, bearer(ada))
  await client.next('ready')
  clock.now += 2_000
  assert.equal((await client.closed).code, 4401)
})

test('the heartbeat is no use of a session: a tab that is left open for 12 hours is signed out', async (t) => {
  const clock = { now: Date.now() }
  const { url, call, addUser } = await openHouse(t, { now: () => clock.now, socketBounds: { beatMs: 200 } })
  const login = await call('POST', '/api/login', { token: null, body: { token: await addUser('ada') } })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const client = await openClient(url, { cookie, origin: url })
  await client.next('ready')
  const beats = async (): Promise<void> => {
    for (let at = 0; at < 3; at++) await once(client.ws, 'ping')
  }
  clock.now += 11 * hourMs
  await beats()
  // A frame of a person is a use.
  client.send({ type: 'subscribe', thread_id: noThread })
  await client.next('error')
  clock.now += 11 * hourMs
  await beats()
  assert.equal(client.ws.readyState, client.ws.OPEN)
  clock.now += hourMs
  await until(() => client.ws.readyState === client.ws.CLOSED)
  assert.equal((await client.closed).code, 4401)
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

test('whoever an issuer still vouches for, but who is somebody else here by now, is no longer connected', async (t) => {
  let user = userId('first')
  const authenticate = () => Promise.resolve({ user, name: 'ada', operator: false })
  const { url } = await openHouse(t, { oidc: () => ({ authenticate, begin: never, finish: never }) })
  const client = await openClient(url, bearer('eyJ.a.b'))
  await client.next('ready')
  user = userId('second')
  client.send({ type: 'message', message: 'hi' })
  assert.equal((await client.closed).code, 4401)
  assert.deepEqual(client.frames.slice(1), [])
})

test('a connection stays while its token cannot be checked, and is checked again after that', async (t) => {
  const state = { away: false }
  const { url } = await openHouse(t, { storeAway: () => state.away })
  const client = await openClient(url, bearer(operatorToken))
  await client.next('ready')
  state.away = true
  client.send({ type: 'subscribe', thread_id: noThread })
  await client.next('error')
  assert.equal(client.ws.readyState, client.ws.OPEN)
})

test('a stranger sends a token and no more; what comes right behind a good one waits for it', async (t) => {
  const { url } = await openHouse(t)
  const stranger = await openClient(url)
  stranger.ws.send('x'.repeat(1_000_000), { fin: false })
  assert.equal((await stranger.closed).code, 1006)
  const known = await openClient(url)
  known.send({ type: 'auth', token: operatorToken })
  known.send({ type: 'message', message: 'x'.repeat(1_000_000) })
  await known.next('accepted')
})

test('a client that does not read learns why it was dropped, however late it reads', async (t) => {
  const { url } = await openHouse(t, { socketBounds: { beatMs: 1_000 } })
  const closing = t.mock.method(WebSocket.prototype, 'close')
  const client = await openClient(url, bearer(operatorToken))
  await client.next('ready')
  client.ws.pause()
  const alive = await openClient(url, bearer(operatorToken))
  await until(() => closing.mock.calls.some(({ arguments: [given] }) => given === 4408))
  // The next ping of the service to others finds the closing connection, and leaves it open.
  await once(alive.ws, 'ping')
  client.ws.resume()
  const { code, reason } = await client.closed
  assert.deepEqual([code, reason.split(':')[0]], [4408, 'slow_reader'])
  alive.send({ type: 'ping' })
  await alive.next('pong')
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

test('a request that is no WebSocket is told so', async (t) => {
  const { call, port } = await openHouse(t)
  const opening = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${operatorToken}\r\nUpgrade: websocket\r\n`
  for (const [method, headers, status] of [
    ['GET', 'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n', 400],
    ['GET', 'Connection: Upgrade\r\nSec-WebSocket-Version: 1\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n', 400],
    ['POST', 'Connection: Upgrade, close\r\nContent-Length: 0\r\n', 405],
  ] as const) {
    const bare = openBare(port)
    bare.write(`${method} /api/chat/ws ${opening}${headers}\r\n`)
    const answer = await bare.closed
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(answer, /^x-request-id: \S+\r$/im)
  }
  for (const path of ['/api/chat/ws', '/ws']) {
    const answer = await call('GET', path)
    assert.deepEqual([answer.status, answer.json.error.code], [426, 'upgrade_required'])
    assert.equal((await call('GET', path, { token: null })).status, 401)
  }
  // Whatever else a client would like to speak, it is answered as it is.
  assert.equal((await call('GET', '/api/jobs', { headers: { 'x-a': 'b' } })).status, 200)
})

test('a large frame is a message: others have at most 64 KB, and too many values are refused in any', async (t) => {
  const { url } = await openHouse(t, { say: () => says('yes') })
  const client = await openClient(url, bearer(operatorToken))
  const more = 'x'.repeat(64 * 1024)
  for (const type of ['ping', 'subscribe', 'unsubscribe', 'cancel', 'gate']) {
    client.send({ type, ref: type, thread_id: noThread, gate_id: 'x', action: 'deny', more })
    const { ref, code, message } = await client.next('error')
    assert.deepEqual([ref, code], [type, 'too_large'])
    assert.equal(message, `the ${type} frame is larger than 64 KB (65536 bytes)`)
  }
  client.send({ type: 'message', ref: 'many', message: 'hi', more: Array.from({ length: 200_000 }, () => 0) })
  const { code, param } = await client.next('error')
  assert.deepEqual([code, param], ['invalid_input', 'more'])
  client.send({ type: 'message', ref: 'm', message: more })
  assert.equal((await client.next('accepted')).ref, 'm')
})

test('of large frames a user may send 60 in 60 seconds, over all connections', async (t) => {
  const { url } = await openHouse(t, { perMinute: 30 })
  const [first, second] = [await openClient(url, bearer(operatorToken)), await openClient(url, bearer(operatorToken))]
  const large = { type: 'ping', more: 'x'.repeat(64 * 1024) }
  for (let at = 0; at < 60; at++) first.send(large)
  await first.next(() => first.frames.filter(({ type }) => type === 'error').length === 60)
  second.send({ type: 'ping' })
  await second.next('pong')
  second.send(large)
  const { code, reason } = await second.closed
  assert.deepEqual([code, reason], [4429, 'rate_limited: at most 60 frames over 64 KB in 60 s'])
})

test('answers to gates and cancels over the socket count as changes', async (t) => {
  const { url } = await openHouse(t, { writesPerMinute: 1 })
  const client = await openClient(url, bearer(operatorToken))
  client.send({ type: 'cancel', thread_id: noThread })
  assert.equal((await client.next('error')).code, 'not_found')
  client.send({ type: 'cancel', thread_id: noThread })
  assert.equal((await client.next('error')).code, 'rate_limited')
  client.send({ type: 'gate', gate_id: 'x', thread_id: noThread, action: 'deny' })
  assert.equal((await client.next('error')).code, 'rate_limited')
})
