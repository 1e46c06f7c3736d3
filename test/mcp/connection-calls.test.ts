// Calls over a connection, in process: how many at once, whose questions are asked, and what a new start begins with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lostCode } from '#mcp/answer-body.ts'
import { until } from '../until.ts'
import { answer, call, callsSeen, connectTo, type FakeServer, fakeServer, type Rpc } from './fake-server.ts'

const never = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Waits in a test whose timers stand still. */
async function soon(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    assert.ok(turns < 100_000, 'it did not come to hold')
    await settled()
  }
}

/** Takes every call and leaves the answer to the test. */
const silentServer = (): FakeServer => fakeServer(({ method }) => method === 'tools/call')

test('eight calls are under way at once; the next one goes out when one of them ends', async (t) => {
  const server = silentServer()
  const connection = connectTo([server])
  t.after(() => connection.stop())
  const calls = Array.from({ length: 9 }, () => call(connection))
  await until(() => callsSeen(server).length === 8)
  await settled()
  assert.equal(callsSeen(server).length, 8)
  answer(server, 0)
  await until(() => callsSeen(server).length === 9)
  for (let at = 1; at < 9; at++) answer(server, at)
  await Promise.all(calls)
})

test('a call that goes out just before a server would be stopped as idle is not cut off', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const server = silentServer()
  const connection = connectTo([server], { idleMs: 5_000 })
  await connection.list(never)
  t.mock.timers.tick(4_999)
  const called = [call(connection), call(connection)]
  await soon(() => callsSeen(server).length === 2)
  t.mock.timers.tick(1)
  assert.equal(server.closed(), false)
  answer(server, 0)
  await called[0]
  t.mock.timers.tick(5_000)
  await settled()
  assert.equal(server.closed(), false)
  answer(server, 1)
  await called[1]
  t.mock.timers.tick(5_000)
  await soon(() => server.closed())
})

test('progress renews the time of a call', async (t) => {
  const renewed = Promise.withResolvers<void>()
  const server = silentServer()
  const connection = connectTo([server], { callMs: 1_000 })
  t.after(() => connection.stop())
  await connection.list(never)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const called = call(connection, { onProgress: () => renewed.resolve() })
  await soon(() => callsSeen(server).length > 0)
  t.mock.timers.tick(999)
  const { params } = callsSeen(server)[0] as { params?: { _meta?: { progressToken?: number } } }
  const progress = { progressToken: params?._meta?.progressToken, progress: 1 }
  server.send({ method: 'notifications/progress', params: progress })
  await renewed.promise
  t.mock.timers.tick(999)
  answer(server, 0)
  assert.ok(await called)
})

test('a server is not started again before the last one of it has ended', async (t) => {
  const [first, second] = [fakeServer(), silentServer()]
  const ended = Promise.withResolvers<void>()
  const connection = connectTo([first, second])
  t.after(() => connection.stop())
  await connection.list(never)
  first.opened.transport.close = () => ended.promise
  first.die()
  const list = connection.list(never)
  await settled()
  assert.deepEqual(second.seen, [])
  ended.resolve()
  await list
  assert.ok(second.seen.length > 0)
})

test('a server that needs a sign-in may be tried as often as one likes', async () => {
  const server = fakeServer(({ method }) => {
    if (method === 'initialize') throw new Error('401')
    return false
  })
  const connection = connectTo([server])
  for (let time = 0; time < 6; time++) {
    await assert.rejects(connection.list(never), { code: 'credential_missing' })
    assert.equal(connection.status().status, 'sign_in')
  }
})

test('a call that succeeds needs no sign-in any more', async (t) => {
  let calls = 0
  const server = fakeServer(({ id, method }, { send }) => {
    if (method !== 'tools/call') return false
    if (++calls === 1) throw new Error('401')
    queueMicrotask(() => send({ id, result: { content: [] } }))
    return true
  })
  const connection = connectTo([server])
  t.after(() => connection.stop())
  await assert.rejects(call(connection), { code: 'credential_missing' })
  await call(connection)
  assert.equal(connection.status().status, 'ready')
})

test('of a long fault of the server the beginning is told', async (t) => {
  const server = silentServer()
  const connection = connectTo([server])
  t.after(() => connection.stop())
  const called = assert.rejects(call(connection), (error: Error) => {
    assert.match(error.message, /^the MCP server fake: .*x{1900}/)
    return error.message.length < 2_100
  })
  await until(() => callsSeen(server).length === 1)
  server.send({ id: callsSeen(server)[0]?.id, error: { code: -32603, message: 'x'.repeat(100_000) } })
  await called
})

test('a call under way when the server closes the connection without a word says so', async () => {
  const server = silentServer()
  const connection = connectTo([server])
  const lost = assert.rejects(call(connection), { code: 'tool_refused', message: /: it closed the connection$/ })
  await until(() => callsSeen(server).length === 1)
  server.opened.transport.onclose?.()
  await lost
  assert.deepEqual(connection.status(), { status: 'failed', error: 'it closed the connection' })
})

test('a stop while the list is stored says so to the caller that waits for the start', async () => {
  const stored = Promise.withResolvers<void>()
  let storing = false
  const connection = connectTo([fakeServer()], {
    onList() {
      storing = true
      return stored.promise
    },
  })
  const failed = assert.rejects(connection.list(never), { code: 'tool_refused', message: /it was stopped/ })
  await until(() => storing)
  const stopped = connection.stop()
  stored.resolve()
  await Promise.all([failed, stopped])
  assert.deepEqual(connection.status(), { status: 'idle' })
})

/** Asks the person of the one call under way, and returns the answer that the server gets. */
async function question({ send, seen }: FakeServer): Promise<unknown> {
  const requestedSchema = { type: 'object', properties: {} }
  send({ id: 'q', method: 'elicitation/create', params: { message: '?', requestedSchema } })
  const told = (): Rpc | undefined => seen.find(({ id, method }) => id === 'q' && method === undefined)
  await until(() => told() !== undefined)
  return told()?.result
}

test('after a call without an answer nobody of another thread is asked, until the server is started anew', async (t) => {
  const servers = [silentServer(), silentServer()] as const
  const connection = connectTo(servers)
  t.after(() => connection.stop())
  const elicit = () => Promise.resolve({ action: 'accept', content: {} })
  /** Makes a call and stops it once the server has it and `during` is over. */
  const stopped = async (server: FakeServer, threadId: string, during = (): Promise<unknown> => Promise.resolve()) => {
    const before = callsSeen(server).length
    const stop = new AbortController()
    const over = assert.rejects(call(connection, { threadId, elicit, signal: stop.signal }), { name: 'AbortError' })
    await until(() => callsSeen(server).length > before)
    const told = await during()
    stop.abort()
    await over
    return told
  }
  const [first, second] = servers
  await stopped(first, 'a')
  assert.deepEqual(await stopped(first, 'b', () => question(first)), { action: 'decline' })
  await connection.stop()
  assert.deepEqual(await stopped(second, 'b', () => question(second)), { action: 'accept', content: {} })
})

test('a call whose answer was lost on the way is one without an answer', async (t) => {
  const server = silentServer()
  const connection = connectTo([server])
  t.after(() => connection.stop())
  const lost = assert.rejects(call(connection, { threadId: 'a' }), { code: 'tool_refused', message: /cut off/ })
  await until(() => callsSeen(server).length === 1)
  server.send({ id: callsSeen(server)[0]?.id, error: { code: lostCode, message: 'cut off' } })
  await lost
  const asked = call(connection, { threadId: 'b', elicit: () => assert.fail('was asked') })
  await until(() => callsSeen(server).length === 2)
  assert.deepEqual(await question(server), { action: 'decline' })
  answer(server, 1)
  await asked
})
