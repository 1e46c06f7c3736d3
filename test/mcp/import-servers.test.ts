// An import into a store: what stays when it is stopped, and which secrets are missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#lib/log.ts'
import { createMcpAdmin } from '#mcp/admin.ts'
import { createServers } from '#mcp/servers.ts'
import { openTestStore } from '../agent/bench.ts'
import { createMasks } from './masks.ts'

test('an import that is stopped says what was added, and which secrets are missing', async (t) => {
  const store = openTestStore(t)
  const stopping = new AbortController()
  const limits = { callMs: 60_000, idleMs: 60_000, probeMs: 60_000, version: '1' }
  const servers = createServers({
    store: store.mcp,
    openTransport({ name }) {
      if (name === 'two') stopping.abort()
      return Promise.reject(new Error('it cannot be started'))
    },
    log: silentLog,
    ...limits,
  })
  t.after(() => servers.close())
  const admin = createMcpAdmin({ servers, store: store.mcp, ...createMasks(), secrets: store.secrets })
  await store.secrets.set('known', 'a')
  const file = {
    one: { command: 'one', env: { A: '${input:known}', B: '${input:unknown}' } },
    two: { command: 'two', env: { API_TOKEN: 'sealed until it was stopped' } },
    Three: { command: 'three' },
  }
  const { added, left } = await admin.importServers(JSON.stringify({ mcpServers: file }), stopping.signal)
  assert.deepEqual(
    added.map(({ name, missing }) => [name, missing.map(({ secret }) => secret)]),
    [['one', ['unknown']]],
  )
  assert.deepEqual(
    left.map(({ name }) => name),
    ['two', 'Three'],
  )
  assert.deepEqual(
    (await store.mcp.list()).map(({ name }) => name),
    ['one'],
  )
  assert.deepEqual(
    (await store.secrets.list()).map(({ name }) => name),
    ['known'],
  )
})
