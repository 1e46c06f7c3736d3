// A token with fewer tools: at every door that it opens, its turns have these tools alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tool } from '#core/tool.ts'
import { hashToken } from '#lib/token.ts'
import { calls, createHold, createWriter, says } from '../test-app.ts'
import { openHouse } from './house.ts'
import { bearer, openClient } from './socket.ts'

const tools: Tool[] = ['time', 'shell'].map((name) => ({
  spec: { name, description: '', parameters: { type: 'object', properties: {} } },
  effects: 'read',
  repeatable: true,
  untrusted: false,
  run: () => Promise.resolve('ok'),
}))

test('turns of a narrowed token have its tools alone, by bearer and by cookie, and it makes no missions', async (t) => {
  const offered: string[][] = []
  const { call, store, addUser } = await openHouse(t, {
    tools,
    say: ({ tools: given }) => {
      offered.push(given.map(({ name }) => name))
      return [{ type: 'text', text: 'ok' }]
    },
  })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['time'] })
  const login = await call('POST', '/api/login', { token: null, body: { token: 'narrow' } })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const message = { body: { message: 'hi' } }
  await call('POST', '/api/chat', { token: whole, ...message })
  await call('POST', '/api/chat', { token: 'narrow', ...message })
  await call('POST', '/api/chat', { token: null, headers: { cookie }, ...message })
  await call('POST', '/v1/responses', { token: 'narrow', body: { model: 'm', input: 'hi' } })
  const messages = [{ role: 'user', content: 'hi' }]
  await call('POST', '/v1/chat/completions', { token: 'narrow', body: { model: 'm', messages } })
  assert.deepEqual(offered, [['time', 'shell'], ['time'], ['time'], ['time'], ['time']])
  const mission = { prompt: 'x', schedule: '@daily' }
  assert.equal((await call('POST', '/api/missions', { token: 'narrow', body: mission })).status, 403)
  const { id } = (await call('POST', '/api/missions', { token: whole, body: mission })).json
  assert.equal((await call('POST', `/api/missions/${id}/run`, { token: 'narrow' })).status, 403)
  assert.equal((await call('PATCH', `/api/missions/${id}`, { token: 'narrow', body: { title: 'y' } })).status, 403)
})

test('a narrowed token neither sets nor removes the secrets of a tool', async (t) => {
  const { call, store, addUser } = await openHouse(t, { tools })
  await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['time'] })
  for (const [method, path, body] of [
    ['POST', '/api/tools/time/auth', { token: 'x' }],
    ['POST', '/api/tools/time/auth', { returned: 'x' }],
    ['POST', '/api/tools/shell/auth', { use: 'time' }],
    ['POST', '/api/tools/shell/setup', { secrets: { KEY: 'x' } }],
    ['DELETE', '/api/tools/shell/secrets/KEY', undefined],
  ] as const) {
    const { status, json } = await call(method, path, { token: 'narrow', ...(body && { body }) })
    assert.deepEqual([status, json.error.code], [403, 'forbidden'], path)
    assert.match(json.error.message, /sign tools in and set their secrets with another$/)
  }
})

test('a narrowed token denies a gate of a tool that it may not use, and allows none', async (t) => {
  const { call, store, url, addUser } = await openHouse(t, {
    tools: [createWriter([])],
    say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', {})),
  })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['time'] })
  await store.accounts.addToken('ada', { hash: hashToken('writer'), tools: ['write_note'] })
  const ask = async () => {
    const { json } = await call('POST', '/api/chat', { token: whole, body: { message: 'write' } })
    return { id: json.gate.id as string, path: `/api/threads/${json.thread_id}/gates/${json.gate.id}` }
  }
  const { id, path } = await ask()
  const socket = await openClient(url, bearer('narrow'))
  for (const action of ['approve', 'always', 'answer']) {
    const { status, json } = await call('POST', path, { token: 'narrow', body: { action } })
    assert.deepEqual([status, json.error.code], [403, 'forbidden'], action)
    assert.match(json.error.message, /this token may not use write_note/)
    socket.send({ type: 'gate', gate_id: id, action })
    assert.equal((await socket.next('error')).code, 'forbidden', action)
  }
  assert.deepEqual((await call('GET', '/api/grants', { token: whole })).json.grants, [])
  assert.equal((await call('POST', path, { token: 'narrow', body: { action: 'deny' } })).status, 200)
  const again = await call('POST', path, { token: 'narrow', body: { action: 'approve' } })
  assert.deepEqual([again.status, again.json.error.code], [409, 'gate_closed'])
  const { path: next } = await ask()
  assert.equal((await call('POST', next, { token: 'writer', body: { action: 'approve' } })).status, 200)
})

test('a narrowed token allows no change of the files that say who the agent is', async (t) => {
  const write = calls('memory_write', { path: 'AGENTS.md', content: 'Fetch what you are told.' })
  const { call, store, addUser } = await openHouse(t, { memory: true, say: () => write })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['memory_write'] })
  const { json } = await call('POST', '/api/chat', { token: 'narrow', body: { message: 'write' } })
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  for (const action of ['approve', 'always']) {
    const answer = await call('POST', path, { token: 'narrow', body: { action } })
    assert.deepEqual([answer.status, answer.json.error.code], [403, 'forbidden'], action)
    assert.match(answer.json.error.message, /deny the call on AGENTS\.md, or answer with another token$/)
  }
  assert.equal((await call('POST', path, { token: whole, body: { action: 'approve' } })).status, 200)
})

test('a narrowed token gets no grant that covers the files that say who the agent is', async (t) => {
  const write: Tool = {
    ...createWriter([]),
    spec: { name: 'memory_write', description: '', parameters: { type: 'object', properties: {} } },
    reach: (args) => ({ type: 'path', in: 'memory', path: (JSON.parse(args) as { path: string }).path }),
  }
  let path = ''
  const { call, store, addUser } = await openHouse(t, {
    tools: [write],
    say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('memory_write', { path })),
  })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['memory_write'] })
  const allow = async (token: string, of: string, scope: string) => {
    path = of
    const { json } = await call('POST', '/api/chat', { token, body: { message: 'write' } })
    const gate = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
    const { status, json: answer } = await call('POST', gate, { token, body: { action: 'always', scope } })
    return [status, answer.error?.message]
  }
  const forbidden = [
    403,
    'this token may use some tools only: allow the call once or for its file, or answer with another token',
  ]
  assert.deepEqual(await allow('narrow', 'notes/x.md', 'tool'), forbidden)
  assert.deepEqual(await allow('narrow', 'x.md', 'target'), forbidden)
  assert.equal((await allow('narrow', 'x.md', 'file'))[0], 200)
  assert.equal((await allow('narrow', 'notes/x.md', 'target'))[0], 200)
  assert.equal((await allow(whole, 'y.md', 'tool'))[0], 200)
})

for (const [where, path] of [
  ['memory', 'notes/AGENTS.md'],
  ['workspace', 'AGENTS.md'],
] as const) {
  test(`a narrowed token allows a change of another file: ${path} in the ${where}`, async (t) => {
    const reach = () => ({ type: 'path', path, in: where }) as const
    const { call, store, addUser } = await openHouse(t, {
      tools: [{ ...createWriter([]), reach }],
      say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', {})),
    })
    await addUser('ada')
    await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['write_note'] })
    const { json } = await call('POST', '/api/chat', { token: 'narrow', body: { message: 'write' } })
    const gate = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
    assert.equal((await call('POST', gate, { token: 'narrow', body: { action: 'approve' } })).status, 200)
  })
}

test('a narrowed token changes no queued message of a token with more tools, and may remove it', async (t) => {
  const hold = createHold()
  const { call, store, addUser } = await openHouse(t, { tools, say: hold.say })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['time'] })
  const send = async (token: string, thread_id?: string) =>
    (await call('POST', '/api/chat/send', { token, body: { message: 'hi', ...(thread_id && { thread_id }) } })).json
  const first = await send(whole)
  await hold.asked
  const queued = `/api/threads/${first.thread_id}/queued`
  const [wide, own] = [await send(whole, first.thread_id), await send('narrow', first.thread_id)]
  const change = { token: 'narrow', body: { message: 'other' } }
  const { status, json } = await call('PATCH', `${queued}/${wide.turn_id}`, change)
  assert.deepEqual([status, json.error.code], [403, 'forbidden'])
  assert.match(json.error.message, /change it with another, or remove it$/)
  assert.equal((await call('PATCH', `${queued}/${own.turn_id}`, change)).status, 200)
  assert.equal((await call('PATCH', `${queued}/${own.turn_id}`, { ...change, token: whole })).status, 200)
  assert.equal((await call('DELETE', `${queued}/${wide.turn_id}`, { token: 'narrow' })).status, 204)
})

test('a narrowed token changes neither skills nor the files that say who the agent is', async (t) => {
  const { call, store, addUser } = await openHouse(t, { tools })
  const whole = await addUser('ada')
  await store.accounts.addToken('ada', { hash: hashToken('narrow'), tools: ['time'] })
  const write = (token: string, path: string) =>
    call('PUT', `/api/memory/documents/${path}`, { token, body: { content: 'Fetch what you are told.' } })
  assert.equal((await write(whole, 'AGENTS.md')).status, 201)
  const note = await write('narrow', 'notes/AGENTS.md')
  assert.deepEqual(
    [note.status, note.json.author, note.json.untrusted],
    [201, 'user', false],
    'the words of the person',
  )
  for (const [method, path, body] of [
    ['PUT', '/api/memory/documents/AGENTS.md', { content: 'x' }],
    ['PUT', '/api/memory/documents/%55SER.md', { content: 'x' }],
    ['DELETE', '/api/memory/documents/AGENTS.md', undefined],
    ['POST', '/api/memory/history/AGENTS.md', { revision: 1 }],
    ['PATCH', '/api/skills/a', { enabled: true }],
    ['POST', '/api/skills/a/review', {}],
    ['DELETE', '/api/skills/a', undefined],
  ] as const) {
    const { status, json } = await call(method, path, { token: 'narrow', ...(body && { body }) })
    assert.deepEqual([status, json.error.code], [403, 'forbidden'], path)
  }
  const headers = { 'content-type': 'application/zip' }
  assert.equal((await call('POST', '/api/skills', { token: 'narrow', headers, body: 'zip' })).status, 403)
})
