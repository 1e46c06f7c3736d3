// What one caller may hold: answers that nobody reads, and requests in flight.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openEvents } from '#http/sse.ts'
import { createHold } from '../doors/hall.ts'
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

test('an answer that nobody reads is dropped', { timeout: 20_000 }, async (t) => {
  const { gateway, port } = await openHouse(t, {
    timeouts: { unreadMs: 100 },
    mount: [{ method: 'GET', path: '/api/huge', who: 'user', summary: '', handle: () => huge }],
  })
  const dropped = new Promise<void>((resolve) => {
    gateway.app.server.on('connection', (socket) => socket.once('close', () => resolve()))
  })
  void deafClient(t, port, '/api/huge')
  await dropped
})

test('a stream that nobody reads is dropped, while it lasts and at its end', { timeout: 20_000 }, async (t) => {
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

test('one user has 64 reads under way and no more; others, and messages, are not held up', async (t) => {
  const gate = Promise.withResolvers<object>()
  let inside = 0
  const full = Promise.withResolvers<void>()
  const hold = createHold()
  const { call, addUser } = await openHouse(t, {
    say: hold.say,
    mount: [
      {
        method: 'GET',
        path: '/api/slow',
        who: 'user',
        summary: '',
        handle() {
          if (++inside === 64) full.resolve()
          return gate.promise
        },
      },
    ],
  })
  const ada = await addUser('ada')
  const waiting = Array.from({ length: 64 }, () => call('GET', '/api/slow', { token: ada }))
  await full.promise
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
