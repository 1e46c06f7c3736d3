// Bodies and frames of every shape: none brings a 500, and the service answers afterwards as before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../any-text.ts'
import { openHouse, operatorToken } from './house.ts'
import { bearer, openClient } from './socket.ts'

const seed = 20_261_115
const names = [
  'message',
  'content',
  'thread_id',
  'attachments',
  'title',
  'before_seq',
  'token',
  'code',
  'everywhere',
].concat(['action', 'scope', 'for', 'word', 'enabled', 'params', 'provider', 'policy', 'name', 'type', 'ref', 'after'])
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText(), fc.double(), fc.constant('x'.repeat(5_000)))
const body = fc.oneof(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }), value)

test('a body of any shape is answered, never with a fault of the service', async (t) => {
  const { call, gateway } = await openHouse(t)
  const routes = (await gateway.routes()).filter(({ method, path }) => method !== 'GET' && path !== '/api/login')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), body, async ({ method, path }, given) => {
      const url = path.replace(/:\w+|\*/g, 'x')
      const { status, text } = await call(method, url, { body: JSON.stringify(given ?? null) })
      assert.ok(status < 500, `${method} ${path}: ${status} ${text.slice(0, 200)}`)
    }),
    { seed, numRuns: 300 },
  )
  assert.equal((await call('GET', '/api/status')).status, 200)
})

test('a frame of any shape is answered or told wrong, never as a fault of the service', async (t) => {
  const { url } = await openHouse(t)
  const types = ['message', 'cancel', 'gate', 'subscribe', 'unsubscribe', 'ping', 'auth']
  const frame = fc
    .record({ type: fc.constantFrom(...types) })
    .chain((typed) =>
      fc
        .dictionary(
          fc.constantFrom('message', 'thread_id', 'gate_id', 'action', 'after', 'ref', 'word', 'scope'),
          value,
          { maxKeys: 5 },
        )
        .map((more) => ({ ...more, ...typed })),
    )
  let client = await openClient(url, bearer(operatorToken))
  let sent = 0
  await fc.assert(
    fc.asyncProperty(fc.oneof(frame, body), async (given) => {
      // A connection takes two hundred frames in ten seconds.
      if (++sent % 80 === 0) {
        client.ws.close()
        client = await openClient(url, bearer(operatorToken))
      }
      client.send(JSON.stringify(given ?? null))
      client.send({ type: 'ping', ref: `p${sent}` })
      await client.next((each) => each.type === 'pong' && each.ref === `p${sent}`)
      assert.ok(
        !client.frames.some(({ type, code }) => type === 'error' && code === 'internal'),
        JSON.stringify(given).slice(0, 300),
      )
    }),
    { seed, numRuns: 250 },
  )
})

test('a NUL in a path or a query names nothing, and is told so', async (t) => {
  const { call } = await openHouse(t)
  const asked = [
    ['DELETE', '/api/grants/%00', 404],
    ['DELETE', '/api/tools/x/secrets/%00', 404],
    ['GET', '/api/users/%00/tokens', 404],
    ['GET', '/api/memory?cursor=%00', 400],
    ['GET', '/api/jobs?cursor=%00', 400],
  ] as const
  for (const [method, path, status] of asked) assert.equal((await call(method, path)).status, status, path)
})

test('a field of a query that is given twice is told so at every list', async (t) => {
  const { call } = await openHouse(t)
  for (const path of ['threads', 'jobs', 'memory', 'usage', 'notifications/outbox', 'gates/answered']) {
    const field = path === 'usage' ? 'days' : path === 'gates/answered' ? 'since' : 'limit'
    const { status, text } = await call('GET', `/api/${path}?${field}=1&${field}=2`)
    assert.equal(status, 400, path)
    assert.match(text, new RegExp(`"${field} stands in the query more than once"`))
  }
})
