// Bodies on their way in: half-sent ones share a room, and whole ones give theirs back.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createBodyQuota } from '#http/body-quota.ts'
import type { Route } from '#http/routes.ts'
import { eventually } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'

const mebibyte = 1024 * 1024
const big = 14 * mebibyte

/** A request whose head says that much is to come, and of which one byte comes. */
function halfSent(t: TestContext, port: number, path: string, more: string) {
  const bare = openBare(port)
  t.after(() => bare.end())
  bare.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${more}\r\n`)
  return bare
}

const asOperator = `Authorization: Bearer ${operatorToken}\r\n`
const timeouts = { quotaWaitMs: 100 }

test('half-sent bodies of one user are held up to 128 MiB: small ones, other users and what has come whole go on', async (t) => {
  const gate = Promise.withResolvers<object>()
  let inside = 0
  const slow: Route = {
    method: 'POST',
    path: '/api/slow',
    who: 'user',
    maxBodyBytes: 2 * mebibyte,
    summary: '',
    handle: () => (++inside, gate.promise),
  }
  const { port, call, addUser } = await openHouse(t, { timeouts, mount: [slow] })
  const ada = await addUser('ada')
  const asks = `${asOperator}Expect: 100-continue\r\n`
  // The last one has no length: it may come to the largest there is.
  const sizes = [...Array.from({ length: 8 }, () => `Content-Length: ${big}\r\n`), 'Transfer-Encoding: chunked\r\n']
  const half = sizes.map((size) => halfSent(t, port, '/api/chat/send', `${asks}${size}`))
  await Promise.all(half.map((each) => each.until('100 Continue')))
  const more = await halfSent(t, port, '/api/chat/send', `${asks}Content-Length: ${big}\r\n`).until('rate_limited')
  assert.match(more, /^HTTP\/1.1 429 [^]*retry-after: 1\r\n/i)
  assert.equal((await call('POST', '/api/chat/send', { body: { message: 'hi' } })).status, 202)
  const body = JSON.stringify('a'.repeat(1.5 * mebibyte))
  const answers = []
  // Two of these do not fit at once: the first has come, and waits for its answer.
  for (const [at, token] of [operatorToken, operatorToken, ada].entries()) {
    answers.push(call('POST', '/api/slow', { token, body }))
    await eventually(async () => inside === at + 1)
  }
  gate.resolve({})
  assert.deepEqual([...new Set((await Promise.all(answers)).map(({ status }) => status))], [200])
  half[0]?.end()
  await eventually(async () => {
    const again = halfSent(t, port, '/api/chat/send', `${asks}Content-Length: ${big}\r\n`)
    return (await again.until('\r\n\r\n')).startsWith('HTTP/1.1 100 ')
  })
})

test('an address without a token has 20 bodies on their way; others sign in meanwhile', async (t) => {
  const { port, call } = await openHouse(t, { timeouts, trustProxy: 1 })
  const from = 'X-Forwarded-For: 192.0.2.1\r\nExpect: 100-continue\r\nContent-Length: 100\r\n'
  const half = Array.from({ length: 20 }, () => halfSent(t, port, '/api/login', from))
  await Promise.all(half.map((each) => each.until('100 Continue')))
  assert.match(await halfSent(t, port, '/api/login', from).until('rate_limited'), /^HTTP\/1.1 429 /)
  const good = { token: null, body: { token: operatorToken } }
  const signIn = (address: string) => call('POST', '/api/login', { ...good, headers: { 'x-forwarded-for': address } })
  assert.equal((await signIn('192.0.2.2')).status, 200)
  assert.equal((await call('GET', '/api/session', { headers: { 'x-forwarded-for': '192.0.2.1' } })).status, 200)
  half[0]?.end()
  await eventually(async () => (await signIn('192.0.2.1')).status === 200)
})

/** A request with a large body, and its answer. */
function largeBody(user: string) {
  const request = { headers: { 'content-length': String(mebibyte) } } as IncomingMessage
  const answer = new EventEmitter() as ServerResponse
  return { request, answer, limit: big, user, address: () => '192.0.2.1' }
}

test('parsed bodies of one user share 256 MiB until their answers are sent, and give their transit back before', async () => {
  const quota = createBodyQuota(20)
  const parse = async (user: string, size: number) => {
    const body = largeBody(user)
    await quota.take(body)
    await quota.reserveParsed(body.request, size * mebibyte)
    quota.bodyRead(body.request)
    return body
  }
  const first = await parse('ada', 200)
  const refused = { code: 'rate_limited', message: /^your requests in progress hold too much data/, retryAfterSecs: 1 }
  await assert.rejects(parse('ada', 57), refused)
  await parse('ada', 56)
  await parse('bob', 200)
  first.answer.emit('close')
  await parse('ada', 200)
  // What is read holds nothing of the 128 MiB in transit.
  for (let at = 0; at < 200; at++) await parse(`user ${at % 2}`, 0)
})

test('a handler has let its body go when it waits for something', async (t) => {
  const seen: unknown[] = []
  const route: Route = {
    method: 'POST',
    path: '/api/waits',
    who: 'user',
    summary: '',
    async handle(request) {
      seen.push(request.body)
      await Promise.resolve()
      seen.push(request.body)
      return {}
    },
  }
  const { call } = await openHouse(t, { mount: [route] })
  await call('POST', '/api/waits', { body: { a: 1 } })
  assert.deepEqual(seen, [{ a: 1 }, undefined])
})
