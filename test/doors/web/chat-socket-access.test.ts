// Who may open the live connection, and when it ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { openBare } from '../../http/socket.ts'
import { until } from '../../until.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, openClient } from './socket.ts'
import { hourMs, never, noThread, refused } from './socket-refusals.ts'

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

test('a first frame while the database is away is told to come back, not that its token is bad', async (t) => {
  const { url } = await openHouse(t, { storeAway: () => true })
  const client = await openClient(url)
  client.send({ type: 'auth', token: operatorToken })
  assert.deepEqual(await client.closed, { code: 1013, reason: 'database_unavailable: try again in a moment' })
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

test('whoever an issuer still vouches for, but who is somebody else here by now, is no longer connected', async (t) => {
  let user = userId('first')
  const authenticate = () => Promise.resolve({ user, name: 'ada', operator: false })
  const { url } = await openHouse(t, { oidc: () => ({ authenticate, isKnown: never, begin: never, finish: never }) })
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
    assert.match(answer, /\r\n\r\n\{"error":\{"code":"\w+","message":"[^"]+"/)
  }
  for (const path of ['/api/chat/ws', '/ws']) {
    const answer = await call('GET', path)
    assert.deepEqual([answer.status, answer.json.error.code], [426, 'upgrade_required'])
    assert.equal((await call('GET', path, { token: null })).status, 401)
  }
  // Whatever else a client would like to speak, it is answered as it is.
  assert.equal((await call('GET', '/api/jobs', { headers: { 'x-a': 'b' } })).status, 200)
})
