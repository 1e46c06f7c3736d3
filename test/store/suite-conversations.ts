// Threads that begin without a turn, and what clients attach to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Open } from './harness.ts'
import { ada, bob, rejectsWith, say, turnOf } from './harness.ts'

export function conversationTests(open: Open): void {
  test('a thread without a turn has its items, is listed, and gets the title of its first message', async (t) => {
    const { store } = await open(t)
    const first = say('before')
    const made = await store.threads.create(ada, { door: 'responses', title: '', metadata: {}, drafts: [first] })
    assert.deepEqual(await store.threads.get(ada, made.id), made)
    assert.deepEqual([made.state, made.lastSeq], ['idle', 1])
    const { turn } = await store.turns.start(turnOf({ threadId: made.id, title: 'Hello' }))
    assert.equal(turn.firstSeq, 2)
    const { rows } = await store.threads.list(ada, { limit: 9 })
    assert.deepEqual(
      rows.map(({ id, title }) => [id, title]),
      [[made.id, 'Hello']],
    )
    const { entries } = await store.threads.entries(ada, made.id, { after: 0, limit: 9 })
    assert.deepEqual([entries[0]?.item, entries[0]?.turnId], [first.item, made.id])
  })

  test('metadata is replaced by its owner alone, and counts towards what is stored', async (t) => {
    const { store } = await open(t)
    const { id } = await store.threads.create(ada, { door: 'responses', title: '', metadata: { a: 'b' }, drafts: [] })
    const { bytes } = await store.storage.used(ada)
    assert.equal(await store.threads.setMetadata(bob, id, {}), false)
    assert.equal(await store.threads.setMetadata(ada, id, { a: 'ü'.repeat(10) }), true)
    assert.deepEqual((await store.threads.get(ada, id))?.metadata, { a: 'ü'.repeat(10) })
    assert.deepEqual(await store.storage.used(ada), { bytes: bytes + 19 })
    await store.threads.setMetadata(ada, id, {})
    assert.equal((await store.threads.get(ada, id))?.metadata, undefined)
    assert.deepEqual(await store.storage.used(ada), { bytes: bytes - '{"a":"b"}'.length })
    await store.threads.remove(ada, id)
    assert.deepEqual(await store.storage.used(ada), { bytes: 0 })
  })
}
