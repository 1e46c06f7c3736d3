// Memory over the gateway: documents by path, search, lists; each caller's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { openHouse } from './house.ts'

const at = (path: string): string => `/api/memory/documents/${path.split('/').map(encodeURIComponent).join('/')}`

test('a document is written, read, replaced and deleted by its path', async (t) => {
  const { call } = await openHouse(t)
  for (const path of ['notes.md', 'a/b/c d.md', '日本/ü & 100%?#.txt', 'x/..hidden', '%2F']) {
    const made = await call('PUT', at(path), { body: { content: 'first\r\n' } })
    assert.equal(made.status, 201, `${path}: ${made.text}`)
    assert.deepEqual([made.json.path, made.json.bytes, made.json.author, made.json.untrusted], [path, 7, 'user', false])
    assert.equal((await call('PUT', at(path), { body: { content: 'second' } })).status, 200)
    const read = await call('GET', at(path))
    assert.deepEqual([read.status, read.json.content, read.json.path], [200, 'second', path])
    assert.equal((await call('DELETE', at(path))).status, 204)
    const gone = await call('GET', at(path))
    assert.deepEqual([gone.status, gone.json.error.code], [404, 'not_found'])
    assert.equal((await call('DELETE', at(path))).status, 404)
  }
})

test('search finds what was written at once, with the words around the match', async (t) => {
  const { call } = await openHouse(t)
  await call('PUT', at('home/garden.md'), { body: { content: 'Plant tomatoes after the frost.' } })
  await call('PUT', at('work.md'), { body: { content: 'The tomato budget: 300.' } })
  const { status, json } = await call('GET', '/api/memory?q=planting%20tomatoes&limit=5')
  assert.equal(status, 200)
  assert.deepEqual(
    json.results.map((each: { path: string }) => each.path),
    ['home/garden.md', 'work.md'],
  )
  const [best] = json.results
  assert.deepEqual(Object.keys(best).toSorted(), ['content', 'path', 'score', 'updated_at'])
  assert.match(best.content, /tomatoes/)
  assert(best.score > json.results[1].score)
  assert.match(best.updated_at, /^\d{4}-.*Z$/)
  assert.equal((await call('GET', '/api/memory?q=tomatoes&limit=1')).json.results.length, 1)
  assert.deepEqual((await call('GET', '/api/memory?q=%22%20(')).json, { results: [] })
})

test('a document of the agent tells the thread it was written in, as long as that is there', async (t) => {
  const { call, store } = await openHouse(t)
  const { json: said } = await call('POST', '/api/chat', { body: { message: 'Deploy latency' } })
  const chunks = [{ text: 'hello', lap: 0, terms: { title: [], body: ['hello'], extra: [] } }]
  const threadId: string = said.thread_id
  await store.documents.put(operator, [{ path: 'a', bytes: 5, author: 'agent', threadId, untrusted: false, chunks }])
  const threadOf = async () => (await call('GET', at('a'))).json.thread
  assert.deepEqual(await threadOf(), { id: threadId, title: 'Deploy latency' })
  await call('DELETE', `/api/threads/${threadId}`)
  assert.equal(await threadOf(), undefined)
})

test('without words there is the list, in pages and by folder', async (t) => {
  const { call } = await openHouse(t)
  for (const path of ['a', 'b/1', 'b/2', 'c']) await call('PUT', at(path), { body: { content: path } })
  const list = await call('GET', '/api/memory?limit=3')
  assert.deepEqual(
    list.json.results.map((each: { path: string; beginning: string }) => [each.path, each.beginning]),
    ['a', 'b/1', 'b/2'].map((each) => [each, each]),
  )
  const rest = await call('GET', `/api/memory?limit=3&cursor=${encodeURIComponent(list.json.next_cursor)}`)
  assert.deepEqual(
    rest.json.results.map((each: { path: string }) => each.path),
    ['c'],
  )
  assert.equal(rest.json.next_cursor, null)
  const wrong = await call('GET', '/api/memory?folder=../b')
  assert.deepEqual([wrong.status, wrong.json.error.param], [400, 'folder'])
  const folder = await call('GET', '/api/memory?q=&folder=b')
  assert.deepEqual(
    folder.json.results.map((each: { path: string }) => each.path),
    ['b/1', 'b/2'],
  )
})

test('nobody sees what another keeps, the operator neither', async (t) => {
  const { call, addUser } = await openHouse(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  await call('PUT', at('diary.md'), { token: ada, body: { content: 'a secret walrus' } })
  for (const other of [{ token: bob }, {}]) {
    assert.equal((await call('GET', at('diary.md'), other)).status, 404)
    assert.equal((await call('DELETE', at('diary.md'), other)).status, 404)
    assert.deepEqual((await call('GET', '/api/memory?q=walrus', other)).json.results, [])
    assert.deepEqual((await call('GET', '/api/memory', other)).json.results, [])
  }
  assert.equal((await call('GET', at('diary.md'), { token: ada })).status, 200)
  assert.equal((await call('GET', '/api/memory', { token: null })).status, 401)
  assert.equal((await call('PUT', at('x'), { token: null, body: { content: '' } })).status, 401)
})

const bad: readonly [what: string, path: string, body: unknown, status: number, words: RegExp][] = [
  ['no content', 'a', {}, 400, /^content is missing/],
  ['content that is no text', 'a', { content: 5 }, 400, /^content must be a string/],
  ['no body', 'a', undefined, 400, /body/],
  ['a path that leaves', 'a%2F..%2Fb', { content: '' }, 400, /^path must not have \. or \.\./],
  ['a path with a control character', 'a%07b', { content: '' }, 400, /^path must not have control/],
  ['a path from the root', '%2Fetc', { content: '' }, 400, /^path must be relative/],
  ['an empty name', 'a%2F%2Fb', { content: '' }, 400, /^path must not have an empty name/],
  ['no path', '', { content: '' }, 400, /^path must have 1 to 200/],
  ['a path too long', 'x'.repeat(201), { content: '' }, 400, /^path must have 1 to 200/],
  ['a NUL', 'a', { content: 'a\0b' }, 400, /^content has a NUL/],
  ['half a character', 'a', { content: '\ud800' }, 400, /^content has half/],
  ['too much', 'a', { content: 'é'.repeat(524_289) }, 413, /^content has 1048578 bytes/],
]
for (const [what, path, body, status, words] of bad) {
  test(`refused: ${what}`, async (t) => {
    const { call } = await openHouse(t)
    const answer = await call('PUT', `/api/memory/documents/${path}`, { body })
    assert.equal(answer.status, status, answer.text)
    assert.match(answer.json.error.message, words)
    assert.deepEqual((await call('GET', '/api/memory')).json.results, [])
  })
}

test('a document of exactly 1 MiB and a path of exactly 200 characters are taken', async (t) => {
  const { call } = await openHouse(t)
  const path = '😀'.repeat(200)
  const content = 'word '.repeat(209_715).concat('x')
  assert.equal(Buffer.byteLength(content), 1024 * 1024)
  assert.equal((await call('PUT', at(path), { body: { content } })).status, 201)
  assert.equal((await call('GET', at(path))).json.content, content)
})

test('a document of 1 MiB is taken however its JSON writes it', async (t) => {
  const { call } = await openHouse(t)
  const content = '"\n'.repeat(512 * 1024)
  const written = JSON.stringify(content).replaceAll('\\n', '\\u000a')
  assert.equal((await call('PUT', at('quotes.txt'), { body: `{"content": ${written}}` })).status, 201)
  assert.equal((await call('GET', at('quotes.txt'))).json.content, content)
})

test('earlier versions of a document are listed, read and restored, by their user alone', async (t) => {
  const { call, addUser } = await openHouse(t)
  const write = (content: string) => call('PUT', '/api/memory/documents/notes/a.md', { body: { content } })
  for (const content of ['one', 'two', 'three']) await write(content)
  const history = '/api/memory/history/notes/a.md'
  const { versions } = (await call('GET', history)).json
  assert.deepEqual(
    versions.map(({ revision, author, bytes }: { revision: number; author: string; bytes: number }) => [
      revision,
      author,
      bytes,
    ]),
    [
      [2, 'user', 3],
      [1, 'user', 3],
    ],
  )
  assert.equal((await call('GET', `${history}?revision=1`)).json.versions[0].content, 'one')
  assert.equal((await call('POST', history, { body: { revision: 1 } })).status, 200)
  assert.equal((await call('GET', '/api/memory/documents/notes/a.md')).json.content, 'one')
  assert.equal((await call('GET', history)).json.versions[0].revision, 3)
  assert.equal((await call('POST', history, { body: { revision: 9 } })).status, 404)
  assert.equal((await call('POST', history, { body: {} })).status, 400)
  assert.equal((await call('GET', `${history}?revision=x`)).status, 400)
  assert.match(
    (await call('GET', `${history}?revision=1&revision=2`)).text,
    /"revision stands in the query more than once"/,
  )
  const token = await addUser('eve')
  assert.equal((await call('GET', history, { token })).status, 404)
  assert.equal((await call('POST', history, { token, body: { revision: 1 } })).status, 404)
})
