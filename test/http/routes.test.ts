// Who may call which route: every row of the gateway, tried by a stranger, a user and the operator.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHouse } from '../doors/web/house.ts'

/** Where a browser comes back to that brings nothing: a page says so. */
const callback = '/api/tools/oauth/callback'
const open = ['GET /api/health', 'GET /api/ready', 'POST /api/login', `GET ${callback}`]
const operators = ['GET /metrics', 'GET /api/users', 'POST /api/users', 'DELETE /api/users/:name']
  .concat(['GET /api/users/:name/tokens', 'POST /api/users/:name/tokens', 'DELETE /api/users/:name/tokens/:id'])
  .concat(['PATCH /api/tools/:name', 'DELETE /api/tools/:name', 'POST /api/tools/:name/test'])
  .concat(['GET /api/senders', 'GET /api/settings', 'PATCH /api/settings', 'POST /api/settings/test'])
const counted = ['/api/chat', '/api/chat/send', '/api/v1/responses', '/v1/responses']
  .concat(['/api/v1/responses/compact', '/v1/responses/compact'])
  .map((path) => `POST ${path}`)

test('each route says who may call it and what counts for the chat rate, and only these are open or the operator’s', async (t) => {
  const { gateway } = await openHouse(t)
  const named = (who: string) =>
    gateway.routes().flatMap((row) => (row.who === who ? [`${row.method} ${row.path}`] : []))
  assert.deepEqual(named('anyone').sort(), open.toSorted())
  assert.deepEqual(named('operator').sort(), operators.toSorted())
  const counting = gateway.routes().flatMap((row) => (row.counted ? [`${row.method} ${row.path}`] : []))
  assert.deepEqual(counting.sort(), counted.toSorted())
})

test('a stranger is 401 everywhere but at the open routes, a user 403 at the operator’s', async (t) => {
  const { gateway, call, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  for (const { method, path, who } of gateway.routes()) {
    const url = path.replace(/:\w+|\*/g, 'x')
    const stranger = await call(method, url, { token: null })
    const wrong = await call(method, url, { token: 'nonsense' })
    const user = await call(method, url, { token: ada })
    const welcome = method === 'GET' && path !== callback ? 200 : 400
    if (who === 'anyone') assert.equal(stranger.status, welcome, url)
    else assert.deepEqual([stranger.status, stranger.text], [401, 'Invalid or missing auth token'], `${method} ${url}`)
    if (who !== 'anyone') assert.equal(wrong.status, 401, `${method} ${url}`)
    if (who === 'operator') assert.deepEqual([user.status, user.text], [403, 'Forbidden'], `${method} ${url}`)
    else assert.ok(user.status !== 401 && user.status !== 403, `${method} ${url}: ${user.status}`)
    const seen = method === 'GET' && who === 'anyone'
    assert.equal((await call('HEAD', url, { token: null })).status, seen ? welcome : 401)
  }
})
