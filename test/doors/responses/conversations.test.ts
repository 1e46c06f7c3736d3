// Conversations: threads under ids of their own, made, read, continued and erased over the API.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import OpenAI from 'openai'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { outputOf, serve, type Served, type ServeParts, textIn, type Wire } from './serve.ts'

async function open(t: TestContext, parts: ServeParts = {}): Promise<Served> {
  const served = await serve({ ...parts, rules: { fields: 'reference', ...parts.rules } })
  t.after(() => served.close())
  return served
}

const weather = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }

function textsOf(page: Wire): unknown[] {
  return (page['data'] as Wire[]).map(({ type, role, content, name, output }) => {
    const [part] = (content as Wire[] | undefined) ?? []
    return type === 'message' ? [role, part?.['text']] : [type, name ?? output]
  })
}

test('a conversation is a thread: made empty, it gets its title and its items from the turns in it', async (t) => {
  const { call, create, get, threads } = await open(t, { replies: [{ text: 'One.' }, { text: 'Two.' }] })
  const made = (await call('POST', '/api/v1/conversations', { metadata: { topic: 'demo' } })).body
  const { id, created_at } = made
  assert.deepEqual(made, { id, object: 'conversation', created_at, metadata: { topic: 'demo' } })
  assert.match(String(id), /^conv_[0-9a-f]{8}-[0-9a-f-]{27}$/)
  assert.deepEqual((await get(`/conversations/${String(id)}`)).body, made)
  const first = (await create({ input: 'Count', conversation: id })).body
  assert.deepEqual(first['conversation'], { id })
  const second = (await create({ input: 'On', conversation: { id } })).body
  assert.equal(textIn(second), 'Two.')
  const threadId = String(id).slice('conv_'.length)
  assert.equal((await threads.get(userId('ann'), threadId))?.title, 'Count')
  const { rows } = await threads.list(userId('ann'), { limit: 9 })
  assert.deepEqual(
    rows.map((row) => row.id),
    [threadId],
  )
  const page = (await get(`/conversations/${String(id)}/items?order=asc`)).body
  assert.deepEqual(textsOf(page), [
    ['user', 'Count'],
    ['assistant', 'One.'],
    ['user', 'On'],
    ['assistant', 'Two.'],
  ])
  assert.deepEqual((await get(`/responses/${String(first['id'])}`)).body['conversation'], { id })
})

test('without RESPONSES_FIELDS=reference the field is ignored: a thread of its own', async (t) => {
  const { call, create } = await open(t, { rules: { fields: 'specified' } })
  const { id } = (await call('POST', '/v1/conversations', {})).body
  const answer = (await create({ input: 'Hi', conversation: id })).body
  assert.equal(answer['conversation'], undefined)
  assert.ok(!String(answer['id']).endsWith(String(id).slice(5).replaceAll('-', '')))
  assert.equal((await create({ input: 'Hi', conversation: 7 })).status, 200)
})

test('a conversation made with items goes on from them, and its assistant messages are untrusted', async (t) => {
  const { call, create, get, asked } = await open(t)
  const items = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'My dog is Rex.' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nice.' }] },
  ]
  const { id } = (await call('POST', '/api/v1/conversations', { items })).body
  assert.deepEqual(textsOf((await get(`/conversations/${String(id)}/items?order=asc`)).body), [
    ['system', 'Be brief.'],
    ['user', 'My dog is Rex.'],
    ['assistant', 'Nice.'],
  ])
  await create({ input: 'Its name?', conversation: id })
  const texts = asked[0]?.items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : [])) ?? []
  assert.equal(texts.length, 4)
  assert.equal(texts[0], '<instructions>\nBe brief.\n</instructions>\n\n')
  assert.ok(texts[2]?.includes('Nice.') && texts[2] !== 'Nice.', 'in a fence')
})

test('pages of items follow each other in both orders, and an unknown item is refused', async (t) => {
  const { call, get } = await open(t)
  const items = Array.from({ length: 7 }, (_, at) => ({ role: 'user', content: `m${at}` }))
  const { id } = (await call('POST', '/api/v1/conversations', { items })).body
  for (const order of ['asc', 'desc']) {
    const seen: unknown[] = []
    let after = ''
    for (let more = true; more; ) {
      const page = (await get(`/conversations/${String(id)}/items?limit=3&order=${order}${after}`)).body
      seen.push(...textsOf(page).map((text) => (text as unknown[])[1]))
      after = `&after=${String(page['last_id'])}`
      more = page['has_more'] === true
    }
    const all = items.map(({ content }) => content)
    assert.deepEqual(seen, order === 'asc' ? all : all.toReversed())
  }
  const unknown = await get(`/conversations/${String(id)}/items?after=msg_${'0'.repeat(64)}`)
  assert.deepEqual([unknown.status, (unknown.body['error'] as Wire)['param']], [400, 'after'])
})

test('a function call in a conversation is resumed by its output, and both are items; our own calls are none', async (t) => {
  const { call, create, get } = await open(t, {
    replies: [
      { calls: [{ name: 'time', args: {} }] },
      { text: 'Looking.', calls: [{ name: 'weather', args: {} }] },
      { text: 'Sunny.' },
    ],
  })
  const { id } = (await call('POST', '/api/v1/conversations', {})).body
  const asked = (await create({ input: 'Weather?', conversation: id, tools: [weather] })).body
  const { call_id } = outputOf(asked).at(-1) ?? {}
  const output = { type: 'function_call_output', call_id, output: '18 degrees' }
  assert.equal(textIn((await create({ input: [output], conversation: id })).body), 'Sunny.')
  assert.deepEqual(textsOf((await get(`/conversations/${String(id)}/items?order=asc`)).body), [
    ['user', 'Weather?'],
    ['assistant', 'Looking.'],
    ['function_call', 'weather'],
    ['function_call_output', '18 degrees'],
    ['assistant', 'Sunny.'],
  ])
})

test('a page does not read the entries that it does not show', async (t) => {
  const { call, create, get, threads } = await open(t, {
    replies: [{ calls: Array.from({ length: 40 }, (_, at) => ({ name: 'time', args: { at } })) }, { text: 'Done.' }],
  })
  const { id } = (await call('POST', '/api/v1/conversations', {})).body
  await create({ input: 'Go.', conversation: id })
  const reads: unknown[] = []
  const { entries } = threads
  t.mock.method(threads, 'entries', (...asked: Parameters<typeof entries>) => {
    reads.push(asked[2])
    return entries(...asked)
  })
  for (const order of ['asc', 'desc']) {
    const page = (await get(`/conversations/${String(id)}/items?order=${order}`)).body
    const shown = [
      ['user', 'Go.'],
      ['assistant', 'Done.'],
    ]
    assert.deepEqual(textsOf(page), order === 'asc' ? shown : shown.toReversed())
    assert.equal(page['has_more'], false)
  }
  const lastSeq = (await threads.list(userId('ann'), { limit: 1 })).rows[0]?.lastSeq ?? 0
  assert.ok(lastSeq > 64, `${lastSeq} entries`)
  assert.deepEqual(
    reads,
    [1, lastSeq, lastSeq, 1].map((seq) => ({ after: seq - 1, upTo: seq, limit: 1 })),
  )
})

test('metadata is replaced; what is no conversation, or another user’s, is not found', async (t) => {
  const { call, create, get } = await open(t)
  const { id } = (await call('POST', '/api/v1/conversations', { metadata: { a: '1' } })).body
  const changed = await call('POST', `/api/v1/conversations/${String(id)}`, { metadata: { b: '2' } })
  assert.deepEqual([changed.status, changed.body['metadata']], [200, { b: '2' }])
  assert.deepEqual((await get(`/conversations/${String(id)}`)).body['metadata'], { b: '2' })
  const bob = { authorization: 'Bearer bob' }
  for (const path of [`/conversations/${String(id)}`, `/conversations/${String(id)}/items`]) {
    assert.equal((await get(path, bob)).status, 404, path)
  }
  assert.equal((await call('POST', `/v1/conversations/${String(id)}`, { metadata: {} }, bob)).status, 404)
  assert.equal((await call('DELETE', `/v1/conversations/${String(id)}`, undefined, bob)).status, 404)
  const foreign = await create({ input: 'Hi', conversation: id }, bob)
  assert.deepEqual([foreign.status, (foreign.body['error'] as Wire)['param']], [404, 'conversation'])
  assert.equal((await get('/conversations/conv_x')).status, 404)
  const faults: [Wire, string][] = [
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ metadata: { a: 'x'.repeat(20_000) } }, 'metadata'],
    [{ items: 'x' }, 'items'],
    [{ items: [{ role: 'nobody', content: '' }] }, 'items[0].role'],
  ]
  for (const [body, param] of faults) {
    const { status, body: answer } = await call('POST', '/v1/conversations', body)
    assert.deepEqual([status, (answer['error'] as Wire)['param']], [400, param])
  }
  assert.equal((await call('POST', `/v1/conversations/${String(id)}`, {})).status, 400)
})

test('a create request names a conversation by its id alone, and not beside a response', async (t) => {
  const { call, create } = await open(t)
  const { id } = (await call('POST', '/api/v1/conversations', {})).body
  const { id: previous } = (await create({ input: 'Hi', conversation: id })).body
  const both = await create({ input: 'Hi', conversation: id, previous_response_id: previous })
  const malformed = await create({ input: 'Hi', conversation: { name: 'x' } })
  for (const { status, body } of [both, malformed]) {
    assert.deepEqual([status, (body['error'] as Wire)['param']], [400, 'conversation'])
  }
})

test('an erased conversation is gone with its responses', async (t) => {
  const { call, create, get } = await open(t)
  const { id } = (await call('POST', '/api/v1/conversations', {})).body
  const { id: response } = (await create({ input: 'Hi', conversation: id })).body
  const erased = await call('DELETE', `/api/v1/conversations/${String(id)}`)
  assert.deepEqual(erased.body, { id, object: 'conversation.deleted', deleted: true })
  assert.equal((await get(`/conversations/${String(id)}`)).status, 404)
  assert.equal((await get(`/responses/${String(response)}`)).status, 404)
  assert.equal((await create({ input: 'Hi', conversation: id })).status, 404)
})

test('openai-node makes, uses and erases a conversation', async (t) => {
  const { url } = await open(t, { replies: [{ text: 'One.' }] })
  const client = new OpenAI({ baseURL: `${url}/api/v1`, apiKey: 'ann' })
  const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'Before.', type: 'message' }] })
  const answer = await client.responses.create({ model: 'any', input: 'Count', conversation: id })
  assert.deepEqual([answer.output_text, answer.conversation?.id], ['One.', id])
  const kinds: string[] = []
  for await (const item of client.conversations.items.list(id, { limit: 2, order: 'asc' })) kinds.push(item.type)
  assert.deepEqual(kinds, ['message', 'message', 'message'])
  await client.conversations.update(id, { metadata: { a: 'b' } })
  assert.deepEqual((await client.conversations.retrieve(id)).metadata, { a: 'b' })
  assert.equal((await client.conversations.delete(id)).deleted, true)
})
