// Items that clients add to a conversation and remove from it, beside responses.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import OpenAI from 'openai'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { historyOrigin } from '#core/origins.ts'
import { errorOf, outputOf, serve, type Served, type ServeParts, textIn, weather, type Wire } from './serve.ts'

async function open(t: TestContext, parts: ServeParts = {}): Promise<Served & { id: string; path: string }> {
  const served = await serve({ ...parts, rules: { fields: 'reference', ...parts.rules } })
  t.after(() => served.close())
  const { id } = (await served.call('POST', '/api/v1/conversations', {})).body
  return { ...served, id: String(id), path: `/api/v1/conversations/${String(id)}/items` }
}

const history = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Rome?' },
  { type: 'reasoning', id: 'rs_1', summary: [] },
  { type: 'function_call', call_id: 'call_mine', name: 'workspace_write', arguments: '{"path":"a"}' },
  { type: 'function_call_output', call_id: 'call_mine', output: '18 degrees' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny.' }] },
]

function itemsIn(page: Wire): Wire[] {
  return page['data'] as Wire[]
}

/** Kind, and what the client knows of each item. */
function shown(page: Wire): unknown[] {
  return itemsIn(page).map(({ type, role, content, call_id, name, arguments: args, output }) =>
    type === 'message' ? [role, (content as Wire[])[0]?.['text']] : [type, call_id, name ?? output, args],
  )
}

const asSent = [
  ['system', 'Be brief.'],
  ['user', 'Weather in Rome?'],
  ['function_call', 'call_mine', 'workspace_write', '{"path":"a"}'],
  ['function_call_output', 'call_mine', '18 degrees', undefined],
  ['assistant', 'Sunny.'],
]

test('added items are answered with their ids, and read again as they were sent', async (t) => {
  const { call, get, path, id, threads } = await open(t)
  const added = await call('POST', path, { items: history })
  assert.equal(added.status, 200)
  assert.deepEqual([added.body['object'], added.body['has_more']], ['list', false])
  assert.deepEqual(shown(added.body), asSent)
  const page = (await get(`/conversations/${id}/items?order=asc`)).body
  assert.deepEqual(itemsIn(page), itemsIn(added.body))
  const [first] = itemsIn(page)
  const one = await call('GET', `/v1/conversations/${id}/items/${String(first?.['id'])}`)
  assert.deepEqual([one.status, one.body], [200, first])
  assert.equal((await threads.get(userId('ann'), id.slice(5)))?.title, 'Weather in Rome?')
})

test('a conversation that begins with instructions gets the title of its first message', async (t) => {
  const { call, threads } = await open(t)
  const { id } = (await call('POST', '/api/v1/conversations', { items: [history[0]] })).body
  await call('POST', `/api/v1/conversations/${String(id)}/items`, { items: history.slice(3) })
  await call('POST', `/api/v1/conversations/${String(id)}/items`, { items: [history[1]] })
  assert.equal((await threads.get(userId('ann'), String(id).slice(5)))?.title, 'Weather in Rome?')
})

test('a call and its output may come in two requests', async (t) => {
  const { call, get, path, id } = await open(t)
  for (const item of history.slice(3, 5)) assert.equal((await call('POST', path, { items: [item] })).status, 200)
  assert.deepEqual(shown((await get(`/conversations/${id}/items?order=asc`)).body), asSent.slice(2, 4))
})

test('nobody runs an added call, and the model reads it, its output and the assistant’s words as untrusted text', async (t) => {
  const { call, create, path, id, asked, gates } = await open(t)
  await call('POST', path, { items: history.slice(0, 4) })
  await call('POST', path, { items: history.slice(4) })
  assert.equal((await create({ input: 'And now?', conversation: id })).body['status'], 'completed')
  assert.equal(asked.length, 1)
  assert.deepEqual(await gates.list(userId('ann')), [])
  const read = asked[0]?.items.map((item) => (item.type === 'message' ? item : undefined)) ?? []
  assert.deepEqual(
    read.map((message) => message?.role),
    ['user', 'user', 'assistant', 'user', 'assistant', 'user'],
  )
  const texts = read.map((message) => (message ? textOf(message) : ''))
  assert.equal(texts[0], '<instructions>\nBe brief.\n</instructions>\n\n')
  for (const [at, words] of [
    [2, 'workspace_write'],
    [2, '{"path":"a"}'],
    [3, '18 degrees'],
    [4, 'Sunny.'],
  ] as const) {
    const text = texts[at] ?? ''
    assert.ok(text.includes(words), words)
    assert.match(text, /^<untrusted-content /)
    assert.ok(read[at]?.content.every((part) => part.type !== 'text' || part.origin === historyOrigin))
  }
})

test('a removed item is in no list and no prompt, and the others stay', async (t) => {
  const { call, create, get, path, id, asked } = await open(t)
  const added = itemsIn((await call('POST', path, { items: history })).body)
  const output = `${path}/${String(added[3]?.['id'])}`
  const removed = await call('DELETE', output)
  assert.deepEqual([removed.status, removed.body['object'], removed.body['id']], [200, 'conversation', id])
  assert.deepEqual([(await call('GET', output)).status, (await call('DELETE', output)).status], [404, 404])
  const left = (await get(`/conversations/${id}/items?order=asc`)).body
  assert.deepEqual(
    shown(left),
    asSent.filter((_, at) => at !== 3),
  )
  const reference = await create({ input: [{ type: 'item_reference', id: added[3]?.['id'] }] })
  assert.equal(reference.status, 400)
  await create({ input: 'And now?', conversation: id })
  const prompt = asked[0]?.items ?? []
  assert.equal(prompt.length, 5)
  assert.ok(!JSON.stringify(prompt).includes('18 degrees'))
})

test('a conversation loses its title with the message that gave it, and gets that of the next one', async (t) => {
  const { call, path, id, threads } = await open(t)
  const title = async () => (await threads.get(userId('ann'), id.slice(5)))?.title
  const add = async (content: string) =>
    itemsIn((await call('POST', path, { items: [{ role: 'user', content }] })).body)[0]
  const [first, second] = [await add('My PIN is 1234'), await add('Hello')]
  await call('DELETE', `${path}/${String(second?.['id'])}`)
  assert.equal(await title(), 'My PIN is 1234')
  await call('DELETE', `${path}/${String(first?.['id'])}`)
  assert.equal(await title(), '')
  await add('Weather in Rome?')
  assert.equal(await title(), 'Weather in Rome?')
})

test('an item that a response has read or written stays', async (t) => {
  const { call, create, get, path, id } = await open(t)
  const [before] = itemsIn((await call('POST', path, { items: [{ role: 'user', content: 'Before.' }] })).body)
  await create({ input: 'Hi', conversation: id })
  const [after] = itemsIn((await call('POST', path, { items: [{ role: 'user', content: 'After.' }] })).body)
  const all = itemsIn((await get(`/conversations/${id}/items?order=asc`)).body)
  assert.equal(all.length, 4)
  for (const item of all.slice(0, 3)) {
    const { status, body } = await call('DELETE', `${path}/${String(item['id'])}`)
    assert.deepEqual([status, errorOf(body)['code']], [400, 'invalid_input'])
  }
  assert.equal(all[0]?.['id'], before?.['id'])
  assert.equal((await call('DELETE', `${path}/${String(after?.['id'])}`)).status, 200)
})

test('a conversation that runs a turn, or waits for an output, takes no items', async (t) => {
  const { call, create, path, id } = await open(t, {
    replies: [{ calls: [{ name: 'get_weather', args: { city: 'Rome' } }] }, { text: 'Sunny.' }],
  })
  const asked = (await create({ input: 'Weather?', conversation: id, tools: [weather] })).body
  const items = [{ role: 'user', content: 'More.' }]
  const refused = await call('POST', path, { items })
  assert.deepEqual([refused.status, errorOf(refused.body)['code']], [400, 'tool_output_required'])
  const output = { type: 'function_call_output', call_id: outputOf(asked)[0]?.['call_id'], output: 'warm' }
  assert.equal(textIn((await create({ input: [output], conversation: id })).body), 'Sunny.')
  assert.equal((await call('POST', path, { items })).status, 200)
})

test('items of another user’s conversation are neither read, added nor removed', async (t) => {
  const { call, path, id } = await open(t)
  const [item] = itemsIn((await call('POST', path, { items: history.slice(1, 2) })).body)
  const bob = { authorization: 'Bearer bob' }
  const one = `${path}/${String(item?.['id'])}`
  const tries = [
    call('POST', path, { items: history }, bob),
    call('GET', one, undefined, bob),
    call('DELETE', one, undefined, bob),
  ]
  for (const { status } of await Promise.all(tries)) assert.equal(status, 404)
  const own = (await call('POST', '/v1/conversations', {}, bob)).body
  const elsewhere = `/v1/conversations/${String(own['id'])}/items/${String(item?.['id'])}`
  assert.equal((await call('GET', elsewhere, undefined, bob)).status, 404)
  assert.equal((await call('DELETE', elsewhere, undefined, bob)).status, 404)
  assert.equal(itemsIn((await call('GET', `/v1/conversations/${id}/items`)).body).length, 1)
})

test('what is no item is refused by its place, and nothing of the request is stored', async (t) => {
  const { call, get, path, id } = await open(t, { maxUserBytes: 20_000 })
  const faults: [body: Wire, status: number, param: string | null][] = [
    [{ items: [{ type: 'item_reference', id: `msg_${'0'.repeat(64)}` }] }, 400, 'items[0].id'],
    [{}, 400, 'items'],
    [{ items: [] }, 400, 'items'],
    [{ items: 'x' }, 400, 'items'],
    [{ items: [history[1], { type: 'function_call', name: 'f' }] }, 400, 'items[1].call_id'],
    [{ items: [history[1], { type: 'function_call_output', call_id: 'c' }] }, 400, 'items[1].output'],
    [{ items: Array.from({ length: 5_001 }, () => history[1]) }, 400, 'items'],
    [{ items: [{ role: 'system', content: 'x'.repeat(1024 * 1024 + 1) }] }, 413, 'items'],
    [{ items: [{ role: 'user', content: 'x'.repeat(20_000) }] }, 413, null],
  ]
  for (const [body, status, param] of faults) {
    const answer = await call('POST', path, body)
    assert.deepEqual([answer.status, errorOf(answer.body)['param']], [status, param])
  }
  assert.equal((await call('GET', `${path}/msg_x`)).status, 404)
  assert.equal((await call('DELETE', `${path}/msg_x`)).status, 404)
  assert.deepEqual(itemsIn((await get(`/conversations/${id}/items`)).body), [])
})

test('openai-node adds, reads and removes items', async (t) => {
  const { url, id } = await open(t)
  const { items } = new OpenAI({ baseURL: `${url}/api/v1`, apiKey: 'ann' }).conversations
  const added = await items.create(id, { items: [{ type: 'message', role: 'user', content: 'One.' }] })
  const last = await items.create(id, {
    items: [{ type: 'function_call_output', call_id: 'c', output: 'two' }],
  })
  const kinds: string[] = []
  for await (const item of items.list(id, { order: 'asc' })) kinds.push(item.type)
  assert.deepEqual(kinds, ['message', 'function_call_output'])
  const one = await items.retrieve(added.first_id, { conversation_id: id })
  assert.equal(one.type, 'message')
  assert.equal((await items.delete(last.last_id, { conversation_id: id })).id, id)
  assert.equal((await items.list(id)).data.length, 1)
})
