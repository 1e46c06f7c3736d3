// What one caller may hold: answers that nobody reads, and requests in flight.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { userId } from '#core/ids.ts'
import { openEvents } from '#http/sse.ts'
import { hashToken } from '#lib/token.ts'
import { createInFlight, dropUnreadAnswer } from '#http/in-flight.ts'
import { createHold, eventually } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'

const mebibyte = 1024 * 1024
/** More than the kernel keeps between two sockets of one machine. */
const huge = 'a'.repeat(32 * mebibyte)
const piece = `: ${'a'.repeat(64 * 1024)}\n\n`

/** A connection that sends a request and never reads. Tells when the other side has ended it. */
function deafClient(t: TestContext, port: number, path: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${operatorToken}\r\n\r\n`)
  return new Promise((resolve) => {
    socket.once('error', () => resolve())
    socket.once('close', () => resolve())
  })
}

test('whether an answer is read is looked at twice in its time', () => {
  const times: number[] = []
  dropUnreadAnswer({ setTimeout: (ms: number) => times.push(ms) } as unknown as ServerResponse, 60_000)
  assert.deepEqual(times, [30_000])
})

test('an answer that nobody reads is dropped', { timeout: 60_000 }, async (t) => {
  const { gateway, port } = await openHouse(t, {
    timeouts: { unreadMs: 100 },
    mount: [{ method: 'GET', path: '/api/huge', who: 'user', summary: '', handle: () => huge }],
  })
  const dropped = new Promise<void>((resolve) => {
    gateway.fastify.server.on('connection', (socket) => socket.once('close', () => resolve()))
  })
  void deafClient(t, port, '/api/huge')
  await dropped
})

test('a stream that nobody reads is dropped, while it lasts and at its end', { timeout: 60_000 }, async (t) => {
  const times = { keepaliveMs: 20, unreadMs: 100 }
  const gone = { open: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() }
  const { port } = await openHouse(t, {
    mount: (['open', 'ended'] as const).map((kind) => ({
      method: 'GET' as const,
      path: `/api/${kind}`,
      who: 'user' as const,
      summary: '',
      handle(_request, reply) {
        const writer = openEvents(reply, () => gone[kind].resolve(), times)
        if (kind === 'ended') return writer.end(huge)
        // Just enough to pile up: more would be dropped for its size.
        const fill = (): void => {
          if (reply.raw.destroyed || reply.raw.writableLength > 4 * piece.length) return
          writer.send(piece)
          setImmediate(fill)
        }
        return fill()
      },
    })),
  })
  void deafClient(t, port, '/api/open')
  void deafClient(t, port, '/api/ended')
  await Promise.all([gone.open.promise, gone.ended.promise])
})

test('a stream ends with its token, and goes on while nobody can tell', { timeout: 60_000 }, async (t) => {
  const times = { keepaliveMs: 20, unreadMs: 60_000 }
  let away = false
  const { call, url, store, addUser } = await openHouse(t, {
    storeAway: () => away,
    mount: [
      {
        method: 'GET',
        path: '/api/stream',
        who: 'user',
        summary: '',
        handle: (_request, reply) => openEvents(reply, () => {}, times).send(': here\n\n'),
      },
    ],
  })
  await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('second') })
  const response = await fetch(`${url}/api/stream`, { headers: { authorization: 'Bearer second' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (times: number): Promise<void> => {
    for (let text = ''; text.split('keepalive').length <= times; ) text += (await reader?.read())?.value ?? ''
  }
  await read(2)
  away = true
  await read(2)
  away = false
  const { tokens } = (await call('GET', '/api/users/ada/tokens')).json
  const { id } = tokens.find((each: { id: string }) => hashToken('second').startsWith(each.id))
  assert.equal((await call('DELETE', `/api/users/ada/tokens/${id}`)).status, 204)
  await assert.rejects(async () => {
    while (!(await reader?.read())?.done);
  }, /terminated/)
})

test('answers to one user are made four at a time; of 64 requests the others wait, further ones are refused', async (t) => {
  const gate = Promise.withResolvers<object>()
  let inside = 0
  const full = Promise.withResolvers<void>()
  let came = 0
  const hold = createHold()
  const { call, addUser, gateway } = await openHouse(t, {
    say: hold.say,
    mount: [
      {
        method: 'GET',
        path: '/api/slow',
        who: 'user',
        summary: '',
        handle() {
          inside++
          return gate.promise
        },
      },
    ],
  })
  const ada = await addUser('ada')
  gateway.fastify.server.on('request', () => {
    if (++came === 64) full.resolve()
  })
  const waiting = Array.from({ length: 64 }, () => call('GET', '/api/slow', { token: ada }))
  await full.promise
  await eventually(async () => inside === 4)
  assert.equal(inside, 4)
  const refused = await call('GET', '/api/jobs', { token: ada })
  assert.equal(refused.status, 429)
  assert.equal(refused.json.error.code, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await call('GET', '/api/jobs')).status, 200)
  const send = { token: ada, body: { message: 'hi' } }
  assert.equal((await call('POST', '/api/chat/send', send)).status, 202)
  gate.resolve({})
  assert.deepEqual([...new Set((await Promise.all(waiting)).map(({ status }) => status))], [200])
  assert.equal((await call('GET', '/api/jobs', { token: ada })).status, 200)
})

test('messages under way have a bound of their own, and make room when they are through', () => {
  const inFlight = createInFlight(1_000, 2)
  const caller = { user: userId('ada'), name: 'ada', operator: false }
  const answers = Array.from({ length: 3 }, () => new EventEmitter() as ServerResponse)
  const send = (at: number): void => inFlight.begin(caller, true, answers[at] ?? assert.fail())
  send(0)
  send(1)
  assert.throws(() => send(2), /you already have 2 requests in progress/)
  answers[0]?.emit('close')
  send(2)
})

test('whoever reads no answers gets four of them held, and harms nobody else', { timeout: 60_000 }, async (t) => {
  let made = 0
  const { port, call, addUser } = await openHouse(t, {
    timeouts: { quotaWaitMs: 50 },
    mount: [
      {
        method: 'GET',
        path: '/api/huge',
        who: 'user',
        summary: '',
        handle() {
          made++
          return huge
        },
      },
    ],
  })
  const ada = await addUser('ada')
  for (let at = 0; at < 20; at++) void deafClient(t, port, '/api/huge')
  const refused = await eventually(async () => {
    const answer = await call('GET', '/api/jobs')
    return answer.status === 429 && answer
  })
  assert.match(refused.json.error.message, /have not read/)
  assert.equal(made, 4)
  assert.equal((await call('GET', '/api/jobs', { token: ada })).status, 200)
  assert.equal((await call('GET', '/api/health', { token: null })).status, 200)
})

test('a stream holds no place: its user reads on beside it', async (t) => {
  let open = 0
  const { port, call } = await openHouse(t, {
    timeouts: { quotaWaitMs: 50 },
    mount: [
      {
        method: 'GET',
        path: '/api/stream',
        who: 'user',
        summary: '',
        handle(_request, reply) {
          open++
          openEvents(reply, () => {}).send(': here\n\n')
        },
      },
    ],
  })
  for (let at = 0; at < 8; at++) void deafClient(t, port, '/api/stream')
  await eventually(async () => open === 8)
  assert.equal((await call('GET', '/api/jobs')).status, 200)
})

test('a place that was waited for in vain is not lost', async (t) => {
  const gate = Promise.withResolvers<object>()
  let inside = 0
  const handle = (): Promise<object> => (inside++, gate.promise)
  const { port, call } = await openHouse(t, {
    timeouts: { quotaWaitMs: 200 },
    mount: [{ method: 'GET', path: '/api/slow', who: 'user', summary: '', handle }],
  })
  const held = Array.from({ length: 4 }, () => call('GET', '/api/slow'))
  await eventually(async () => inside === 4)
  for (let at = 0; at < 8; at++) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /api/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${operatorToken}\r\n\r\n`)
    socket.once('connect', () => setImmediate(() => socket.destroy()))
  }
  assert.equal((await call('GET', '/api/jobs')).status, 429)
  gate.resolve({})
  await Promise.all(held)
  for (let at = 0; at < 4; at++) assert.equal((await call('GET', '/api/jobs')).status, 200)
})
