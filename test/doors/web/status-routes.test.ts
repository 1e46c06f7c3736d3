// GET /api/status and GET /api/openapi.json.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { noUsage } from '#core/turn.ts'
import { createHold } from '../test-app.ts'
import { openHouse } from './house.ts'

/** The cost of today is read on the day it was made. */
const now = () => Date.UTC(2026, 0, 31, 12)

test('the status has exactly its fields', async (t) => {
  const { call } = await openHouse(t, { now })
  await call('POST', '/api/chat', { body: { message: 'hello' } })
  const { status, json } = await call('GET', '/api/status')
  assert.equal(status, 200)
  const { uptime_secs: uptime, connections, storage, ...rest } = json
  assert.ok(storage.used_bytes > 1_000)
  assert.equal(storage.max_bytes, null)
  assert.equal(uptime, 5)
  assert.ok(connections >= 1)
  assert.deepEqual(rest, {
    status: 'ok',
    version: '1.2.3',
    active_jobs: 0,
    llm_backend: 'test',
    llm_model: 'test-1',
    database_backend: 'sqlite',
    sandbox_enabled: false,
    doors: [{ name: 'web', address: 'http://127.0.0.1' }],
    cost_today_usd: 0.25,
    unpriced_calls_today: 0,
  })
})

test('a day without a known price costs null, and one with some tells how many calls are not in it', async (t) => {
  const { call, store } = await openHouse(t, { now })
  const add = (costUsd: number | null) =>
    store.usage.add(operator, 'web', { model: 'm', usage: { ...noUsage, costUsd }, ms: 1 })
  const today = async () => {
    const { cost_today_usd, unpriced_calls_today } = (await call('GET', '/api/status')).json
    return [cost_today_usd, unpriced_calls_today]
  }
  assert.deepEqual(await today(), [0, 0])
  await add(null)
  assert.deepEqual(await today(), [null, 1])
  await add(0.5)
  assert.deepEqual(await today(), [0.5, 1])
})

test('a user sees their own jobs and cost, the operator those of all', async (t) => {
  const hold = createHold()
  const { call, addUser } = await openHouse(t, { say: hold.say })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  await call('POST', '/api/chat/send', { token: ada, body: { message: 'long' } })
  const active = async (token?: string) => (await call('GET', '/api/status', token ? { token } : {})).json.active_jobs
  assert.deepEqual([await active(ada), await active(bob), await active()], [1, 0, 1])
})

test('the OpenAPI document is made once for requests that come together', async (t) => {
  const { call, gateway } = await openHouse(t)
  const routes = t.mock.method(gateway, 'routes')
  const all = await Promise.all([1, 2, 3].map(() => call('GET', '/api/openapi.json')))
  assert.deepEqual(
    all.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(routes.mock.callCount(), 1)
})

test('the OpenAPI document names every route of every door, and no other', async (t) => {
  const { call, gateway } = await openHouse(t)
  const { status, json } = await call('GET', '/api/openapi.json')
  assert.equal(status, 200)
  assert.equal(json.openapi, '3.1.0')
  const told = Object.entries<object>(json.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const rows = (await gateway.routes()).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(told.sort(), rows.map((row) => row.replace('*', '{rest}')).sort())
  const body = json.paths['/api/chat'].post.requestBody.content['application/json'].schema
  assert.equal(body.properties.attachments.anyOf[0].items.properties.name.type, 'string')
  const names = json.paths['/api/jobs'].get.parameters.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['status', 'user', 'limit', 'cursor', 'total'])
  assert.match(json.paths['/api/users'].get.summary, /operator/)
  assert.deepEqual(json.paths['/api/health'].get.security, [])
})
