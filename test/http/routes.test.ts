// Who may call which route: every row of the gateway, tried by a stranger, a user and the operator.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHouse, operatorToken } from '../doors/web/house.ts'

/** Where a browser comes back to that brings nothing: a page says so. */
const callbacks = ['/api/tools/oauth/callback', '/api/mcp/oauth/callback']
const open = ['GET /api/health', 'GET /api/ready', 'POST /api/login', ...callbacks.map((path) => `GET ${path}`)]
const operators = ['GET /metrics', 'GET /api/users', 'POST /api/users', 'DELETE /api/users/:name']
  .concat(['GET /api/users/:name/tokens', 'POST /api/users/:name/tokens', 'DELETE /api/users/:name/tokens/:id'])
  .concat(['PATCH /api/tools/:name', 'DELETE /api/tools/:name', 'POST /api/tools/:name/test'])
  .concat(['GET /api/mcp', 'POST /api/mcp', 'DELETE /api/mcp/:name', 'PATCH /api/mcp/:name/tools/:tool'])
  .concat(['review', 'test', 'auth'].map((verb) => `POST /api/mcp/:name/${verb}`))
  .concat(['GET /api/senders', 'GET /api/settings', 'PATCH /api/settings', 'POST /api/settings/test'])
  .concat(['test', 'models'].map((verb) => `POST /api/settings/connection/${verb}`))
const carryFiles = ['/api/chat', '/api/chat/send', '/api/v1/responses', '/v1/responses']
  .concat(['/api/v1/responses/compact', '/api/v1/chat/completions', '/v1/chat/completions', '/v1/responses/compact'])
  .concat(['/api/v1/responses/input_tokens', '/v1/responses/input_tokens'])
  .concat(['/api/v1/conversations', '/v1/conversations'])
  .concat(['/api/v1/conversations/:id/items', '/v1/conversations/:id/items'])
  .map((path) => `POST ${path}`)
const counted = [...carryFiles, 'POST /api/threads/:id/fork', 'POST /api/missions/:id/run'].concat([
  'POST /api/notifications/ways/:id/test',
  'POST /api/threads/import',
])
/** With the query `q` these count towards the rate of changes. */
const searches = ['GET /api/memory', 'GET /api/threads', 'GET /api/threads/:id/find']
/** Refused before the body is read while the process is full. */
const startTurns = ['/api/chat', '/api/chat/send', '/api/v1/responses', '/v1/responses'].map((path) => `POST ${path}`)

test('each route says who may call it and what counts for the chat rate, and only these are open or the operator’s', async (t) => {
  const { gateway } = await openHouse(t)
  const routes = await gateway.routes()
  const named = (who: string) => routes.flatMap((row) => (row.who === who ? [`${row.method} ${row.path}`] : []))
  assert.deepEqual(named('anyone').sort(), open.toSorted())
  assert.deepEqual(named('operator').sort(), operators.toSorted())
  for (const [flag, wanted] of [
    ['counted', counted],
    ['searches', searches],
    ['startsTurn', startTurns],
  ] as const) {
    const flagged = routes.flatMap((row) => (row[flag] ? [`${row.method} ${row.path}`] : []))
    assert.deepEqual(flagged.sort(), wanted.toSorted(), flag)
  }
})

test('a stranger is 401 everywhere but at the open routes, a user 403 at the operator’s', async (t) => {
  const { gateway, call, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  for (const { method, path, who } of await gateway.routes()) {
    const url = path.replace(/:\w+|\*/g, 'x')
    const stranger = await call(method, url, { token: null })
    const wrong = await call(method, url, { token: 'nonsense' })
    const user = await call(method, url, { token: ada })
    const welcome = method === 'GET' && !callbacks.includes(path) ? 200 : 400
    if (who === 'anyone') assert.equal(stranger.status, welcome, url)
    else assert.deepEqual([stranger.status, stranger.text], [401, 'Invalid or missing auth token'], `${method} ${url}`)
    if (who !== 'anyone') assert.equal(wrong.status, 401, `${method} ${url}`)
    if (who === 'operator') assert.deepEqual([user.status, user.text], [403, 'Forbidden'], `${method} ${url}`)
    else assert.ok(user.status !== 401 && user.status !== 403, `${method} ${url}: ${user.status}`)
    const seen = method === 'GET' && who === 'anyone'
    assert.equal((await call('HEAD', url, { token: null })).status, seen ? welcome : 401)
  }
})

const mebibyte = 1024 * 1024

test('only routes that carry files or large texts take 14 MiB, all others 64 KB', async (t) => {
  const { gateway } = await openHouse(t)
  const large = (await gateway.routes()).flatMap(({ method, path, maxBodyBytes }) =>
    maxBodyBytes === undefined ? [] : [[`${method} ${path}`, maxBodyBytes / mebibyte] as const],
  )
  const texts = [
    'PUT /api/memory/documents/*',
    'PATCH /api/threads/:id/queued/:turn',
    'POST /api/threads/:id/gates/:gate',
    'POST /api/missions',
    'PATCH /api/missions/:id',
  ]
  const trials = ['POST /api/tools/:name/test', 'POST /api/mcp/:name/test']
  const files = [...carryFiles, 'POST /api/skills', 'POST /api/threads/import']
  assert.deepEqual(new Map(large), new Map([...files, ...texts, ...trials].map((row) => [row, 14] as const)))
})

test('every route that changes something has a rate: beyond it 429, and the other routes go on', async (t) => {
  const { gateway, call, addUser } = await openHouse(t, { perMinute: 1, writesPerMinute: 1 })
  for (const [at, { method, path, who }] of (await gateway.routes()).entries()) {
    // Sign-ins are counted by address; their own tests look at that.
    if (who === 'anyone' || method === 'GET') continue
    const token = who === 'operator' ? operatorToken : await addUser(`user-${at}`)
    const url = path.replace(/:\w+|\*/g, 'x')
    await call(method, url, { token })
    const refused = await call(method, url, { token })
    assert.equal(refused.status, 429, `${method} ${url}`)
    assert.ok(Number(refused.headers.get('retry-after')) > 0, `${method} ${url}`)
    assert.equal((await call('GET', '/api/session', { token })).status, 200)
  }
})
