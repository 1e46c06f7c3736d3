// Threads that are deleted, with a way back until the notice ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, gateway, ok, refusal, settled } from './page.ts'
import { listing, range, serve, shown, thread } from './thread-list-page.ts'
import { go } from '../../../web/router.ts'
import { endNotice, notice } from '../../../web/store/notices.ts'
import { deleteThread, deleteThreads, threadList } from '../../../web/store/threads.ts'

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
