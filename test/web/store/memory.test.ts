// Memory as the page reads and writes it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { freshPage, gateway, ok, partOf, refusal, settled } from './page.ts'
import { documentDraft, keepDocumentDraft } from '../../../web/store/drafts.ts'
import { go, leaving, route } from '../../../web/router.ts'
import {
  addressOf,
  ChangedMeanwhile,
  deleteDocument,
  hasFound,
  identity,
  memoryList,
  memorySearch,
  openDocument,
  openPath,
  pathFault,
  restoreVersion,
  saveDocument,
  showMore,
} from '../../../web/store/memory.ts'

const listing = 'GET /api/memory'

/** The gateway has so many documents. */
function serve(t: TestContext, count: number): void {
  freshPage(t)
  memorySearch.value = ''
  go('/memory')
  gateway.on(listing, ({ query }) => {
    if (query.has('q')) return ok({ results: [{ path: 'found.md' }] })
    const { numbers, next_cursor } = partOf(query, count)
    return ok({ results: numbers.map((at) => ({ path: `d${at}.md` })), next_cursor })
  })
}

const queries = () => gateway.of(listing).map(({ query }) => query.toString())
const list = () => {
  const found = memoryList.data.value
  assert(found?.type === 'all')
  return found
}

// The number of pages grows from test to test: it lasts as long as the page.
test('documents come a hundred at a time, without the identity files, which are listed apart', async (t) => {
  serve(t, 150)
  await memoryList.load()
  assert.deepEqual([queries(), list().documents.length, list().more], [['limit=100'], 100, true])
  showMore()
  await settled()
  assert.deepEqual(queries().slice(1), ['limit=100', 'limit=100&cursor=100'])
  assert.deepEqual([list().documents.length, list().more, list().documents[149]?.path], [150, false, 'd149.md'])
  const results = [...identity, { path: 'a.md' }].map(({ path }) => ({ path }))
  gateway.on(listing, ok({ results, next_cursor: null }))
  await memoryList.load()
  assert.equal(queries().length, 4, 'there is no second page')
  assert.deepEqual(
    list().documents.map(({ path }) => path),
    ['a.md'],
  )
  assert.deepEqual(
    identity.map(({ path }) => path),
    ['AGENTS.md', 'SOUL.md', 'USER.md', 'IDENTITY.md'],
  )
})

test('a search asks for its words, and says how long it took', async (t) => {
  serve(t, 1)
  memorySearch.value = '  some words '
  const times = [100, 141.6]
  t.mock.method(performance, 'now', () => times.shift() ?? 0)
  await memoryList.load()
  assert.deepEqual(queries(), ['q=some+words&limit=25'])
  assert.deepEqual(memoryList.data.value, {
    type: 'found',
    query: 'some words',
    documents: [{ path: 'found.md' }],
    ms: 42,
  })
})

test('a document has an address, whatever its path', () => {
  const path = 'odd names/50 % of #1?.md'
  assert.equal(addressOf(path), '/memory/odd%20names/50%20%25%20of%20%231%3F.md')
  go(addressOf(path))
  assert.equal(openPath.value, path)
  for (const [address, open] of [
    ['/memory', undefined],
    ['/memory/', undefined],
    ['/memory/a', 'a'],
    ['/memories/a', undefined],
    ['/memory/%', undefined],
  ] as const) {
    go(address)
    assert.equal(openPath.value, open, address)
  }
})

test('a path that would change the request is refused with a reason', () => {
  for (const path of ['a.md', 'a/b.md', '.a/..b/c..']) assert.equal(pathFault(path), undefined, path)
  assert.match(pathFault('') ?? '', /^Give it a path first/)
  for (const path of ['/a', 'a/', 'a//b', './a', 'a/..']) assert.match(pathFault(path) ?? '', /^A path has names/, path)
})

const document = '/api/memory/documents/a/b.md'

test('the open document is read; one that is not there is missing, one that cannot be read is a fault', async (t) => {
  serve(t, 0)
  go('/memory/a/b.md')
  gateway.on(`GET ${document}`, ok({ path: 'a/b.md', content: 'x' }))
  await openDocument.load()
  assert.deepEqual(openDocument.data.value, { path: 'a/b.md', content: 'x' })
  gateway.on(`GET ${document}`, refusal(404, 'not_found'))
  await openDocument.load()
  assert.deepEqual(openDocument.data.value, { path: 'a/b.md', missing: true })
  gateway.on(`GET ${document}`, refusal(500, 'internal', 'broken'))
  await openDocument.load()
  assert.equal(openDocument.fault.value, 'Broken.')
  go('/memory')
  await openDocument.load()
  assert.equal(gateway.asked.at(-1)?.path, '/api/memory/documents/')
})

test('a document is written where nobody else has written since it was read', async (t) => {
  serve(t, 0)
  gateway.on(`PUT ${document}`, ok({}))
  const puts = () => gateway.bodies(`PUT ${document}`)
  gateway.on(`GET ${document}`, ok({ path: 'a/b.md', updated_at: 'now' }))
  await assert.rejects(saveDocument('a/b.md', 'mine', { at: 'before' }), ChangedMeanwhile)
  await assert.rejects(saveDocument('a/b.md', 'mine', { at: undefined }), ChangedMeanwhile)
  assert.deepEqual(puts(), [])
  await saveDocument('a/b.md', 'one', { at: 'now' })
  gateway.on(`GET ${document}`, refusal(404, 'not_found'))
  await saveDocument('a/b.md', 'two', { at: undefined })
  await assert.rejects(saveDocument('a/b.md', 'mine', { at: 'now' }), ChangedMeanwhile)
  const reads = gateway.of(`GET ${document}`).length
  await saveDocument('a/b.md', 'three')
  assert.deepEqual(puts(), [{ content: 'one' }, { content: 'two' }, { content: 'three' }])
  assert.equal(gateway.of('GET /api/memory/documents/*').length, reads, 'it is neither compared nor open')
  go('/memory/a/b.md')
  await saveDocument('a/b.md', 'four')
  assert.equal(gateway.of(`GET ${document}`).length, reads + 1, 'the open one is read again')
  assert.equal(queries().length, 4, 'so is the list')
})

test('a deleted document leaves the list', async (t) => {
  serve(t, 0)
  gateway.on(`DELETE ${document}`, ok(undefined))
  await deleteDocument('a/b.md')
  assert.deepEqual([gateway.of(`DELETE ${document}`).length, queries().length], [1, 1])
})

test('a draft ends with its document: deleted, or restored as it was once', async (t) => {
  serve(t, 0)
  gateway.on(`DELETE ${document}`, ok(undefined))
  gateway.on('POST /api/memory/history/a/b.md', ok({}))
  gateway.on('GET /api/memory/documents/', refusal(404, 'not_found'))
  for (const end of [() => deleteDocument('a/b.md'), () => restoreVersion('a/b.md', 1)]) {
    keepDocumentDraft('a/b.md', 'half a thought')
    await end()
    assert.equal(documentDraft('a/b.md'), undefined)
  }
})

test('a page with unsaved words is left when it says so; a replaced address does not ask', (t) => {
  serve(t, 0)
  const asked: (() => void)[] = []
  leaving.ask = (leave) => asked.push(leave) < 2
  t.after(() => {
    leaving.ask = undefined
  })
  go('/memory')
  assert.equal(asked.length, 0, 'it is not left')
  go('/jobs')
  assert.deepEqual([asked.length, route.value.path, location.pathname], [1, '/memory', '/memory'])
  asked[0]?.()
  assert.deepEqual([asked.length, route.value.path], [2, '/jobs'])
  go('/activity', { replace: true })
  assert.deepEqual([asked.length, route.value.path], [2, '/activity'])
})

test('documents count as found only for what the search box has now', async (t) => {
  serve(t, 1)
  await memoryList.load()
  assert.equal(hasFound(), false, 'all documents are no result')
  memorySearch.value = ' fig '
  assert.equal(hasFound(), false, 'nothing was searched yet')
  await memoryList.load()
  assert.equal(hasFound(), true)
  memorySearch.value = 'figs'
  assert.equal(hasFound(), false, 'the list is of an earlier search')
  gateway.on(listing, ok({ results: [] }))
  await memoryList.load()
  assert.equal(hasFound(), false, 'nothing was found')
  memorySearch.value = ''
})
