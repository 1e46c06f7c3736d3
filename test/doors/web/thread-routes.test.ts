// Threads over HTTP: lists, search, rename, export, erasing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catchUp } from '#turns/thread-indexer.ts'
import { calls, createHold, createWriter, eventually, type Say, says } from '../test-app.ts'
import { openHouse } from './house.ts'

const noThread = '0197a000-0000-7000-8000-000000000000'
test('threads are listed last used first, with a title', async (t) => {
  const { call } = await openHouse(t)
  const one = (await call('POST', '/api/chat', { body: { message: 'one\nmore' } })).json.thread_id
  const two = (await call('POST', '/api/chat', { body: { message: 'two' } })).json.thread_id
  const titles = async () =>
    (await call('GET', '/api/threads')).json.threads.map(({ title }: { title: string }) => title)
  assert.deepEqual(await titles(), ['two', 'one'])
  await call('POST', '/api/chat', { body: { message: 'again', thread_id: one } })
  assert.deepEqual(await titles(), ['one', 'two'])
  const page = (await call('GET', '/api/threads?limit=1')).json
  assert.equal(page.threads[0].id, one)
  const next = (await call('GET', `/api/threads?limit=1&cursor=${page.next_cursor}`)).json
  assert.equal(next.threads[0].id, two)
  assert.equal(next.next_cursor, null)
})

test('threads are found by what was said, with the words around it, by their user alone', async (t) => {
  const { call, addUser, store } = await openHouse(t, { say: () => says('The answer is a zeppelin') })
  const said = (await call('POST', '/api/chat', { body: { message: 'What flies over the harbour?' } })).json.thread_id
  const titled = (await call('POST', '/api/chat', { body: { message: 'Zeppelin museum' } })).json.thread_id
  await catchUp(store.threadIndex)
  const found = (await call('GET', '/api/threads?q=zeppelin%20')).json
  assert.deepEqual(
    found.threads.map(({ id, match }: { id: string; match: unknown }) => [id, match]),
    [
      [titled, undefined],
      [said, { seq: 2, snippet: 'The answer is a zeppelin' }],
    ],
  )
  assert.equal(found.next_cursor, null)
  assert.equal((await call('GET', '/api/threads?q=zeppelin&limit=1')).json.threads.length, 1)
  const token = await addUser('eve')
  assert.deepEqual((await call('GET', '/api/threads?q=zeppelin', { token })).json.threads, [])
  assert.equal((await call('GET', '/api/threads?q=%20')).status, 400)
  assert.equal((await call('GET', `/api/threads?q=${'x'.repeat(1_001)}`)).status, 400)
})

test('words are found in the messages of a thread, by its user alone', async (t) => {
  const { call, addUser } = await openHouse(t, { say: () => says('A zeppelin, and a ZEPPELIN again') })
  const id = (await call('POST', '/api/chat', { body: { message: 'What flies?' } })).json.thread_id
  await call('POST', '/api/chat', { body: { message: 'A zeppelin?', thread_id: id } })
  const found = await call('GET', `/api/threads/${id}/find?q=zeppelin`)
  const hits = [
    { seq: 2, count: 2 },
    { seq: 3, count: 1 },
    { seq: 4, count: 2 },
  ]
  assert.deepEqual(found.json, { hits, next_after: null })
  assert.deepEqual((await call('GET', `/api/threads/${id}/find?q=zeppelin&after=2`)).json.hits, hits.slice(1))
  assert.deepEqual((await call('GET', `/api/threads/${id}/find?q=balloon`)).json.hits, [])
  const token = await addUser('eve')
  assert.equal((await call('GET', `/api/threads/${id}/find?q=zeppelin`, { token })).status, 404)
  for (const query of ['', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=x&after=-1'])
    assert.equal((await call('GET', `/api/threads/${id}/find${query}`)).status, 400, query)
})

test('a thread is pinned and archived; several are deleted at once, and nothing of others', async (t) => {
  const { call, addUser } = await openHouse(t)
  const make = async (message: string) => (await call('POST', '/api/chat', { body: { message } })).json.thread_id
  const [one, two, three] = [await make('one'), await make('two'), await make('three')]
  const list = async (query = '') =>
    (await call('GET', `/api/threads?${query}`)).json.threads.map(({ title }: { title: string }) => title)
  const pinned = await call('PATCH', `/api/threads/${one}`, { body: { pinned: true, title: 'uno' } })
  assert.deepEqual([pinned.json.pinned, pinned.json.title], [true, 'uno'])
  assert.deepEqual(await list('shelf=pinned'), ['uno'])
  const archived = await call('PATCH', `/api/threads/${two}`, { body: { archived: true } })
  assert.deepEqual([archived.json.archived, archived.json.pinned], [true, undefined])
  assert.deepEqual([await list(), await list('shelf=archived')], [['three', 'uno'], ['two']])
  for (const body of [{}, { pinned: 1 }, { pinned: true, archived: true }])
    assert.equal((await call('PATCH', `/api/threads/${one}`, { body })).status, 400)
  const token = await addUser('eve')
  assert.equal((await call('PATCH', `/api/threads/${one}`, { token, body: { pinned: false } })).status, 404)
  const remove = (ids: unknown, as?: string) =>
    call('POST', '/api/threads/delete', { body: { ids }, ...(as !== undefined && { token: as }) })
  assert.deepEqual((await remove([one, two], token)).json, { deleted: 0 })
  assert.deepEqual((await remove([one, two, one, noThread])).json, { deleted: 2 })
  assert.deepEqual([await list(), await list('shelf=archived')], [['three'], []])
  for (const ids of [[], ['x'], 'x', Array.from({ length: 101 }, () => three)])
    assert.equal((await remove(ids)).status, 400)
  assert.equal((await remove([one, 'x'])).json.error.message, 'ids[1] must be the id of a thread')
  assert.equal((await call('GET', '/api/threads?shelf=top')).status, 400)
})

test('a thread is exported as a file and imported as a new thread', async (t) => {
  const { call, addUser } = await openHouse(t, { say: () => says('Over the harbour') })
  const id = (await call('POST', '/api/chat', { body: { message: 'Where is it?' } })).json.thread_id
  const file = await call('GET', `/api/threads/${id}/export`)
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename="Where-is-it.json"')
  const markdown = await call('GET', `/api/threads/${id}/export?format=markdown`)
  assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/)
  assert.equal(markdown.text, '# Where is it?\n\n## You\n\nWhere is it?\n\n## Atrium\n\nOver the harbour\n')
  assert.equal((await call('GET', `/api/threads/${id}/export?format=pdf`)).status, 400)
  const token = await addUser('eve')
  assert.equal((await call('GET', `/api/threads/${id}/export`, { token })).status, 404)
  const made = await call('POST', '/api/threads/import', { token, body: file.json })
  assert.deepEqual([made.status, made.json.title, made.json.last_seq], [201, 'Where is it?', 2])
  const read = (await call('GET', `/api/threads/${made.json.id}`, { token })).json
  assert.deepEqual(
    read.items.map(({ content }: { content: { text: string; origin?: string }[] }) => [
      content[0]?.text,
      content[0]?.origin,
    ]),
    [
      ['Where is it?', 'an imported conversation'],
      ['Over the harbour', 'an imported conversation'],
    ],
  )
  assert.equal((await call('POST', '/api/threads/import', { body: { ...file.json, version: 9 } })).status, 400)
})

test('an erased thread is gone with its jobs', async (t) => {
  const { call } = await openHouse(t)
  const { json } = await call('POST', '/api/chat', { body: { message: 'one' } })
  const path = `/api/threads/${json.thread_id}`
  const erased = await call('DELETE', path, { headers: { 'content-type': 'application/json' } })
  assert.equal(erased.status, 204)
  assert.equal(erased.text, '')
  for (const gone of [path, `/api/jobs/${json.turn_id}`]) assert.equal((await call('GET', gone)).status, 404)
  assert.equal((await call('DELETE', path)).status, 404)
})

test('erasing a thread stops the turn that runs in it', async (t) => {
  const hold = createHold()
  let stopped: Promise<unknown> | undefined
  const say: Say = (request, signal) => {
    stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return hold.say(request, signal)
  }
  const { call, store } = await openHouse(t, { say })
  const { json } = await call('POST', '/api/chat/send', { body: { message: 'long' } })
  await hold.asked
  const behind = call('POST', '/api/chat', { body: { message: 'behind', thread_id: json.thread_id } })
  await eventually(async () => (await store.turns.count(undefined)).queued > 0)
  assert.equal((await call('DELETE', `/api/threads/${json.thread_id}`)).status, 204)
  await stopped
  assert.equal((await behind).json.status, 'cancelled')
  assert.deepEqual(await store.turns.count(undefined), {
    queued: 0,
    running: 0,
    waiting: 0,
    costToday: { costUsd: 0, unpricedCalls: 0 },
  })
  assert.equal((await call('POST', '/api/chat/send', { body: { message: 'next' } })).status, 202)
})

test('unknown, malformed and foreign threads are 404, the same for all', async (t) => {
  const { call, addUser } = await openHouse(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'mine' } })
  const texts = new Set<string>()
  for (const id of ['x', noThread, json.thread_id]) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await call(method, `/api/threads/${id}`, { token: bob })
      assert.equal(answer.status, 404)
      texts.add(answer.text)
    }
  }
  assert.equal(texts.size, 1)
  assert.deepEqual((await call('GET', '/api/threads', { token: bob })).json.threads, [])
  assert.equal((await call('GET', `/api/threads/${json.thread_id}`, { token: ada })).status, 200)
})

test('a thread is renamed, and keeps its place', async (t) => {
  const { call, addUser } = await openHouse(t)
  const ada = await addUser('ada')
  const one = (await call('POST', '/api/chat', { body: { message: 'one' } })).json.thread_id
  await call('POST', '/api/chat', { body: { message: 'two' } })
  const renamed = await call('PATCH', `/api/threads/${one}`, { body: { title: '  Über uns ' } })
  assert.deepEqual([renamed.status, renamed.json.title, renamed.json.id], [200, 'Über uns', one])
  const titles = (await call('GET', '/api/threads')).json.threads.map(({ title }: { title: string }) => title)
  assert.deepEqual(titles, ['two', 'Über uns'])
  assert.equal((await call('PATCH', `/api/threads/${one}`, { body: { title: '😀'.repeat(200) } })).status, 200)
  for (const title of ['', '  ', 'a\nb', 'a\u0007', 'x'.repeat(201), '😀'.repeat(201), 7, null]) {
    const refused = await call('PATCH', `/api/threads/${one}`, { body: { title } })
    assert.deepEqual([refused.status, refused.json.error.param], [400, 'title'], JSON.stringify(title))
  }
  for (const id of [noThread, 'x']) {
    assert.equal((await call('PATCH', `/api/threads/${id}`, { body: { title: 'a' } })).status, 404)
  }
  assert.equal((await call('PATCH', `/api/threads/${one}`, { token: ada, body: { title: 'a' } })).status, 404)
})

test('a list tells which threads run, wait for somebody, or failed', async (t) => {
  const ran: unknown[] = []
  const hold = createHold()
  const say: Say = (request, signal) => {
    const text = JSON.stringify(request.items)
    if (text.includes('fail')) throw new Error('no')
    if (text.includes('hold')) return hold.say(request, signal)
    return text.includes('write') ? calls('write_note', {}) : says('ok')
  }
  const { call } = await openHouse(t, { say, tools: [createWriter(ran)] })
  for (const message of ['fine', 'fail', 'write', 'hold']) await call('POST', '/api/chat/send', { body: { message } })
  const states = await eventually(async () => {
    const { threads } = (await call('GET', '/api/threads')).json
    const found = threads.map(({ title, state }: { title: string; state: string }) => `${title} ${state}`)
    return found.filter((each: string) => each.includes('running')).length === 1 && found
  })
  assert.deepEqual(states, ['hold running', 'write waiting', 'fail failed', 'fine idle'])
  hold.release('done')
})
