// The mark of a thread in the list, and what was seen of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshPage, storage } from './page.ts'
import { thread } from './thread-list-page.ts'
import { go } from '../../../web/router.ts'
import { gates } from '../../../web/store/gates.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { markOf, restoreSeen, sawThread } from '../../../web/store/thread-marks.ts'

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
