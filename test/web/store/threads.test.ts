// The list of threads: pages, search, frames, rename, shelves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateway, ok, settled } from './page.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { listing, pages, range, serve, shown, thread } from './thread-list-page.ts'
import { followSearch, foundThreads, searching } from '../../../web/store/message-search.ts'
import { endNotice, notice } from '../../../web/store/notices.ts'
import {
  applyThread,
  deleteThread,
  maxThreads,
  olderThreads,
  oneArchived,
  pinnedThreads,
  renameThread,
  searchThreads,
  shelveThread,
  showArchive,
  showOlder,
  shownThreads,
  threadList,
} from '../../../web/store/threads.ts'

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

test('whether there is an archive is asked once, and again when the known thread leaves it', async (t) => {
  serve(t, 3)
  gateway.on(listing, () => ok({ threads: [thread(7, { archived: true })], next_cursor: null }))
  const archived = () => oneArchived.data.value?.id
  oneArchived.data.value = undefined
  for (let each = 0; each < 20; each++) applyThread({ type: 'thread', ...thread(each, { archived: true }) })
  applyThread({ type: 'thread', ...thread(1) })
  await settled()
  assert.deepEqual([archived(), gateway.of(listing).length], ['t19', 0])
  applyThread({ type: 'thread', id: 't19', removed: true })
  await settled()
  assert.deepEqual([archived(), gateway.of(listing).length], ['t7', 1])
})

test('a thread that is archived while the archive is read counts', async (t) => {
  serve(t, 0)
  const archived = () => oneArchived.data.value?.id
  oneArchived.data.value = undefined
  const read = oneArchived.load()
  gateway.on(listing, () => ok({ threads: [thread(7, { archived: true })], next_cursor: null }))
  applyThread({ type: 'thread', ...thread(7, { archived: true }) })
  await read
  await settled()
  assert.equal(archived(), 't7')
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
