// Starts of a server, in process: what a call, a close and a stop may do meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../until.ts'
import { connectTo, echo, fakeServer } from './fake-server.ts'

const never = new AbortController().signal
const isCall = ({ method }: { method?: string }): boolean => method === 'tools/call'

test('no call overtakes the check of the list at a start', async () => {
  const server = fakeServer(({ id, method }, { send }) => {
    if (method === 'tools/call') queueMicrotask(() => send({ id, result: { content: [] } }))
    return method === 'tools/call'
  })
  const stored = Promise.withResolvers<void>()
  let listing = false
  const connection = connectTo([server], {
    onList() {
      listing = true
      return stored.promise
    },
  })
  const first = connection.call({ tool: echo, args: '{}', signal: never })
  await until(() => listing)
  const second = connection.call({ tool: echo, args: '{}', signal: never })
  await new Promise(setImmediate)
  assert.equal(connection.status().status, 'starting')
  assert.equal(server.seen.filter(isCall).length, 0)
  stored.resolve()
  await Promise.all([first, second])
  assert.equal(server.seen.filter(isCall).length, 2)
  await connection.stop()
})

test('a server that dies while its list is stored has failed, and counts for the restart limit', async () => {
  const server = fakeServer()
  const connection = connectTo([server], { onList: () => Promise.resolve(server.die()) })
  for (let time = 0; time < 4; time++) {
    await assert.rejects(connection.list(never), { code: 'tool_refused', message: /it died/ })
    assert.equal(connection.status().status, 'failed')
  }
  await assert.rejects(connection.list(never), { message: /left alone for a while: .*it died/ })
})

test('a server that failed is left alone no longer because the clock was set back', async (t) => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
  const server = fakeServer()
  const connection = connectTo([server], { onList: () => Promise.resolve(server.die()) })
  for (let time = 0; time < 5; time++) await assert.rejects(connection.list(never))
  t.mock.timers.setTime(Date.UTC(2026, 0, 1))
  passed += 60_000
  await assert.rejects(connection.list(never), { message: /^the MCP server \w+: it died/ })
})

for (const method of ['server/discover', 'initialize', 'tools/list']) {
  test(`a stop ends a start at once: ${method} has no answer`, async () => {
    const silent = fakeServer((rpc) => rpc.method === method)
    const connection = connectTo([silent])
    const list = connection.list(never)
    const failed = assert.rejects(list, { code: 'tool_refused' })
    await until(() => silent.seen.some((rpc) => rpc.method === method))
    await connection.stop()
    await failed
    assert.ok(silent.closed())
    const requests = silent.seen.filter(({ id }) => id !== undefined)
    assert.equal(requests.filter((rpc) => rpc.method === method).length, 1)
    assert.equal(requests.at(-1)?.method, method, 'nothing is asked after it')
    assert.deepEqual(connection.status(), { status: 'idle' })
  })
}

test('a start without an answer ends with the last words of the server', async () => {
  const silent = fakeServer(({ method }) => method === 'initialize')
  Object.assign(silent.opened, { lastWords: () => '; its last line was: waiting for the database' })
  const connection = connectTo([silent], { startMs: 1 })
  const message = /it did not answer in time; its last line was: waiting for the database$/
  await assert.rejects(connection.list(never), { code: 'tool_refused', message })
})

const probes = ({ seen }: { seen: readonly { method?: string }[] }): number =>
  seen.filter(({ method }) => method === 'server/discover').length

test('a server that dies at the probe is started in the older era, and so at the next start', async () => {
  const dies = fakeServer(({ method }, server) => {
    if (method === 'server/discover') queueMicrotask(() => server.die())
    return method === 'server/discover'
  })
  const ended = Promise.withResolvers<void>()
  dies.opened.transport.close = () => ended.promise
  const [second, third] = [fakeServer(), fakeServer()]
  const connection = connectTo([dies, second, third])
  const list = connection.list(never)
  await until(() => probes(dies) === 1)
  for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
  assert.deepEqual(second.seen, [], 'what it started is ended first')
  ended.resolve()
  await list
  await connection.stop()
  await connection.list(never)
  assert.deepEqual([dies, second, third].map(probes), [1, 0, 0])
  await connection.stop()
})

test('a server that fails in the older era too is probed again at the next start', async () => {
  const dying = (method: string) =>
    fakeServer((rpc, server) => {
      if (rpc.method === method) queueMicrotask(() => server.die())
      return rpc.method === method
    })
  const third = fakeServer()
  const connection = connectTo([dying('server/discover'), dying('initialize'), third])
  await assert.rejects(connection.list(never), { message: /it died/ })
  await connection.list(never)
  assert.equal(probes(third), 1)
  await connection.stop()
})

test('a fault of the network at the probe does not fix the older era', async () => {
  const unreachable = fakeServer(({ method }) => {
    if (method === 'server/discover') throw new Error('connect ECONNREFUSED')
    return false
  })
  const [second, third] = [fakeServer(), fakeServer()]
  const connection = connectTo([unreachable, second, third])
  await connection.list(never)
  await connection.stop()
  await connection.list(never)
  assert.equal(probes(third), 1)
  await connection.stop()
})

test('only the request that was answered with 401 asks for a sign-in', async () => {
  let calls = 0
  const server = fakeServer(({ id, method }, { send }) => {
    if (method !== 'tools/call') return false
    if (++calls === 1) throw new Error('401')
    if (calls === 2) queueMicrotask(() => send({ id, error: { code: -32000, message: 'busy' } }))
    return true
  })
  const connection = connectTo([server], { callMs: 50 })
  const call = (): Promise<unknown> => connection.call({ tool: echo, args: '{}', signal: never })
  await assert.rejects(call(), { code: 'credential_missing' })
  assert.equal(connection.status().status, 'sign_in')
  await assert.rejects(call(), { code: 'tool_refused', message: /busy/ })
  await assert.rejects(call(), { code: 'tool_refused', message: /did not answer within/ })
  await connection.stop()
})

test('a call that is answered with an error of the server needs no sign-in any more', async () => {
  let calls = 0
  const server = fakeServer(({ id, method }, { send }) => {
    if (method !== 'tools/call') return false
    if (++calls === 1) throw new Error('401')
    queueMicrotask(() => send({ id, error: { code: -32602, message: 'no such city' } }))
    return true
  })
  const connection = connectTo([server])
  const call = (): Promise<unknown> => connection.call({ tool: echo, args: '{}', signal: never })
  await assert.rejects(call(), { code: 'credential_missing' })
  assert.equal(connection.status().status, 'sign_in')
  await assert.rejects(call(), { code: 'tool_refused', message: /no such city/ })
  assert.equal(connection.status().status, 'ready')
  await connection.stop()
})
