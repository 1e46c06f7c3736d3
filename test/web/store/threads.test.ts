// The list of threads: pages, search, marks, rename, delete with a way back.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { address, freshPage, gateway, ok, refusal, settled, storage, threadOf } from './page.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { go } from '../../../web/router.ts'
import { gates } from '../../../web/store/gates.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { followSearch, foundThreads, searching } from '../../../web/store/message-search.ts'
import { endNotice, notice } from '../../../web/store/notices.ts'
import { markOf, restoreSeen, sawThread } from '../../../web/store/thread-marks.ts'
import {
  applyThread,
  deleteThread,
  deleteThreads,
  maxThreads,
  olderThreads,
  pinnedThreads,
  renameThread,
  searchThreads,
  shelveThread,
  showArchive,
  showOlder,
  shownThreads,
  threadList,
} from '../../../web/store/threads.ts'

const listing = 'GET /api/threads'

/** The gateway has so many threads; the last used is number 0. */
function serve(t: TestContext, count: number): void {
  freshPage(t)
  endNotice()
  go('/')
  gateway.on(listing, ({ query }) => {
    const from = Number(query.get('cursor') ?? 0)
    const to = Math.min(count, from + Number(query.get('limit')))
    const threads = Array.from({ length: to - from }, (_, at) => thread(from + at))
    return ok({ threads, next_cursor: to < count ? String(to) : null })
  })
}

const thread = (at: number, more: Partial<Thread> = {}) =>
  threadOf(`t${at}`, { title: `Thread Number ${at}`, updated_at: new Date(1e12 - at).toISOString(), ...more })
const pages = () =>
  gateway
    .of(listing)
    .filter(({ query }) => !query.has('shelf'))
    .map(({ query }) => [query.get('cursor'), query.get('limit')])
const shown = () => shownThreads.value.map(({ id }) => id)

// The size of the list grows from test to test: it lasts as long as the page.
test('a hundred threads are shown, then as many more as are wanted', async (t) => {
  serve(t, 250)
  assert.deepEqual([shown(), olderThreads.value], [[], undefined])
  await threadList.load()
  assert.deepEqual(pages(), [[null, '100']])
  assert.deepEqual([shown().length, shown()[0], olderThreads.value], [100, 't0', 'more'])
  await showOlder()
  assert.deepEqual(pages().slice(1), [[null, '200']])
  assert.deepEqual([shown().length, olderThreads.value], [200, 'more'])
  await showOlder()
  assert.deepEqual(pages().slice(2), [
    [null, '200'],
    ['200', '100'],
  ])
  assert.deepEqual([shown().length, new Set(shown()).size, olderThreads.value], [250, 250, undefined])
  await showOlder()
  assert.equal(pages().length, 4, 'there are no more')
})

test('a search reads all threads, up to a bound, and finds all words in any case', async (t) => {
  serve(t, 700)
  await threadList.load()
  assert.equal(shown().length, 400)
  await searchThreads('  NUMBER 69')
  assert.deepEqual(
    shown(),
    ['t69', 't169', 't269', 't369', 't469', 't569', 't669', ...range(690, 699)].toSorted(byNumber),
  )
  assert.equal(olderThreads.value, undefined)
  await searchThreads('number')
  assert.deepEqual([shown().length, olderThreads.value], [400, 'more'], 'all are read, not all are shown')
  const before = pages().length
  await searchThreads('69 thread')
  await searchThreads('')
  assert.equal(pages().length, before, 'all are known')
  assert.equal(shown().length, 400)
})

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => `t${first + at}`)
const byNumber = (a: string, b: string) => Number(a.slice(1)) - Number(b.slice(1))

test('nothing goes further back than the bound, and the list says so', async (t) => {
  serve(t, maxThreads + 50)
  await threadList.load()
  await searchThreads('nothing like it')
  assert.deepEqual([shown(), olderThreads.value], [[], 'too old'])
  assert.equal(threadList.data.value?.threads.length, maxThreads)
  await searchThreads('')
  for (let step = 0; step < 20; step++) await showOlder()
  assert.deepEqual([shown().length, olderThreads.value], [maxThreads, 'too old'])
})

test('a thread that moves between two pages while they are read is there once', async (t) => {
  serve(t, 1)
  gateway.on(listing, ({ query }) =>
    query.has('cursor')
      ? ok({ threads: [thread(0), thread(1)], next_cursor: null })
      : ok({ threads: [thread(0, { title: 'older' })], next_cursor: 'x' }),
  )
  await threadList.load()
  assert.deepEqual(
    shownThreads.value.map(({ id, title }) => [id, title]),
    [
      ['t0', 'Thread Number 0'],
      ['t1', 'Thread Number 1'],
    ],
  )
})

test('frames move a thread to its place, add it, and remove it', async (t) => {
  serve(t, 3)
  threadList.data.value = undefined
  applyThread({ type: 'thread', ...thread(1) })
  assert.equal(threadList.data.value, undefined, 'nothing is read yet')
  await threadList.load()
  applyThread({ type: 'thread', ...thread(2, { updated_at: new Date(2e12).toISOString() }) })
  assert.deepEqual(shown(), ['t2', 't0', 't1'])
  applyThread({ type: 'thread', ...thread(-1) })
  assert.deepEqual(shown(), ['t2', 't-1', 't0', 't1'])
  applyThread({ type: 'thread', id: 't0', removed: true })
  assert.deepEqual(shown(), ['t2', 't-1', 't1'])
})

test('a thread is renamed, and the list read again', async (t) => {
  serve(t, 1)
  gateway.on('PATCH /api/threads/t0', ok({}))
  await renameThread('t0', 'Other')
  assert.deepEqual(
    gateway.asked.filter(({ query }) => !query.has('shelf')).map(({ method, path, body }) => [method, path, body]),
    [
      ['PATCH', '/api/threads/t0', { title: 'Other' }],
      ['GET', '/api/threads', undefined],
    ],
  )
})

test('a deleted thread is hidden at once and erased when the notice ends', async (t) => {
  serve(t, 2)
  gateway.on('DELETE /api/threads/t0', ok(undefined))
  await threadList.load()
  go('/threads/t0')
  deleteThread(thread(0))
  assert.deepEqual([shown(), address.pathname], [['t1'], '/'])
  assert.equal(notice.value?.text, '“Thread Number 0” is deleted')
  assert.deepEqual(gateway.of('DELETE *'), [])
  gateway.on(listing, ok({ threads: [thread(1)], next_cursor: null }))
  t.mock.timers.tick(8_000)
  await settled()
  assert.deepEqual(
    gateway.of('DELETE /api/threads/t0').map(({ keepalive }) => keepalive),
    [true],
    'also when the page is closed',
  )
  assert.deepEqual([shown(), notice.value], [['t1'], undefined])
})

test('undo brings the thread back, and its page unless another one is open', async (t) => {
  serve(t, 2)
  await threadList.load()
  for (const [from, meanwhile, after] of [
    ['/threads/t0', '/', '/threads/t0'],
    ['/threads/t0', '/jobs', '/jobs'],
    ['/threads/t1', '/', '/'],
  ] as const) {
    go(from)
    deleteThread(thread(0))
    go(meanwhile)
    notice.value?.undo?.()
    assert.deepEqual([shown(), address.pathname, notice.value], [['t0', 't1'], after, undefined])
  }
  t.mock.timers.tick(60_000)
  assert.deepEqual(gateway.of('DELETE /api/threads/t0'), [])
})

test('a thread that is not open is deleted without leaving the page', async (t) => {
  serve(t, 2)
  await threadList.load()
  go('/threads/t1')
  deleteThread(thread(0))
  assert.equal(address.pathname, '/threads/t1')
  notice.value?.undo?.()
})

test('a thread that could not be erased is shown again, with the reason', async (t) => {
  serve(t, 2)
  await threadList.load()
  gateway.on('DELETE /api/threads/t0', refusal(500, 'internal', 'it broke'))
  deleteThread(thread(0))
  endNotice()
  await settled()
  assert.deepEqual(shown(), ['t0', 't1'])
  assert.equal(notice.value?.text, 'The thread was not deleted. It broke.')
})

test('a second deletion ends the first notice: both are erased', async (t) => {
  serve(t, 3)
  for (const id of ['t0', 't1']) gateway.on(`DELETE /api/threads/${id}`, ok(undefined))
  await threadList.load()
  deleteThread(thread(0))
  deleteThread(thread(1))
  assert.deepEqual(shown(), ['t2'])
  await settled()
  assert.equal(gateway.of('DELETE /api/threads/t0').length, 1)
  endNotice()
  await settled()
  assert.equal(gateway.of('DELETE /api/threads/t1').length, 1)
})

test('a thread has one mark: waiting before running or failed, those before unread', async (t) => {
  freshPage(t)
  setStorageUser('marks')
  restoreSeen()
  go('/')
  gates.data.value = []
  assert.equal(markOf(thread(1, { last_seq: 5 })), undefined, 'it was never open here')
  sawThread('t1', 5)
  assert.equal(markOf(thread(1, { last_seq: 5 })), undefined)
  assert.equal(markOf(thread(1, { last_seq: 6 })), 'unread')
  assert.equal(markOf(thread(1, { last_seq: 6, state: 'failed' })), 'failed')
  assert.equal(markOf(thread(1, { last_seq: 6, state: 'running' })), 'running')
  assert.equal(markOf(thread(1, { last_seq: 6, state: 'waiting' })), 'unread')
  go('/threads/t1')
  assert.equal(markOf(thread(1, { last_seq: 6 })), undefined, 'it is open')
  gates.data.value = [{ id: 'g', thread_id: 't1', kind: 'approval' }] as unknown as typeof gates.data.value
  assert.equal(markOf(thread(1, { state: 'running' })), 'waiting')
  assert.equal(markOf(thread(2, { state: 'running' })), 'running')
})

test('what was seen lasts for the next page, the latest five hundred threads', (t) => {
  freshPage(t)
  setStorageUser('seen')
  restoreSeen()
  const kept = () => JSON.parse(storage.local.getItem('atrium.seen.seen') ?? '{}') as Record<string, number>
  sawThread('t1', 5)
  sawThread('t1', 4)
  sawThread('t1', 5)
  assert.deepEqual(kept(), { t1: 5 })
  for (let at = 2; at <= 501; at++) {
    if (at === 501) sawThread('t2', 9)
    sawThread(`t${at}`, 1)
  }
  assert.equal(Object.keys(kept()).length, 500)
  assert.deepEqual([kept()['t1'], kept()['t2'], kept()['t3'], Object.keys(kept()).at(-1)], [undefined, 9, 1, 't501'])
  for (const [text, mark] of [
    ['{"t1":1}', 'unread'],
    ['null', undefined],
    ['{', undefined],
  ] as const) {
    setStorageUser(`seen ${text}`)
    storage.local.setItem(`atrium.seen ${text}.seen`, text)
    restoreSeen()
    gates.data.value = undefined
    go('/')
    assert.equal(markOf(thread(1, { last_seq: 2 })), mark)
  }
})

test('threads in which the words were said follow those whose titles have them', async (t) => {
  serve(t, 3)
  const listed = gateway.answers.get(listing)
  const found = [thread(1), thread(9, { title: 'Elsewhere' })]
  gateway.on(listing, (asked) =>
    asked.query.has('q') ? ok({ threads: found, next_cursor: null }) : (listed?.(asked) ?? 'lost'),
  )
  await threadList.load()
  const stop = followSearch()
  t.after(stop)
  await searchThreads(' number 1 ')
  assert.equal(searching.value, true)
  t.mock.timers.tick(150)
  await settled()
  assert.equal(searching.value, false)
  assert.deepEqual(gateway.of(listing).at(-1)?.query.get('q'), 'number 1')
  assert.deepEqual([shown(), foundThreads.value.map(({ id }) => id)], [['t1'], ['t9']])
  deleteThread(thread(9))
  assert.deepEqual(foundThreads.value, [], 'one that is being deleted is not shown')
  notice.value?.undo?.()
  endNotice()
  await searchThreads('other')
  assert.deepEqual(foundThreads.value, [], 'what was found for other words is not shown')
  await searchThreads('')
  assert.deepEqual([foundThreads.value, shown().length], [[], 3])
})

test('pinned threads stand apart, however old; archived ones are shown on request', async (t) => {
  serve(t, 3)
  const listed = gateway.answers.get(listing)
  gateway.on(listing, (asked) => {
    const shelf = asked.query.get('shelf')
    if (shelf === 'pinned') return ok({ threads: [thread(900, { pinned: true })], next_cursor: null })
    if (shelf === 'archived') return ok({ threads: [thread(7, { archived: true })], next_cursor: null })
    return listed?.(asked) ?? 'lost'
  })
  await threadList.load()
  const pinned = () => pinnedThreads.value.map(({ id }) => id)
  assert.deepEqual([pinned(), shown()], [['t900'], ['t0', 't1', 't2']])
  gateway.on('PATCH /api/threads/t1', ({ body }) => ok(thread(1, body as Partial<Thread>)))
  await shelveThread('t1', { pinned: true })
  assert.deepEqual(
    [pinned(), shown()],
    [
      ['t1', 't900'],
      ['t0', 't2'],
    ],
  )
  await shelveThread('t1', { archived: true })
  assert.deepEqual([pinned(), shown()], [['t900'], ['t0', 't2']])
  await showArchive(true)
  assert.deepEqual([pinned(), shown()], [[], ['t7']])
  await showArchive(false)
  assert.deepEqual(pinned(), ['t900'])
})

test('several threads are deleted at once, a hundred in a request, with one way back', async (t) => {
  serve(t, 150)
  await threadList.load()
  const ids = range(0, 119)
  gateway.on('POST /api/threads/delete', ok({ deleted: 1 }))
  deleteThreads(ids)
  assert.equal(notice.value?.text, '120 threads deleted')
  assert.equal(shown().includes('t0'), false)
  notice.value?.undo?.()
  assert.equal(shown()[0], 't0')
  deleteThreads(ids)
  endNotice()
  await settled()
  assert.deepEqual(
    gateway.bodies('POST /api/threads/delete').map((body) => (body as { ids: string[] }).ids.length),
    [100, 20],
  )
})

test('a variant that is shown takes the row of its conversation; one that is not shown has none', async (t) => {
  serve(t, 2)
  await threadList.load()
  applyThread({ type: 'thread', ...thread(7, { family: 't0', updated_at: new Date(1e12).toISOString() }) })
  assert.deepEqual(shown(), ['t7', 't1'], 'also of one that had no variants before')
  applyThread({ type: 'thread', ...thread(0, { family: 't0', hidden: true }) })
  assert.deepEqual(shown(), ['t7', 't1'])
  applyThread({ type: 'thread', ...thread(0, { family: 't0', updated_at: new Date(1e12).toISOString() }) })
  assert.deepEqual(shown(), ['t0', 't1'])
  applyThread({ type: 'thread', ...thread(0, { family: 't0', hidden: true }) })
  assert.deepEqual(shown(), ['t1'])
})
