// Tools as the operator lists, switches and tries them, and tokens of users.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInTools } from '../../safety/built-in.ts'
import { createHold, createWriter } from '../test-app.ts'
import { openHouse } from './house.ts'
import { bearer, openClient } from './socket.ts'

test('a tool whose capability file cannot be read hides no other, and is told as what it is', async (t) => {
  const { call, store, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  const record = { sha256: '', description: '', schema: '{}' }
  await store.tools.put({ ...record, name: 'broken', capabilities: '{"http": 7}' }, new Uint8Array(1))
  await store.tools.put({ ...record, name: 'whole', capabilities: '{}' }, new Uint8Array(1))
  const { status, json } = await call('GET', '/api/tools', { token: ada })
  const access = Object.fromEntries(
    json.tools.map((tool: { name: string; access: object[] }) => [tool.name, tool.access]),
  )
  assert.deepEqual([status, Object.keys(access)], [200, ['broken', 'whole']])
  assert.deepEqual([access.broken.length, access.broken[0].kind], [1, 'unreadable'])
  assert.match(access.broken[0].reason, /capability file is not valid/)
  assert.deepEqual(access.whole, [{ kind: 'limits', seconds: 30 }])
  assert.equal((await call('GET', '/api/tools/broken/auth', { token: ada })).status, 409)
  // Either is removed, by the operator alone; what it was trusted with goes along.
  await store.secrets.set('tool/broken/key', 'a-value')
  assert.equal((await call('DELETE', '/api/tools/broken', { token: ada })).status, 403)
  assert.equal((await call('DELETE', '/api/tools/broken')).status, 204)
  assert.equal((await call('DELETE', '/api/tools/broken')).status, 404)
  assert.deepEqual(await store.secrets.list(), [])
})

test('tools are listed, switched off and on, and tried', async (t) => {
  const ran: unknown[] = []
  const reader = {
    ...createWriter(ran),
    effects: 'read' as const,
    spec: { name: 'look', description: 'Looks', parameters: {} },
  }
  const { call, store, addUser } = await openHouse(t, { tools: [createWriter(ran), reader] })
  const ada = await addUser('ada')
  const listed = (await call('GET', '/api/tools', { token: ada })).json.tools
  assert.deepEqual(
    listed.map(({ name, enabled, source }: { name: string; enabled: boolean; source: string }) => [
      name,
      enabled,
      source,
    ]),
    [
      ['write_note', true, 'built-in'],
      ['look', true, 'built-in'],
    ],
  )
  assert.equal((await call('PATCH', '/api/tools/look', { body: { enabled: false } })).json.enabled, false)
  assert.deepEqual(await store.settings.all(), { tools_off: ['look'] })
  assert.equal((await call('PATCH', '/api/tools/look', { body: { enabled: true } })).json.enabled, true)
  const both = ['look', 'write_note']
  for (const enabled of [false, true]) {
    await Promise.all(both.map((name) => call('PATCH', `/api/tools/${name}`, { body: { enabled } })))
    const { tools_off: off } = await store.settings.all()
    assert.deepEqual((off as string[]).toSorted(), enabled ? [] : both)
  }
  for (const [path, body, status] of [
    ['/api/tools/none', { enabled: false }, 404],
    ['/api/tools/look', { enabled: 'no' }, 400],
  ] as const)
    assert.equal((await call('PATCH', path, { body })).status, status)
  const body = '{"params": {"a": 9007199254740993, "b": 1.10}}'
  const tried = await call('POST', '/api/tools/look/test', { body })
  assert.deepEqual(tried.json, { output: 'written', error: null, logs: [], requests: [], blocked: [] })
  assert.deepEqual(ran, ['{"a":9007199254740993,"b":1.10}'], 'numbers stay as they were written')
  const refused = await call('POST', '/api/tools/write_note/test', { body: {} })
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'tool_refused'])
  assert.equal((await call('POST', '/api/tools/none/test', { body: {} })).status, 404)
})

test('the list of tools tells the policy in force, not the default', async (t) => {
  const tools = ['http_request', 'memory_edit', 'workspace_shell', 'web_fetch'].flatMap(
    (name) => builtInTools.get(name) ?? [],
  )
  const { call } = await openHouse(t, { tools })
  const told = async () => {
    const { json } = await call('GET', '/api/tools')
    type Listed = {
      name: string
      verdict: { clean: string; tainted: string }
      policy: { row: string; clean: string }[]
    }
    return json.tools.map(({ name, verdict, policy }: Listed) =>
      [name, verdict.clean, verdict.tainted, ...policy.map(({ row, clean }) => `${row}:${clean}`)].join(' '),
    )
  }
  assert.deepEqual(await told(), [
    'http_request ask ask fetch:allow fetch-made:allow request:ask',
    'memory_edit allow allow memory:allow identity:ask',
    'workspace_shell ask ask shell:ask',
    'web_fetch allow ask fetch:allow',
  ])
  const policy = { request: { clean: 'allow' }, memory: { clean: 'ask', tainted: 'deny' }, shell: { clean: 'deny' } }
  await call('PATCH', '/api/settings', { body: { policy } })
  assert.deepEqual(await told(), [
    'http_request allow ask fetch:allow fetch-made:allow request:allow',
    'memory_edit ask deny memory:ask identity:ask',
    'workspace_shell deny ask shell:deny',
    'web_fetch allow ask fetch:allow',
  ])
})

test('a user has several tokens; one that is revoked ends with its sessions and connections', async (t) => {
  const { url, call, addUser } = await openHouse(t, { socketBounds: { beatMs: 3_600_000 } })
  const first = await addUser('ada')
  const made = await call('POST', '/api/users/ada/tokens', { body: { expires_in_days: 3 } })
  assert.equal(made.status, 201)
  const second = made.json.token as string
  assert.equal((await call('GET', '/api/session', { token: second })).json.user, 'ada')
  const { tokens } = (await call('GET', '/api/users/ada/tokens')).json
  assert.equal(tokens.length, 2)
  const { id } = tokens.find(({ expires_at }: { expires_at: string | null }) => expires_at !== null)
  assert.ok(!JSON.stringify(tokens).includes(second))
  const login = await call('POST', '/api/login', { token: null, body: { token: second } })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const [live, other] = [await openClient(url, { cookie }), await openClient(url, bearer(first))]
  await Promise.all([live.next('ready'), other.next('ready')])
  assert.equal((await call('DELETE', `/api/users/ada/tokens/${id}`)).status, 204)
  assert.equal((await live.closed).code, 4401)
  assert.equal((await call('GET', '/api/session', { token: second })).status, 401)
  assert.equal((await call('GET', '/api/session', { token: null, headers: { cookie } })).status, 401)
  assert.equal((await call('GET', '/api/session', { token: first })).status, 200)
  other.send({ type: 'ping' })
  await other.next('pong')
  assert.equal((await call('DELETE', `/api/users/ada/tokens/${id}`)).status, 404)
  for (const path of ['/api/users/bob/tokens', '/api/users/bob/tokens/x']) {
    const method = path.endsWith('x') ? 'DELETE' : 'POST'
    assert.equal((await call(method, path)).status, 404)
  }
  assert.equal((await call('GET', '/api/users/bob/tokens')).status, 404)
})

test('a request that waits for its reply gets none once its token is revoked', async (t) => {
  for (const [path, body] of [
    ['/api/chat', { message: 'hi' }],
    ['/v1/responses', { model: 'm', input: 'hi' }],
    ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/chat/completions', { model: 'atrium-task', messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses/compact', { model: 'm', input: 'hi' }],
  ] as const) {
    const hold = createHold()
    const { call, addUser } = await openHouse(t, { say: hold.say })
    const token = await addUser('ada')
    const waiting = call('POST', path, { token, body })
    await hold.asked
    const [{ id }] = (await call('GET', '/api/users/ada/tokens')).json.tokens
    assert.equal((await call('DELETE', `/api/users/ada/tokens/${id}`)).status, 204)
    hold.release('a secret')
    const { status, json } = await waiting
    assert.equal(status, 401, path)
    assert.doesNotMatch(JSON.stringify(json), /a secret/)
  }
})
