// Bodies on their way in: half-sent ones share a room, and whole ones give theirs back.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
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
