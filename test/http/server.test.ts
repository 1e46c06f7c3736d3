// What holds for every route of the gateway: sizes, times, headers, errors, ports, the end.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { createOrigins } from '#http/origin.ts'
import type { Route } from '#http/routes.ts'
import { createGateway, type GatewayParts } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { createHold } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'

const bearer = `Authorization: Bearer ${operatorToken}\r\n`
const head = `POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${bearer}`
const mebibyte = 1024 * 1024
type Fault = { readonly error: { readonly message: string } }

async function bareGateway(options: Pick<GatewayParts, 'trustProxy' | 'refusal'> = {}) {
  return createGateway({
    auth: {
      operatorTokens: [operatorToken],
      accounts: { findByToken: () => Promise.resolve(undefined) },
      sessions: { find: () => Promise.resolve(undefined) },
    },
    origins: createOrigins({ allowed: [], names: [], trustProxy: false }),
    health: { ping: () => Promise.resolve(), draining: () => false },
    chatLimit: { take: () => Promise.resolve() },
    chatsPerMinute: 0,
    writeLimit: { take: () => {} },
    log: silentLog,
    ...options,
  })
}

test('a body of 14 MiB is read, one byte more is 413', async (t) => {
  const { call } = await openHouse(t)
  const body = (size: number) => `{"message":"hi","more":"${'a'.repeat(size - 26)}"}`
  assert.equal(Buffer.byteLength(body(14 * mebibyte)), 14 * mebibyte)
  assert.equal((await call('POST', '/api/chat', { body: body(14 * mebibyte) })).status, 200)
  for (const path of ['/api/chat', '/api/users']) {
    const refused = await call('POST', path, { body: body(14 * mebibyte + 1) })
    assert.equal(refused.status, 413)
    assert.equal(refused.json.error.code, 'too_large')
  }
})

test('a body of unknown length is cut off at the limit of its route, which is told', async (t) => {
  const { url } = await openHouse(t)
  for (const [path, limit] of [
    ['/api/chat', '14 MiB'],
    ['/api/login', '16 KB (16384 bytes)'],
  ]) {
    let sent = 0
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.alloc(mebibyte, 'a'))
        if (++sent === 16) controller.close()
      },
    })
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body: stream, duplex: 'half' })
    assert.equal(response.status, 413)
    assert.equal(((await response.json()) as Fault).error.message, `the body is larger than ${limit}`)
  }
})

test('an announced length over the limit is refused before a byte is sent', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head}Expect: 100-continue\r\nContent-Length: ${14 * mebibyte + 1}\r\n\r\n`)
  assert.match(await bare.until('too_large'), /^HTTP\/1.1 413 /)
  bare.end()
})

test('who sends a whole body, and the end of the connection with it, can read why it was refused', async (t) => {
  const { port } = await openHouse(t)
  const socket = connect(port, '127.0.0.1')
  const size = 15 * mebibyte
  // Nothing is read before all is written, as simple clients have it.
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(`${head}Connection: close\r\nContent-Length: ${size}\r\n\r\n`)
    socket.write('a'.repeat(size), (fault) => (fault ? reject(fault) : resolve()))
  })
  assert.match((await socket.setEncoding('utf8').take(1).toArray()).join(''), /^HTTP\/1.1 413 /)
  socket.destroy()
})

test('a client that asks first is told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n`)
  assert.match(await bare.until('\r\n\r\n'), /^HTTP\/1.1 100 Continue/)
  bare.write('{"message":"hi"}')
  assert.match(await bare.until('you said'), /HTTP\/1.1 200 OK/)
  bare.end()
})

test('a client that asks first with a wrong type is refused, not told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  bare.write(`${head.replace('application/json', 'text/plain')}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n`)
  assert.match(await bare.until('unsupported_media_type'), /^HTTP\/1.1 415 /)
  bare.end()
})

test('a client of HTTP/1.0 is not told to go on', async (t) => {
  const { port } = await openHouse(t)
  const bare = openBare(port)
  const old = head.replace('HTTP/1.1', 'HTTP/1.0')
  bare.write(`${old}Expect: 100-continue\r\nContent-Length: 16\r\n\r\n{"message":"hi"}`)
  assert.match(await bare.until('you said'), /^HTTP\/1.1 200 OK/)
  bare.end()
})

test('a half-sent request ends by itself, its head or its body missing', async (t) => {
  const { port } = await openHouse(t, { timeouts: { headersMs: 150, requestMs: 200, checkMs: 20 } })
  for (const part of ['GET /api/st', `${head}Content-Length: 100\r\n\r\n{"mess`]) {
    const bare = openBare(port)
    bare.write(part)
    const text = await bare.closed
    assert.match(text, /^HTTP\/1.1 408 /)
    assert.match(text, /"code":"request_timeout"/)
  }
})

test('a slow answer is not a slow request', async (t) => {
  const hold = createHold()
  const { call, port } = await openHouse(t, {
    say: hold.say,
    timeouts: { headersMs: 1_000, requestMs: 1_000, checkMs: 20 },
  })
  const answer = call('POST', '/api/chat', { body: { message: 'hi' } })
  await hold.asked
  // A request that began later and is slow was ended.
  const slow = openBare(port)
  slow.write('GET /api/st')
  assert.match(await slow.closed, /^HTTP\/1.1 408 /)
  hold.release('late')
  assert.equal((await answer).json.response, 'late')
})

const broken: readonly [what: string, text: string, expected: RegExp][] = [
  ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*"code":"invalid_input"/],
  [
    'a long head',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1.1 431 [\s\S]*"code":"too_large"/,
  ],
  [
    'a bad escape',
    `GET /api/%zz HTTP/1.1\r\nHost: a\r\n${bearer}Connection: close\r\n\r\n`,
    /^HTTP\/1.1 404 [\s\S]*"code":"not_found"/,
  ],
  [
    'a bad escape without a token',
    'GET /api/%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    /^HTTP\/1.1 401 [\s\S]*Invalid or missing auth token$/,
  ],
  ['no host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*"param":"Host"/],
  ['no host in 1.0', 'GET /api/health HTTP/1.0\r\n\r\n', /^HTTP\/1.1 200 /],
]
test('broken requests get a clear end and no stack', async (t) => {
  const { port } = await openHouse(t)
  for (const [what, text, expected] of broken) {
    const bare = openBare(port)
    bare.write(text)
    const answer = await bare.closed
    assert.match(answer, expected, what)
    assert.match(answer, /^x-request-id: \S+\r$/im, what)
    assert.doesNotMatch(answer, /\.js|\.ts|node:/, what)
  }
})

test('other media types are 415, and a body without one', async (t) => {
  const { call } = await openHouse(t)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
    const { status, json } = await call('POST', '/api/chat', {
      body: '{"message":"hi"}',
      headers: { 'content-type': type },
    })
    assert.equal(status, 415, type)
    assert.equal(json.error.code, 'unsupported_media_type')
  }
  const charset = { 'content-type': 'Application/JSON; charset=UTF-8' }
  assert.equal((await call('POST', '/api/chat', { body: '{"message":"hi"}', headers: charset })).status, 200)
})

test('a compressed body is 415, whichever door it comes to', async (t) => {
  const { call } = await openHouse(t)
  for (const [path, encoding] of [
    ['/api/chat', 'gzip'],
    ['/api/v1/responses', 'br'],
    ['/v1/responses', 'gzip, identity'],
  ] as const) {
    const headers = { 'content-encoding': encoding }
    const { status, json } = await call('POST', path, { body: '{"message":"hi"}', headers })
    assert.equal(status, 415, path)
    assert.equal(json.error.code, 'unsupported_media_type')
    assert.match(json.error.message, /not compressed/)
  }
  const identity = { 'content-encoding': 'Identity' }
  assert.equal((await call('POST', '/api/chat', { body: { message: 'hi' }, headers: identity })).status, 200)
})

test('a search counts towards the rate of changes, a list does not', async (t) => {
  const { call } = await openHouse(t, { writesPerMinute: 2 })
  const status = async (path: string): Promise<number> => (await call('GET', path)).status
  for (const path of ['/api/threads', '/api/memory']) assert.equal(await status(path), 200)
  for (const path of ['/api/threads?q=a', '/api/memory?q=a']) assert.equal(await status(path), 200)
  for (const path of ['/api/threads?q=a', '/api/memory?q=a']) assert.equal(await status(path), 429)
  for (const path of ['/api/threads', '/api/memory']) assert.equal(await status(path), 200)
})

test('unknown paths are 404, known paths under another method 405', async (t) => {
  const { call } = await openHouse(t)
  for (const path of ['/api/nowhere', '/v1/nowhere', '/nowhere', '/', '/api/chat/', '/api/jobs/x/y']) {
    const { status, json } = await call('GET', path)
    assert.equal(status, 404, path)
    assert.equal(json.error.code, 'not_found')
  }
  for (const [method, path, allow] of [
    ['GET', '/api/chat', 'POST'],
    ['PUT', '/api/jobs', 'GET, HEAD'],
    ['POST', '/api/threads/x', 'GET, HEAD, PATCH, DELETE'],
  ] as const) {
    const { status, json, headers } = await call(method, path)
    assert.equal(status, 405, path)
    assert.equal(json.error.code, 'method_not_allowed')
    assert.deepEqual(headers.get('allow')?.split(', ').sort(), allow.split(', ').sort())
  }
})

test('every answer of the API is kept from caches and sniffing, and names no software', async (t) => {
  const { call } = await openHouse(t)
  for (const [path, token] of [
    ['/api/health', null],
    ['/api/status', operatorToken],
    ['/api/status', null],
    ['/api/jobs?limit=x', operatorToken],
    ['/api/nowhere', operatorToken],
    ['/v1/nowhere', operatorToken],
    ['/api/%zz', operatorToken],
  ] as const) {
    const { headers } = await call('GET', path, { token })
    assert.equal(headers.get('cache-control'), 'no-store', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(headers.get('x-powered-by'), null)
    assert.equal(headers.get('server'), null)
  }
})

test('a bug is 500 without its words, a database away 503 in the words of an unchecked token', async (t) => {
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  const failing = (path: string, error: Error): Route => {
    return { method: 'GET', path, who: 'user', summary: 'Fails', handle: () => Promise.reject(error) }
  }
  const away = new AppError('database_unavailable', 'no connection to db.internal:5432', { retryAfterSecs: 3 })
  gateway.mount({ routes: [failing('/api/bug', new Error('secret words')), failing('/api/away', away)] })
  const { url } = await gateway.listen('localhost', 0)
  const headers = { authorization: `Bearer ${operatorToken}` }
  const bug = await fetch(`${url}/api/bug`, { headers })
  assert.equal(bug.status, 500)
  assert.doesNotMatch(await bug.text(), /secret|at /)
  const answer = await fetch(`${url}/api/away`, { headers })
  assert.equal(answer.status, 503)
  assert.equal(answer.headers.get('retry-after'), '3')
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(await answer.text(), 'Database unavailable')
})

test('ready tells why work cannot be taken; health does not mind', async (t) => {
  let fault: Error | undefined
  const { call } = await openHouse(t, { ping: () => (fault ? Promise.reject(fault) : Promise.resolve()) })
  assert.deepEqual((await call('GET', '/api/ready', { token: null })).json, { status: 'ready' })
  fault = new AppError('database_unavailable', 'postgres://user:secret@host is away')
  const { status, json } = await call('GET', '/api/ready', { token: null })
  assert.equal(status, 503)
  assert.deepEqual(json, { status: 'unavailable', reasons: ['the database is unavailable'] })
  assert.deepEqual((await call('GET', '/api/health', { token: null })).json, { status: 'ok' })
})

test('a service that is going down is not ready, and says so', async (t) => {
  let draining = false
  const { call } = await openHouse(t, { draining: () => draining })
  assert.equal((await call('GET', '/api/ready', { token: null })).status, 200)
  draining = true
  const { status, json } = await call('GET', '/api/ready', { token: null })
  assert.equal(status, 503)
  assert.deepEqual(json.reasons, ['the service is going down'])
})

test('a gateway that closes is not ready, whatever the service says', async (t) => {
  const hold = createHold()
  const { port, gateway } = await openHouse(t, { say: hold.say })
  const bare = openBare(port)
  bare.write(`${head}Content-Length: 16\r\n\r\n{"message":"hi"}`)
  await hold.asked
  const closing = gateway.close(30_000)
  bare.write('GET /api/ready HTTP/1.1\r\nHost: a\r\n\r\n')
  hold.release('done')
  assert.match(
    await bare.closed,
    /"response":"done"[\s\S]*HTTP\/1.1 503 [\s\S]*"reasons":\["the service is going down"\]/,
  )
  await closing
})

test('a port in use is told with the way out', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  await assert.rejects(gateway.listen('127.0.0.1', port), (error: AppError) => {
    assert.equal(error.code, 'port_in_use')
    assert.match(error.message, new RegExp(`port ${port} on 127.0.0.1 .*GATEWAY_PORT`))
    return true
  })
})

test('an address of another machine is told with the variable', async (t) => {
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  await assert.rejects(gateway.listen('203.0.113.7', 0), (error: AppError) => {
    assert.equal(error.code, 'invalid_config')
    assert.match(error.message, /203.0.113.7.*GATEWAY_HOST/)
    return true
  })
})

test('the address of a client is what trusted proxies say', async (t) => {
  for (const [trustProxy, expected] of [
    [false, '127.0.0.1'],
    [1, '10.0.0.2'],
    [2, '10.0.0.1'],
    [['127.0.0.1'], '10.0.0.2'],
    [['192.0.2.1'], '127.0.0.1'],
  ] as const) {
    const gateway = await bareGateway({ trustProxy })
    t.after(() => gateway.close(0))
    const route: Route = {
      method: 'GET',
      path: '/ip',
      who: 'anyone',
      summary: 'An address',
      handle: ({ ip }) => ({ ip }),
    }
    gateway.mount({ routes: [route] })
    const { url } = await gateway.listen('127.0.0.1', 0)
    const response = await fetch(`${url}/ip`, { headers: { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' } })
    assert.deepEqual(await response.json(), { ip: expected })
  }
})

const threads: Route = {
  method: 'GET',
  path: '/api/threads',
  who: 'user',
  summary: 'Threads',
  handle: () => ({ threads: [] }),
}
/** A bare gateway that listens. */
async function openGateway(t: TestContext) {
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  const { port, url } = await gateway.listen('127.0.0.1', 0)
  return { gateway, port, get: (path: string, headers = {}) => fetch(url + path, { headers }) }
}

const asOperator = { authorization: `Bearer ${operatorToken}` }

test('an API path with escapes is an API path', async (t) => {
  const { gateway, get } = await openGateway(t)
  gateway.mount({ routes: [threads] })
  for (const url of ['/api/threads', '/%61pi/threads', '/ap%69/threads?x=1']) {
    const { status, headers } = await get(url, asOperator)
    assert.equal(status, 200, url)
    assert.equal(headers.get('cache-control'), 'no-store', url)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
  }
  for (const url of ['/api/nowhere', '/%61pi/nowhere', '/%761', '/v%31/nowhere?x'])
    assert.equal((await get(url)).status, 401, url)
  for (const url of ['/apis', '/api%2Fthreads', '/v10']) assert.equal((await get(url)).status, 404, url)
})

test('a door that cannot be loaded is told to authenticated callers alone', async (t) => {
  const { gateway, get } = await openGateway(t)
  let fault: Error | undefined = new Error('no file')
  gateway.mountLater(['/api'], () => (fault ? Promise.reject(fault) : Promise.resolve([{ routes: [threads] }])))
  const statusOf = async (headers?: object): Promise<number> => (await get('/api/threads', headers)).status
  assert.equal(await statusOf(), 401)
  assert.equal(await statusOf(asOperator), 500)
  fault = undefined
  assert.equal(await statusOf(asOperator), 200)
})

test('an error before a door is loaded has the shape of the door', async (t) => {
  const { gateway, port } = await openGateway(t)
  gateway.mountLater(
    ['/v1'],
    () => Promise.reject(new Error('was loaded')),
    ({ param }) => ({ own: param }),
  )
  const bare = openBare(port)
  bare.write('GET /v1/models HTTP/1.1\r\n\r\n')
  assert.match(await bare.until('Host"}'), /^HTTP\/1.1 400 .*\{"own":"Host"\}$/s)
  bare.end()
})

test('a turn that finds no place is refused with Retry-After before its body is sent; one with a key is not', async (t) => {
  const full = new AppError('overloaded', 'full', { retryAfterSecs: 2 })
  let asked = 0
  const gateway = await bareGateway({
    refusal() {
      asked++
      return full
    },
  })
  t.after(() => gateway.close(0))
  const { port } = await gateway.listen('127.0.0.1', 0)
  const handle = () => 'taken'
  gateway.mount({
    routes: [
      { method: 'POST', path: '/api/chat', who: 'user', counted: true, startsTurn: true, summary: '', handle },
      { method: 'POST', path: '/api/fork', who: 'user', counted: true, summary: '', handle },
    ],
  })
  const answerTo = async (sent: string, mark: string): Promise<string> => {
    const bare = openBare(port)
    bare.write(sent)
    const answer = await bare.until(mark)
    bare.end()
    return answer
  }
  // Its body never comes.
  const refused = await answerTo(`${head}Content-Length: 16\r\n\r\n`, 'overloaded')
  assert.match(refused, /^HTTP\/1.1 503 [\s\S]*retry-after: 2\r\n/i)
  assert.equal(asked, 1)
  await answerTo(`${head}Idempotency-Key: a\r\nContent-Length: 2\r\n\r\n{}`, 'taken')
  await answerTo(`${head.replace('chat', 'fork')}Content-Length: 2\r\n\r\n{}`, 'taken')
  assert.equal(asked, 1)
})
