// The end of the gateway: what is open may finish, nothing idle holds it, and the rest is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Caller } from '#http/caller.ts'
import { createHold } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { bearer, openClient, Refused } from '../doors/web/socket.ts'
import { openBare } from './socket.ts'

/** A grace that no test lives to see the end of: what closes before it did not wait for it. */
const endless = 24 * 60 * 60 * 1000
const down = '{"error":{"code":"shutting_down","message":"the service is going down: try again"}}'
const bound = { timeout: 60_000 }
const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${operatorToken}\r\n`

test('open requests finish within the grace, and then the gateway is closed at once', bound, async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const answer = house.call('POST', '/api/chat', { body: { message: 'hi' } })
  await hold.asked
  const closing = house.close(endless)
  await assert.rejects(fetch(`${house.url}/api/health`), 'no new connection is taken')
  hold.release('done')
  assert.equal((await answer).json.response, 'done')
  await closing
})

test('at the end of the grace a waiting chat is answered running, so that its ids are known', async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const answer = house.call('POST', '/api/chat', { body: { message: 'hi' } })
  await hold.asked
  await house.gateway.close(50)
  const { status, json } = await answer
  assert.equal(status, 200)
  assert.equal(json.status, 'running')
})

test('what does not end is cut after the grace', bound, async (t) => {
  const house = await openHouse(t)
  const bare = openBare(house.port)
  bare.write(`POST /api/chat ${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`)
  const silent = openBare(house.port)
  await house.call('GET', '/api/status')
  await house.gateway.close(100)
  await Promise.all([bare.closed, silent.closed])
})

test('idle connections do not hold the end', bound, async (t) => {
  const house = await openHouse(t)
  const bare = openBare(house.port)
  bare.write(`GET /api/health ${head}\r\n`)
  await bare.until('"ok"')
  await house.gateway.close(endless)
  await bare.closed
})

test('a request on an open connection while the gateway closes is 503, in its own shape', async (t) => {
  const hold = createHold()
  const house = await openHouse(t, { say: hold.say })
  const body = '{"message":"hi"}'
  const bare = openBare(house.port)
  const post = `POST /api/chat ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  bare.write(post)
  await hold.asked
  const closing = house.close(30_000)
  bare.write(post)
  hold.release('done')
  const text = await bare.closed
  await closing
  assert.match(
    text,
    /HTTP\/1.1 200 OK[\s\S]*"response":"done"[\s\S]*HTTP\/1.1 503 [\s\S]*retry-after: 5[\s\S]*"code":"shutting_down"/i,
  )
})

test('a WebSocket whose caller is still looked up is refused, and never holds the end', bound, async (t) => {
  const never = () => Promise.reject(new Error('not asked for'))
  for (const found of [true, false]) {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: caller, resolve: find } = Promise.withResolvers<Caller>()
    const authenticate = (): Promise<Caller> => {
      ask()
      return caller
    }
    const house = await openHouse(t, { oidc: () => ({ authenticate, isKnown: never, begin: never, finish: never }) })
    const opened = assert.rejects(openClient(house.url, bearer('eyJ.a.b')), found ? new Refused(503, down) : /hang up/)
    await asked
    const closing = house.gateway.close(found ? endless : 50)
    if (found) find({ user: userId('ada'), name: 'ada', operator: false })
    await Promise.all([closing, opened])
  }
})
