// The routes of MCP servers: list, effects, review, test, removal; and what cannot be set over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { McpAdmin } from '#core/mcp.ts'
import { openRude, rude } from '../../mcp/harness.ts'
import { openHouse } from './house.ts'
import { fake } from '../../fake.ts'
import { openServers } from '../../mcp/masks.ts'

const bare = {
  name: 'desk',
  kind: 'http',
  address: 'https://desk.example',
  everyone: false,
  status: 'ready',
  instructions: '',
  tools: [],
} as const

test('a server tells what it has to say, and a tool its hints and changes', async (t) => {
  const tool = { name: 'a', as: 'desk__a', description: '', effect: 'write', status: 'on', schema: {} } as const
  const told = { ...bare, error: 'gone', instructions: 'Be kind.' }
  const hints = { readOnly: true, destructive: true, idempotent: true, openWorld: true }
  const changed = { ...tool, hints, difference: '+x', change: 'c1', refused: 'too long' }
  const list = () => Promise.resolve([bare, { ...told, tools: [{ ...tool, hints: { readOnly: false } }, changed] }])
  const { call } = await openHouse(t, { mcp: () => fake<McpAdmin>({ list }) })
  const { instructions: _, ...plain } = bare
  const { schema: __, ...shown } = tool
  assert.deepEqual((await call('GET', '/api/mcp')).json.servers, [
    plain,
    {
      ...told,
      tools: [
        shown,
        {
          ...shown,
          hints: ['read_only', 'destructive', 'idempotent', 'open_world'],
          difference: '+x',
          change: 'c1',
          refused: 'too long',
        },
      ],
    },
  ])
})

test('a server that does not start tells why in its test; one that is not there is 404', async (t) => {
  const check = (name: string) =>
    Promise.reject(
      name === 'none' ? new AppError('not_found', 'no such server') : new AppError('tool_refused', 'it does not start'),
    )
  const { call } = await openHouse(t, { mcp: () => fake<McpAdmin>({ check }) })
  const tried = await call('POST', '/api/mcp/desk/test', { body: {} })
  const nothing = { logs: [], requests: [], blocked: [] }
  assert.deepEqual([tried.status, tried.json], [200, { output: null, error: 'it does not start', ...nothing }])
  assert.equal((await call('POST', '/api/mcp/none/test', { body: {} })).status, 404)
})

test('a number is no object of headers, however it is written', async (t) => {
  const { call } = await openHouse(t, { mcp: () => fake<McpAdmin>({}) })
  for (const headers of ['1', '1e5', '9007199254740993']) {
    const body = `{"name":"desk","url":"https://desk.example","headers":${headers}}`
    const { status, json } = await call('POST', '/api/mcp', { body })
    assert.deepEqual([status, json.error.param], [400, 'headers'], headers)
  }
})

const never = new AbortController().signal

test('the operator lists, sets, tests and removes servers', async (t) => {
  let admin: McpAdmin | undefined
  const { call } = await openHouse(t, {
    mcp(store) {
      const opened = openServers(store, openRude().openTransport)
      t.after(() => opened.servers.close())
      admin = opened.admin
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
  assert.equal(started.json.output, 'rude answers: 12 of 13 tools')
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
  for (const secret of [
    'mcp/github/token',
    'mcp/a/token',
    'mcp.github.TOKEN',
    'tool/mail/key',
    'telegram.token',
    'EMBEDDING_API_KEY',
  ]) {
    const body = { name: 'a', url: 'https://a.example', headers: { 'X-Key': secret } }
    const { status, json } = await call('POST', '/api/mcp', { body })
    assert.deepEqual([status, json.error.param], [400, 'headers'], secret)
    assert.match(json.error.message, /X-Key/)
  }
  assert.deepEqual((await call('GET', '/api/mcp')).json, { servers: [] })
})
