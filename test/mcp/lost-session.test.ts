// A session that the server no longer knows: what becomes of its start, and of calls that are still under way in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionOver } from '#mcp/session.ts'
import { until } from '../until.ts'
import { call, connectTo, type FakeServer, fakeServer } from './fake-server.ts'

const never = new AbortController().signal
const callsSeen = ({ seen }: FakeServer): number => seen.filter(({ method }) => method === 'tools/call').length

test('a session that is lost while its list is stored is not used', async (t) => {
  let lists = 0
  const server: FakeServer = fakeServer(({ id, method }, { send }) => {
    const serverInfo = { name: 'fake', version: '1' }
    const capabilities = { tools: { listChanged: true } }
    if (method === 'initialize')
      queueMicrotask(() => send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } }))
    else if (method === 'tools/list' && lists++ > 0) throw new SessionOver({ status: 404, text: 'which session?' })
    else return false
    return true
  })
  // The server takes its time to end the session.
  const ended = Promise.withResolvers<void>()
  server.opened.transport.close = () => ended.promise
  const connection = connectTo([server, fakeServer()], {
    async onList() {
      server.send({ method: 'notifications/tools/list_changed' })
      await until(() => lists > 1)
      setImmediate(ended.resolve)
    },
  })
  t.after(() => connection.stop())
  await assert.rejects(connection.list(never), { code: 'tool_refused', message: /session/ })
})

test('a stop ends the calls of a session that was lost, too', async () => {
  const old = fakeServer(({ method }) => {
    if (method === 'tools/call' && callsSeen(old) > 1) throw new SessionOver({ status: 404, text: '' })
    return method === 'tools/call'
  })
  const fresh = fakeServer(({ method }) => method === 'tools/call')
  const connection = connectTo([old, fresh])
  const calls = [call(connection)]
  await until(() => callsSeen(old) === 1)
  calls.push(call(connection))
  await until(() => callsSeen(fresh) === 1)
  assert.equal(old.closed(), false, 'its first call goes on')
  const ended = Promise.all(calls.map((each) => assert.rejects(each, { code: 'tool_refused', message: /closed/ })))
  await connection.stop()
  assert.deepEqual([old.closed(), fresh.closed()], [true, true])
  await ended
})
