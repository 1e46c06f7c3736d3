// The limits of the live connection: frames, connections, rates.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { defaultBounds, frameLimitsOf } from '#http/socket.ts'
import { says } from '../test-app.ts'
import { until } from '../../until.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, openClient } from './socket.ts'
import { noThread } from './socket-refusals.ts'

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

test('pings that come together are answered by a few pongs, the last ping always', async (t) => {
  const { url } = await openHouse(t)
  const { ws } = await openClient(url, bearer(operatorToken))
  const socket = Reflect.get(ws, '_socket') as Socket
  let pongs = 0
  const answered = new Promise<void>((resolve) => {
    ws.on('pong', (data: Buffer) => {
      pongs++
      if (data.toString() === 'last') resolve()
    })
  })
  socket.cork()
  for (let at = 0; at < 20_000; at++) ws.ping()
  ws.ping('last')
  socket.uncork()
  await answered
  assert.ok(pongs < 2_000, `${pongs} pongs`)
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
