// A server whose list of tools changes: when it is read and stored again, and what calls wait for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { until } from '../until.ts'
import { answer, call, callsSeen, connectTo, echo, type FakeServer, fakeServer } from './fake-server.ts'

const never = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A server that announces changes of its list; `lists` are the answers in turn. */
function changingServer(...lists: readonly object[]): FakeServer {
  let reads = 0
  return fakeServer(({ id, method }, { send }) => {
    const serverInfo = { name: 'fake', version: '1' }
    const capabilities = { tools: { listChanged: true } }
    if (method === 'initialize')
      queueMicrotask(() => send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } }))
    else if (method === 'tools/list') queueMicrotask(() => send({ id, ...lists[reads++] }))
    else return false
    return true
  })
}

const listOf = (name: string): object => ({ result: { tools: [{ name, inputSchema: echo.schema }] } })
const listsSeen = ({ seen }: FakeServer): number => seen.filter(({ method }) => method === 'tools/list').length

test('a list that changes while it is stored at a start is stored again', async (t) => {
  const server = changingServer(listOf('old'), listOf('new'))
  const stored: (readonly string[])[] = []
  const connection = connectTo([server], {
    async onList({ tools }) {
      stored.push(tools.map(({ name }) => name))
      if (stored.length > 1) return
      server.send({ method: 'notifications/tools/list_changed' })
      await until(() => listsSeen(server) === 2)
      await settled()
    },
  })
  t.after(() => connection.stop())
  await connection.list(never)
  assert.deepEqual(stored, [['old'], ['new']])
})

test('a changed list that cannot be read is told, and no call is made until it can be read', async (t) => {
  const noList = { error: { code: -32603, message: 'no list today' } }
  const server = changingServer(listOf('old'), noList, noList, listOf('new'))
  const told: string[] = []
  const stored: (readonly string[])[] = []
  const connection = connectTo([server], {
    onError: ({ message }) => told.push(message),
    onList: ({ tools }) => Promise.resolve(void stored.push(tools.map(({ name }) => name))),
  })
  t.after(() => connection.stop())
  await connection.list(never)
  server.send({ method: 'notifications/tools/list_changed' })
  await until(() => told.some((message) => message.includes('no list today')))
  const { status, error } = connection.status()
  assert.equal(status, 'failed')
  assert.match(error ?? '', /no list today/)
  await assert.rejects(call(connection), { code: 'tool_refused', message: /no list today/ })
  assert.deepEqual([callsSeen(server).length, stored], [0, [['old']]])
  const made = call(connection)
  await until(() => callsSeen(server).length === 1)
  assert.deepEqual([connection.status().status, stored], ['ready', [['old'], ['new']]])
  answer(server, 0)
  await made
})

test('a changed list that only a signed-in client may read is told as a sign-in until it can be read', async (t) => {
  const server = changingServer(listOf('old'), listOf('new'))
  const told: Error[] = []
  const connection = connectTo([server], { onError: (error) => told.push(error) })
  t.after(() => connection.stop())
  await connection.list(never)
  const { transport } = server.opened
  const send = transport.send.bind(transport)
  transport.send = () => Promise.reject(new Error('401'))
  server.send({ method: 'notifications/tools/list_changed' })
  await until(() => told.length > 0)
  assert.deepEqual(connection.status(), { status: 'sign_in' })
  await assert.rejects(call(connection), { code: 'credential_missing' })
  transport.send = send
  const made = call(connection)
  await until(() => callsSeen(server).length === 1)
  assert.deepEqual(connection.status(), { status: 'ready' })
  answer(server, 0)
  await made
})

test('a changed list that cannot be stored is no fault of the server for a call', async (t) => {
  const server = changingServer(listOf('old'), listOf('new'), listOf('new'))
  const told: Error[] = []
  let isAway = false
  const connection = connectTo([server], {
    onError: (error) => told.push(error),
    onList: () => (isAway ? Promise.reject(new AppError('database_unavailable', 'it is away')) : Promise.resolve()),
  })
  t.after(() => connection.stop())
  await connection.list(never)
  isAway = true
  server.send({ method: 'notifications/tools/list_changed' })
  await until(() => told.length > 0)
  await assert.rejects(call(connection), { code: 'database_unavailable', message: 'it is away' })
})

test('calls at once that wait for a changed list read it once', async (t) => {
  const noList = { error: { code: -32603, message: 'no list today' } }
  const server = changingServer(listOf('old'), noList, listOf('new'), noList, noList)
  const told: Error[] = []
  const connection = connectTo([server], { onError: (error) => told.push(error) })
  t.after(() => connection.stop())
  await connection.list(never)
  server.send({ method: 'notifications/tools/list_changed' })
  await until(() => told.length > 0)
  const calls = [call(connection), call(connection), call(connection)]
  await until(() => callsSeen(server).length === 3)
  assert.equal(listsSeen(server), 3)
  for (const at of calls.keys()) answer(server, at)
  await Promise.all(calls)
})
