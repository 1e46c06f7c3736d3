// The routes of MCP servers: list, effects, review, test, removal; and what cannot be set over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpAdmin } from '#core/mcp.ts'
import { silentLog } from '#lib/log.ts'
import { createMcpAdmin } from '#mcp/admin.ts'
import { createServers } from '#mcp/servers.ts'
import { openRude, rude } from '../../mcp/harness.ts'
import { openHouse } from './house.ts'

const never = new AbortController().signal

test('the operator lists, sets, tests and removes servers', async (t) => {
  let admin: McpAdmin | undefined
  const { call } = await openHouse(t, {
    mcp(store) {
      const { openTransport } = openRude()
      const limits = { callMs: 60_000, idleMs: 60_000, probeMs: 60_000, version: '1' }
      const servers = createServers({ store: store.mcp, openTransport, log: silentLog, ...limits })
      t.after(() => servers.close())
      admin = createMcpAdmin({ servers, store: store.mcp, mask: (text) => text, secrets: store.secrets })
      return admin
    },
  })
  assert.deepEqual((await call('GET', '/api/mcp')).json, { servers: [] })
  await admin?.add({ name: 'rude', target: rude(), everyone: false }, never)
  const [server] = (await call('GET', '/api/mcp')).json.servers
  assert.deepEqual([server.name, server.kind, server.status, server.everyone], ['rude', 'stdio', 'idle', false])
  assert.deepEqual(
    server.tools.find(({ name }: { name: string }) => name === 'echo'),
    {
      name: 'echo',
      as: 'rude__echo',
      description: 'A tool.',
      effect: 'write',
      status: 'on',
      hints: ['read_only'],
    },
  )
  const set = await call('PATCH', '/api/mcp/rude/tools/echo', { body: { effect: 'off' } })
  assert.equal(set.json.tools.find(({ name }: { name: string }) => name === 'echo').status, 'off')
  assert.equal((await call('PATCH', '/api/mcp/rude/tools/none', { body: { effect: 'off' } })).status, 404)
  assert.equal((await call('PATCH', '/api/mcp/rude/tools/echo', { body: { effect: 'all' } })).status, 400)
  const started = await call('POST', '/api/mcp/rude/test', { body: {} })
  assert.equal(started.json.output, 'rude answers: 13 tools')
  const tried = await call('POST', '/api/mcp/rude/test', { body: { tool: 'echo', params: { a: 1 } } })
  assert.deepEqual([tried.json.output, tried.json.error], ['{"a":1}', null])
  assert.equal((await call('POST', '/api/mcp/rude/review', { body: {} })).status, 200)
  assert.equal((await call('DELETE', '/api/mcp/rude')).status, 204)
  assert.equal((await call('DELETE', '/api/mcp/rude')).status, 404)
  for (const body of [
    { name: 'a', command: 'sh', args: ['-c', 'id'] },
    { name: 'a', url: 'https://a.example', command: 'sh' },
    { name: 'a', url: 'file:///etc/passwd' },
    { name: 'A b', url: 'https://a.example' },
    { name: 'a', url: 'https://a.example', headers: { Authorization: '$ATRIUM_MASTER_KEY' } },
    { name: 'a', url: 'https://a.example', headers: { Authorization: 'OPENAI_API_KEY' } },
    { name: 'a', url: 'https://a.example', headers: { Host: 'known' } },
  ]) {
    assert.equal((await call('POST', '/api/mcp', { body })).status, 400, JSON.stringify(body))
  }
  for (const secret of ['mcp/github/token', 'mcp/a/token', 'mcp.github.TOKEN', 'tool/mail/key']) {
    const body = { name: 'a', url: 'https://a.example', headers: { 'X-Key': secret } }
    const { status, json } = await call('POST', '/api/mcp', { body })
    assert.deepEqual([status, json.error.param], [400, 'headers'], secret)
    assert.match(json.error.message, /X-Key/)
  }
  assert.deepEqual((await call('GET', '/api/mcp')).json, { servers: [] })
})
