// What holds for every route of the gateway: times, headers, errors, addresses, doors that are loaded.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Route } from '#http/routes.ts'
import { logTo } from '#lib/log.ts'
import { createHold } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'
import { bareGateway } from './bare-gateway.ts'

const bearer = `Authorization: Bearer ${operatorToken}\r\n`
const head = `POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${bearer}`

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
    /^HTTP\/1.1 431 [\s\S]*"code":"too_large","message":"[^"]* 16 KiB/,
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
  [
    'two hosts',
    'GET /api/health HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n',
    /^HTTP\/1.1 400 [\s\S]*more than one Host header","param":"Host"/,
  ],
  [
    'two hosts of a WebSocket',
    `GET /api/chat/ws HTTP/1.1\r\nHost: a\r\nHost: a\r\n${bearer}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
    /^HTTP\/1.1 400 [\s\S]*more than one Host header","param":"Host"/,
  ],
  ['no host in 1.0', 'GET /api/health HTTP/1.0\r\n\r\n', /^HTTP\/1.1 200 /],
]
for (const scheme of ['http', 'HTTPS']) {
  test(`a whole URL as the target of a request is taken by its path: ${scheme}`, async (t) => {
    const { port } = await openHouse(t)
    for (const [path, status] of [
      ['/api/health', 200],
      ['/api/threads', 401],
      ['/none', 404],
    ] as const) {
      const bare = openBare(port)
      bare.write(`GET ${scheme}://a${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      assert.match(await bare.closed, new RegExp(`^HTTP/1\\.1 ${status} `), path)
    }
  })
}

test('broken requests get a clear end and no stack', async (t) => {
  const { port } = await openHouse(t)
  for (const [what, text, expected] of broken) {
    const bare = openBare(port)
    bare.write(text)
    const answer = await bare.closed
    assert.match(answer, expected, what)
    assert.match(answer, /^x-request-id: \S+\r$/im, what)
    assert.doesNotMatch(answer, /\.js\b|\.ts\b|node:/, what)
  }
})

test('a search counts towards the rate of changes, a list does not', async (t) => {
  const { call } = await openHouse(t, { writesPerMinute: 2 })
  const status = async (path: string): Promise<number> => (await call('GET', path)).status
  for (const path of ['/api/threads', '/api/memory']) assert.equal(await status(path), 200)
  for (const path of ['/api/threads?q=a', '/api/memory?q=a']) assert.equal(await status(path), 200)
  for (const path of ['/api/threads?q=a', '/api/memory?q=a']) assert.equal(await status(path), 429)
  for (const path of ['/api/threads', '/api/memory']) assert.equal(await status(path), 200)
})

test('a client with a wrong base URL is told the right one', async (t) => {
  const { call } = await openHouse(t)
  const message = async (method: string, path: string): Promise<string> => (await call(method, path)).json.error.message
  for (const path of [
    '/responses',
    '/api/chat/completions',
    '/api/v1/v1/models',
    '/v1/chat/completions/chat/completions',
    '/v1/responses/chat/completions',
  ]) {
    assert.equal(await message('POST', path), `there is no ${path} here: the base URL of a client ends in /api/v1`)
  }
  for (const path of ['/api/v1//models', '/v1//chat/completions', '//api/v1/models']) {
    const wayOut = 'leave out the double slash: a base URL ends in /api/v1, without a slash'
    assert.equal(await message('POST', path), `there is no ${path} here: ${wayOut}`)
  }
  const azure = '/openai/deployments/m/chat/completions'
  const notAzure = 'use a client for OpenAI, not for Azure, with a base URL that ends in /api/v1'
  assert.equal(await message('POST', azure), `there is no ${azure} here: ${notAzure}`)
  for (const path of ['/api/v1/embeddings', '/models-x', '/v1/conversations/a/b/c', '/v1/constructor']) {
    assert.equal(await message('POST', path), `there is no ${path} here: /api/openapi.json lists the routes`)
  }
})

test('a client is told so by any host name: a path without a route has nothing to protect', async (t) => {
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  const bare = openBare((await gateway.listen('127.0.0.1', 0)).port)
  bare.write('POST /chat/completions HTTP/1.1\r\nHost: atrium.lan\r\nConnection: close\r\n\r\n')
  assert.match(await bare.closed, /^HTTP\/1.1 404 [\s\S]*the base URL of a client ends in \/api\/v1/)
})

test('a route of OpenAI that is not offered names its replacement', async (t) => {
  const { call } = await openHouse(t)
  for (const [path, instead] of [
    ['/v1/files', 'send a file in the message, as file_data'],
    ['/api/v1/files/file-1/content', 'send a file in the message, as file_data'],
    ['/v1/completions', 'send messages to /v1/chat/completions'],
    ['/v1/threads/t/runs', 'use /v1/conversations and /v1/responses'],
    ['/api/chat/', 'leave out the slash at the end'],
  ] as const) {
    assert.equal((await call('POST', path)).json.error.message, `there is no ${path} here: ${instead}`)
  }
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

test('of a refused origin and host the log has the beginning', async (t) => {
  const told: unknown[] = []
  const gateway = await bareGateway({ log: logTo((_level, fields) => told.push({ ...fields, request: '' }), 'warn') })
  t.after(() => gateway.close(0))
  gateway.mount({
    routes: [{ method: 'POST', path: '/api/in', who: 'anyone', summary: 'A sign-in', handle: () => ({}) }],
  })
  const bare = openBare((await gateway.listen('127.0.0.1', 0)).port)
  const long = 'evil.'.repeat(1_000)
  bare.write(`POST /api/in HTTP/1.1\r\nHost: ${long}\r\nOrigin: ${long}\r\nConnection: close\r\n\r\n`)
  assert.match(await bare.closed, /^HTTP\/1.1 403 /)
  const shown = long.slice(0, 200)
  assert.deepEqual(told, [{ request: '', host: shown, origin: shown }])
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
  gateway.mountLater(['/api'], () => (fault ? Promise.reject(fault) : Promise.resolve(() => [{ routes: [threads] }])))
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
