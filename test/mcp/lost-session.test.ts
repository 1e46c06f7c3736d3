// A session that the server no longer knows: what becomes of its start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SessionOver } from '#mcp/session.ts'
import { until } from '../until.ts'
import { connectTo, type FakeServer, fakeServer } from './fake-server.ts'

const never = new AbortController().signal

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
