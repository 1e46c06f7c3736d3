// Items, forks and variants of a thread over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { ModelEvent } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { createHold, createWriter, type Say, says } from '../test-app.ts'
import { completedJob, openHouse } from './house.ts'

test('items are read after a seq, in pages', async (t) => {
  const { call } = await openHouse(t)
  const id = (await call('POST', '/api/chat', { body: { message: 'one' } })).json.thread_id
  await call('POST', '/api/chat', { body: { message: 'two', thread_id: id } })
  const all = (await call('GET', `/api/threads/${id}`)).json
  assert.equal(all.thread.last_seq, 4)
  assert.equal(all.next_after, null)
  assert.deepEqual(
    all.items.map(({ seq, type, role }: { seq: number; type: string; role: string }) => [seq, type, role]),
    [
      [1, 'message', 'user'],
      [2, 'message', 'assistant'],
      [3, 'message', 'user'],
      [4, 'message', 'assistant'],
    ],
  )
  const page = (await call('GET', `/api/threads/${id}?after=1&limit=2`)).json
  assert.deepEqual(page.items, all.items.slice(1, 3))
  assert.equal(page.next_after, 3)
  assert.deepEqual((await call('GET', `/api/threads/${id}?after=9`)).json.items, [])
  assert.equal((await call('GET', `/api/threads/${id}?after=-1`)).status, 400)
})

test('what waits behind a running turn is told beside the items, to nobody else', async (t) => {
  const hold = createHold()
  const { call, addUser } = await openHouse(t, { say: hold.say })
  const first = (await call('POST', '/api/chat/send', { body: { message: 'one' } })).json
  await hold.asked
  const body = { message: 'two', thread_id: first.thread_id }
  const second = (await call('POST', '/api/chat/send', { body })).json
  const path = `/api/threads/${first.thread_id}`
  const { items, queued } = (await call('GET', path)).json
  assert.deepEqual([items.length, queued.length], [1, 1])
  const { at, ...waiting } = queued[0]
  assert.ok(Date.parse(at) > 0)
  assert.deepEqual(waiting, {
    id: second.message_id,
    turn_id: second.turn_id,
    type: 'message',
    role: 'user',
    content: [{ type: 'text', text: 'two' }],
  })
  assert.equal((await call('GET', path, { token: await addUser('ada') })).status, 404)
  hold.release('done')
  await completedJob({ call }, second.turn_id)
  const after = (await call('GET', path)).json
  assert.deepEqual([after.items.length, after.queued], [4, []])
  assert.equal(after.items[2].id, second.message_id)
})

test('a page of items ends before it has 4 MiB, and the pages together miss and double nothing', async (t) => {
  const { call } = await openHouse(t)
  const message = 'a'.repeat(1_000_000)
  const id = (await call('POST', '/api/chat', { body: { message } })).json.thread_id
  for (let at = 0; at < 5; at++) await call('POST', '/api/chat', { body: { message, thread_id: id } })
  const seqs: number[] = []
  const counts: number[] = []
  for (let after: number | null = 0; after !== null; ) {
    const { json, text } = await call('GET', `/api/threads/${id}?after=${after}`)
    assert.ok(Buffer.byteLength(text) <= 4 * 1024 * 1024 + 10_000)
    counts.push(json.items.length)
    seqs.push(...json.items.map(({ seq }: { seq: number }) => seq))
    after = json.next_after
  }
  assert.deepEqual(
    seqs,
    seqs.map((_, at) => at + 1),
  )
  assert.ok(seqs.length >= 12)
  assert.ok(counts.length >= 2 && counts.every((count) => count > 0))
})

test('a page of 500 items is the largest, and tells where the next begins', async (t) => {
  const { call, turns } = await openHouse(t)
  const input = Array.from({ length: 501 }, (_, at) => textMessage('user', `${at}`))
  const { turn, events } = await turns.start({ user: operator, door: 'web', input, options: {}, whenBusy: 'queue' })
  events.close()
  await completedJob({ call }, turn.id)
  const page = async (query: string) => (await call('GET', `/api/threads/${turn.threadId}${query}`)).json
  assert.equal((await page('')).items.length, 200)
  const most = await page('?limit=9999')
  assert.deepEqual([most.items.length, most.next_after], [500, 500])
  const rest = await page('?after=500&limit=2')
  assert.deepEqual([rest.items.length, rest.next_after], [2, null])
})

test('what a provider sealed in its thoughts and calls stays inside', async (t) => {
  const said: ModelEvent[] = [
    { type: 'reasoning', text: 'I think', signature: 'sealed-thought' },
    { type: 'call', name: 'write_note', args: '{}', signature: 'sealed-call' },
    { type: 'done', usage: noUsage },
  ]
  const say: Say = ({ items }) => (items.some(({ type }) => type === 'result') ? says('done') : said)
  const { call } = await openHouse(t, { say, tools: [createWriter([])] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'write' } })
  const { text } = await call('GET', `/api/threads/${json.thread_id}`)
  assert.match(text, /"type":"reasoning","text":"I think"/)
  assert.doesNotMatch(text + JSON.stringify(json), /sealed/)
  assert.doesNotMatch((await call('GET', `/api/jobs/${json.turn_id}`)).text, /sealed/)
})

test('the arguments of a call are shown as the model wrote them, however deep', async (t) => {
  const odd = '{"id":9007199254740993,"price":1.10}'
  const deep = `{"a":${'['.repeat(150)}${']'.repeat(150)}}`
  for (const args of [odd, deep]) {
    const say: Say = () => [
      { type: 'call', name: 'write_note', args },
      { type: 'done', usage: noUsage },
    ]
    const { call } = await openHouse(t, { say, tools: [createWriter([])] })
    const chat = await call('POST', '/api/chat', { body: { message: 'write' } })
    const { text } = await call('GET', `/api/threads/${chat.json.thread_id}`)
    const shown = args === odd ? odd : JSON.stringify(deep)
    for (const each of [chat.text, text]) assert.ok(each.includes(`"args":${shown}`))
  }
})

test('a fork goes on from before a message, and the thread it came from stays as it is', async (t) => {
  const seen: number[] = []
  const say: Say = ({ items }) => {
    seen.push(items.length)
    return says(`answer ${items.length}`)
  }
  const { call, addUser } = await openHouse(t, { say })
  const ada = await addUser('ada')
  const id = (await call('POST', '/api/chat', { body: { message: 'one' } })).json.thread_id
  await call('POST', '/api/chat', { body: { message: 'two', thread_id: id } })
  const before = (await call('GET', `/api/threads/${id}`)).json
  const fork = await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: 3 } })
  assert.equal(fork.status, 201)
  assert.notEqual(fork.json.id, id)
  assert.deepEqual([fork.json.title, fork.json.last_seq, fork.json.state], ['Fork of one', 2, 'idle'])
  assert.deepEqual((await call('GET', `/api/threads/${fork.json.id}`)).json.origin, { id, title: 'one', seq: 3 })
  assert.equal((await call('GET', '/api/threads')).json.threads[0].id, fork.json.id)
  const copied = (await call('GET', `/api/threads/${fork.json.id}`)).json.items
  assert.deepEqual(copied, before.items.slice(0, 2))
  assert.equal((await call('GET', `/api/turns/${copied[0].turn_id}/receipt`)).status, 200)
  const again = await call('POST', '/api/chat', { body: { message: 'two, otherwise', thread_id: fork.json.id } })
  assert.equal(again.json.response, 'answer 3')
  assert.deepEqual(seen, [1, 3, 3])
  const items = (await call('GET', `/api/threads/${fork.json.id}`)).json.items
  assert.deepEqual(
    items.map(({ seq }: { seq: number }) => seq),
    [1, 2, 3, 4],
  )
  assert.deepEqual((await call('GET', `/api/threads/${id}`)).json, before)
  const empty = await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: 1 } })
  assert.equal(empty.json.last_seq, 0)
  assert.equal(
    (await call('POST', '/api/chat', { body: { message: 'a', thread_id: empty.json.id } })).json.response,
    'answer 1',
  )
  assert.equal((await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: 5 } })).json.last_seq, 4)
  for (const seq of [2, 4, 6, 0, -1, 1.5, '3', null]) {
    const refused = await call('POST', `/api/threads/${id}/fork`, { body: { before_seq: seq } })
    assert.deepEqual([refused.status, refused.json.error.param], [400, 'before_seq'], String(seq))
  }
  assert.equal((await call('POST', `/api/threads/${id}/fork`, { token: ada, body: { before_seq: 1 } })).status, 404)
})

test('a message said again stays in the conversation as a variant: one row, told at its message', async (t) => {
  let said = 0
  const { call, addUser } = await openHouse(t, { say: () => says(`answer ${++said}`) })
  const ada = await addUser('ada')
  const first = (await call('POST', '/api/chat', { body: { message: 'one' } })).json.thread_id
  await call('POST', '/api/chat', { body: { message: 'two', thread_id: first } })
  const again = { message: 'two', thread_id: first, before_seq: 3 }
  const second = (await call('POST', '/api/chat', { body: again })).json.thread_id
  const edited = { message: 'two, edited', thread_id: second, before_seq: 3 }
  const third = (await call('POST', '/api/chat', { body: edited })).json.thread_id
  const list = async () => (await call('GET', '/api/threads')).json.threads.map(({ id }: { id: string }) => id)
  assert.deepEqual(await list(), [third])
  const read = async (id: string) => (await call('GET', `/api/threads/${id}`)).json
  assert.deepEqual((await read(first)).variants, [{ seq: 3, threads: [first, second, third], at: 0 }])
  assert.deepEqual((await read(second)).variants, [{ seq: 3, threads: [first, second, third], at: 1 }])
  assert.deepEqual([(await read(third)).thread.family, (await read(third)).thread.title], [first, 'one'])
  assert.deepEqual([(await read(first)).thread.hidden, (await read(third)).thread.hidden], [true, undefined])
  const fork = (await call('POST', `/api/threads/${second}/fork`, { body: { before_seq: 3 } })).json.id
  const forked = await call('POST', '/api/chat', { body: { message: 'x', thread_id: fork } })
  const variant = (await call('POST', '/api/chat', { body: { ...again, thread_id: fork } })).json.thread_id
  assert.equal(forked.json.thread_id, fork)
  assert.deepEqual((await read(variant)).origin, { id: second, title: 'one', seq: 3 }, 'that of the whole conversation')
  assert.deepEqual(await list(), [variant, third])
  const shown = await call('PATCH', `/api/threads/${first}`, { body: { shown: true } })
  assert.deepEqual([shown.status, shown.json.hidden], [200, undefined])
  assert.deepEqual(await list(), [variant, first])
  assert.equal((await call('DELETE', `/api/threads/${second}`)).status, 204)
  assert.deepEqual(await list(), [variant])
  assert.equal((await read(variant)).origin, undefined)
  for (const body of [
    { message: 'x', before_seq: 1 },
    { message: 'x', thread_id: variant, before_seq: 2 },
    { message: 'x', thread_id: variant, before_seq: 0 },
  ])
    assert.equal((await call('POST', '/api/chat/send', { body })).status, 400, JSON.stringify(body))
  const foreign = { message: 'x', thread_id: variant, before_seq: 1 }
  assert.equal((await call('POST', '/api/chat/send', { token: ada, body: foreign })).status, 404)
})
