// The webhook channel's rows: within the operator's reach, and in nobody else's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import type { Page } from '#core/page.ts'
import type { Turn } from '#core/turn.ts'
import type { Open } from './harness.ts'
import { ada, decide, finish, itemsOf, queuedTurn, rejectsWith, turnAtApproval, turnOf } from './harness.ts'

const hooked = userId('webhook:ada')
const caller = { user: hooked, door: 'webhook' as const }

async function pagesOf(list: (cursor: { cursor?: string }) => Promise<Page<{ id: string }>>): Promise<string[]> {
  const { rows, nextCursor } = await list({})
  const ids = rows.map(({ id }) => id)
  for (let cursor = nextCursor; cursor !== undefined; ) {
    const page = await list({ cursor })
    ids.push(...page.rows.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}

export function reachTests(open: Open): void {
  test('the operator lists its own turns and the channel’s, newest first, in pages that neither miss nor repeat', async (t) => {
    const { store } = await open(t)
    const made: Turn[] = []
    for (let at = 0; at < 12; at++) {
      const over = [{ user: operator }, caller, { user: userId('webhook:bob'), door: 'webhook' as const }][at % 3]
      made.push((await store.turns.start(queuedTurn(over))).turn)
      await store.turns.start(queuedTurn())
    }
    const turns = await pagesOf((cursor) => store.turns.list(operator, { limit: 5, ...cursor }))
    const threads = await pagesOf((cursor) => store.threads.list(operator, { limit: 4, ...cursor }))
    const newest = made.toReversed()
    assert.deepEqual([turns, threads], [newest.map(({ id }) => id), newest.map(({ threadId }) => threadId)])
    assert.equal((await store.turns.list(ada, { limit: 50 })).rows.length, 12)
    assert.equal((await store.turns.list(hooked, { limit: 50 })).rows.length, 4)
  })

  test('the operator reads, answers, cancels and erases what the channel made', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store, caller)
    const { threadId } = turn
    assert.equal((await store.turns.get(operator, turn.id))?.userId, hooked)
    assert.equal((await store.threads.get(operator, threadId))?.door, 'webhook')
    assert.deepEqual(
      (await store.turns.list(operator, { status: 'waiting', limit: 9 })).rows.map(({ id }) => id),
      [turn.id],
    )
    assert.equal((await store.threads.entries(operator, threadId, { after: 0, limit: 9 })).entries.length, 5)
    assert.equal((await store.turns.answer(operator, threadId, decide('a1'))).turn.status, 'queued')
    assert.equal((await store.turns.cancel(operator, turn.id)).turn.status, 'cancelled')
    assert.equal((await itemsOf(store, turn)).filter(({ type }) => type === 'result').length, 2)
    assert.equal(await store.turns.remove(operator, turn.id), true)
    assert.equal(await store.turns.findByDoor('webhook', turn.id), undefined)
    assert.ok(await store.threads.remove(operator, threadId))
    assert.deepEqual((await store.threads.history(turn)).items, [])
  })

  test('items are found in one’s own threads alone: the operator does not quote the channel’s as its own', async (t) => {
    const { store } = await open(t)
    for (const over of [caller, { user: operator }]) {
      const turn = await turnAtApproval(store, over)
      const { entries } = await store.threads.entries(operator, turn.threadId, { after: 0, limit: 9 })
      const refs = entries.map(({ id }) => ({ threadId: turn.threadId, itemId: id }))
      assert.equal((await store.threads.findItems(over.user, refs)).length, entries.length)
      if (over === caller) assert.deepEqual(await store.threads.findItems(operator, refs), [])
    }
  })

  test('nobody else reaches them, and the channel reaches nobody else', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store, caller)
    for (const other of [ada, userId('webhook:bob'), userId('webhook'), userId('webhook:')]) {
      assert.equal(await store.turns.get(other, turn.id), undefined)
      assert.equal(await store.threads.get(other, turn.threadId), undefined)
      assert.deepEqual(await store.threads.entries(other, turn.threadId, { after: 0, limit: 9 }), {
        entries: [],
        more: false,
      })
      assert.deepEqual((await store.turns.list(other, { limit: 9 })).rows, [])
      assert.deepEqual((await store.threads.list(other, { limit: 9 })).rows, [])
      await rejectsWith(store.turns.answer(other, turn.threadId, decide('a1')), 'not_found')
      await rejectsWith(store.turns.end(other, turn.id), 'not_found')
      assert.equal(await store.threads.remove(other, turn.threadId), undefined)
      assert.equal(await store.turns.remove(other, turn.id), false)
    }
    const theirs = await finish(store, (await store.turns.start(turnOf())).turn)
    const operators = await finish(store, (await store.turns.start(turnOf({ user: operator }))).turn)
    for (const { id } of [theirs, operators]) {
      assert.equal(await store.turns.findByDoor('webhook', id), undefined)
      assert.equal(await store.turns.get(hooked, id), undefined)
    }
    assert.equal(await store.turns.get(operator, theirs.id), undefined)
    assert.equal((await store.turns.findByDoor('webhook', turn.id))?.id, turn.id)
    await rejectsWith(store.turns.start(turnOf({ user: operator, threadId: turn.threadId })), 'not_found')
  })
}
