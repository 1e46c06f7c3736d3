// Who comes in: tokens, their spelling, and what strangers are told.
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { credentialOf } from '#http/auth.ts'
import { gatewayToken, openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'
import { fake } from '../fake.ts'

const refusedText = 'Invalid or missing auth token'

const spellings: readonly [what: string, header: string | undefined, status: number][] = [
  ['no header', undefined, 401],
  ['the operator', `Bearer ${operatorToken}`, 200],
  ['the gateway', `Bearer ${gatewayToken}`, 200],
  ['a user', 'Bearer token-of-ada', 200],
  ['another case', `bEARER ${operatorToken}`, 200],
  ['several spaces', `Bearer    ${operatorToken}   `, 200],
  ['a tab', `Bearer\t${operatorToken}`, 200],
  ['an empty header', '', 401],
  ['the scheme alone', 'Bearer', 401],
  ['the token alone', operatorToken, 401],
  ['another scheme', `Basic ${operatorToken}`, 401],
  ['no space', `Bearer${operatorToken}`, 401],
  ['two tokens', `Bearer ${operatorToken} ${operatorToken}`, 401],
  ['a list', `Bearer ${operatorToken}, Bearer ${operatorToken}`, 401],
  ['a wrong token', 'Bearer nope', 401],
  ['a prefix', `Bearer ${operatorToken.slice(0, -1)}`, 401],
  ['a longer one', `Bearer ${operatorToken}x`, 401],
  ['another case of the token', `Bearer ${operatorToken.toUpperCase()}`, 401],
  ['a long one', `Bearer ${'x'.repeat(4_096)}`, 401],
  ['a huge one', `Bearer ${'x'.repeat(12_000)}`, 401],
  ['bytes beyond ASCII', 'Bearer \xfc\xff', 401],
]
test('tokens are read from the header in every spelling that the rules allow', async (t) => {
  const { url, addUser } = await openHouse(t)
  await addUser('ada')
  for (const [what, header, status] of spellings) {
    const response = await fetch(`${url}/api/jobs`, { headers: header === undefined ? {} : { authorization: header } })
    const text = await response.text()
    assert.equal(response.status, status, `${what}: ${text}`)
    if (status !== 401) continue
    assert.equal(text, refusedText, what)
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
})

const longest = 'x'.repeat(12 * 1024)
const credentials: readonly [what: string, headers: readonly string[], credential: object | undefined][] = [
  ['nothing', [], undefined],
  ['a token', ['Authorization', 'Bearer a'], { bearer: 'a' }],
  ['the longest token', ['Authorization', `Bearer ${longest}`], { bearer: longest }],
  ['a longer token', ['Authorization', `Bearer ${longest}x`], undefined],
  ['two tokens', ['Authorization', 'Bearer a', 'authorization', 'Bearer a'], undefined],
  ['a header with a similar name', ['Authorization', 'Bearer a', 'authorizatioN2', 'Bearer b'], { bearer: 'a' }],
  ['a cookie', ['Cookie', 'atrium_session=s'], { cookie: 's' }],
  ['a cookie beside a token', ['Cookie', 'atrium_session=s', 'Authorization', 'Bearer a'], { bearer: 'a' }],
  ['a cookie beside a broken token', ['Cookie', 'atrium_session=s', 'Authorization', 'Basic a'], undefined],
]
for (const [what, rawHeaders, credential] of credentials) {
  test(`the credential of a request with ${what}`, () => {
    const headers: Record<string, string> = {}
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers[(rawHeaders[at] ?? '').toLowerCase()] ??= rawHeaders[at + 1] ?? ''
    }
    assert.deepEqual(credentialOf(fake<IncomingMessage>({ headers, rawHeaders })), credential)
  })
}

test('several Authorization headers are refused, whichever is right', async (t) => {
  const { port } = await openHouse(t)
  for (const others of ['Basic x', `Bearer ${operatorToken}`, 'Bearer nope']) {
    const bare = openBare(port)
    bare.write(
      `GET /api/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${operatorToken}\r\naUTHORIZATION: ${others}\r\n\r\n`,
    )
    assert.match(await bare.until(refusedText), /^HTTP\/1.1 401 /)
    bare.end()
  }
})

test('no token is taken from a query, a cookie or another header', async (t) => {
  const { call } = await openHouse(t)
  for (const name of ['token', 'access_token', 'auth', 'authorization']) {
    assert.equal((await call('GET', `/api/jobs?${name}=${operatorToken}`, { token: null })).status, 401)
  }
  const headers = {
    cookie: `token=${operatorToken}`,
    'x-api-key': operatorToken,
    'proxy-authorization': `Bearer ${operatorToken}`,
  }
  assert.equal((await call('GET', '/api/jobs', { token: null, headers })).status, 401)
})

test('every route but the open ones asks for a token, unknown ones of the API too', async (t) => {
  const { call } = await openHouse(t)
  const shut = [
    ['GET', '/api/status'],
    ['POST', '/api/chat'],
    ['POST', '/api/chat/send'],
    ['GET', '/api/jobs'],
    ['GET', '/api/jobs/x'],
    ['GET', '/api/threads'],
    ['GET', '/api/users'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nowhere'],
    ['DELETE', '/api/status'],
    ['POST', '/v1/nowhere'],
    ['GET', '/%61pi/jobs'],
    ['GET', '/api/health/x'],
  ] as const
  for (const [method, path] of shut) {
    const { status, text } = await call(method, path, { token: null })
    assert.equal(status, 401, `${method} ${path}`)
    assert.equal(text, refusedText)
  }
  for (const path of ['/api/health', '/api/ready']) assert.equal((await call('GET', path, { token: null })).status, 200)
})

test('a body of 20 MB under a wrong token is answered 401 without being read', async (t) => {
  const { port } = await openHouse(t)
  const head = 'POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer nope\r\n'
  const bare = openBare(port)
  bare.write(`${head}Content-Length: 20000000\r\n\r\n`)
  // Not a byte of the body has been sent.
  assert.match(await bare.until(refusedText), /^HTTP\/1.1 401 /)
  bare.end()
  const asking = openBare(port)
  asking.write(`${head}Expect: 100-continue\r\nContent-Length: 20000000\r\n\r\n`)
  assert.match(await asking.until(refusedText), /^HTTP\/1.1 401 /, 'nobody was told to go on')
  asking.end()
})

test('a client that sends all of a refused body still reads the answer', async (t) => {
  const { port } = await openHouse(t)
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request({ port, method: 'POST', path: '/api/chat', headers: { 'content-type': 'application/json' } })
    sent.on('error', reject)
    sent.on('response', (response) => {
      void text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject)
    })
    for (let at = 0; at < 20; at++) sent.write(Buffer.alloc(1_000_000, 'a'))
    sent.end()
  })
  assert.equal(answer, `401 ${refusedText}`)
})

test('while the token store is away any token gets 503, and none gets 401', async (t) => {
  let away = false
  const { call, addUser } = await openHouse(t, { storeAway: () => away })
  const ada = await addUser('ada')
  away = true
  for (const token of [operatorToken, gatewayToken, ada, 'nope']) {
    const { status, text, headers } = await call('GET', '/api/jobs', { token })
    assert.equal(status, 503)
    assert.equal(text, 'Database unavailable')
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(headers.get('retry-after'), '5')
  }
  assert.equal((await call('GET', '/api/jobs', { token: null })).status, 401)
  assert.equal((await call('GET', '/api/health', { token: null })).status, 200)
  away = false
  assert.equal((await call('GET', '/api/jobs', { token: ada })).status, 200)
})

test('a lookup that fails is 503, whatever failed', async (t) => {
  const faults = [new AppError('database_unavailable', 'away'), new Error('a bug')]
  const wrapStore = (store: Store): Store => ({
    ...store,
    accounts: { ...store.accounts, findByToken: () => Promise.reject(faults.shift() ?? new Error('x')) },
  })
  const { call } = await openHouse(t, { wrapStore })
  for (const _ of [1, 2]) {
    const { status, text } = await call('GET', '/api/jobs', { token: 'a-user' })
    assert.equal(status, 503)
    assert.equal(text, 'Database unavailable')
  }
  assert.equal((await call('GET', '/api/jobs')).status, 200)
})
