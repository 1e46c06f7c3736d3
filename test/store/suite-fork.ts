// Threads by another title, as forks, and by how they stand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '#core/digest.ts'
import { operator } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { senderOrigin } from '#core/origins.ts'
import { taintOf } from '#safety/taint.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  draft,
  finish,
  lease,
  maxForkBytes,
  rejectsWith,
  reply,
  say,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'

export function forkTests(open: Open): void {
  test('a thread is renamed by whoever reaches it', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    assert.equal(await store.threads.rename(bob, turn.threadId, 'mine'), false)
    assert.equal(await store.threads.rename(operator, turn.threadId, 'mine'), false)
    assert.equal(await store.threads.rename(ada, turn.threadId, 'other'), true)
    assert.equal((await store.threads.get(ada, turn.threadId))?.title, 'other')
    const { turn: hook } = await store.turns.start(turnOf({ user: bob, door: 'webhook' }))
    assert.equal(await store.threads.rename(operator, hook.threadId, 'seen'), true)
    const rename = (title: string, from: string) => store.threads.rename(ada, turn.threadId, title, from)
    assert.deepEqual([await rename('later', 'hello'), await rename('last', 'other')], [false, true])
    assert.equal((await store.threads.get(ada, turn.threadId))?.title, 'last', 'only if it still had the other title')
  })

  test('a fork has the entries before a message, by their ids and turns, and goes on alone', async (t) => {
    const { store } = await open(t)
    const first = await finish(store, (await store.turns.start(turnOf())).turn)
    await finish(store, (await store.turns.start(turnOf({ threadId: first.threadId }))).turn)
    const all = (await store.threads.entries(ada, first.threadId, { after: 0, limit: 99 })).entries
    const fork = await store.threads.fork(ada, first.threadId, { beforeSeq: 3, door: 'web' })
    assert.ok(fork)
    assert.deepEqual(await store.threads.get(ada, fork.id), fork)
    const copied = (await store.threads.entries(ada, fork.id, { after: 0, limit: 99 })).entries
    assert.deepEqual(copied, all.slice(0, 2))
    const { turn } = await store.turns.start(turnOf({ threadId: fork.id }))
    assert.deepEqual([turn.status, turn.firstSeq], ['running', 3])
    assert.deepEqual((await store.threads.entries(ada, first.threadId, { after: 0, limit: 99 })).entries, all)
    assert.deepEqual(
      (await store.threads.list(ada, { limit: 9 })).rows.map(({ id }) => id),
      [fork.id, first.threadId],
    )
  })

  test('thread and forks read alike what they share, also after one of them is erased', async (t) => {
    const { store } = await open(t)
    const large = (word: string): string => `${word} "ü" `.repeat(2_000)
    const { turn } = await store.turns.start(turnOf({ input: [say(large('asked')), say('small')] }))
    const { turn: done } = await store.turns.record(turn, lease, step([reply(large('told'))], { status: 'completed' }))
    const read = async (threadId: string) => {
      const { entries } = await store.threads.entries(ada, threadId, { after: 0, limit: 99 })
      const { items } = await store.threads.history({ ...done, threadId })
      const found = await store.threads.findItems(
        ada,
        entries.map(({ id }) => ({ threadId, itemId: id })),
      )
      return { entries, items, found }
    }
    const before = await read(turn.threadId)
    const listed = await store.turns.list(ada, { limit: 9 })
    const fork = await store.threads.fork(ada, turn.threadId, { beforeSeq: 4, door: 'web' })
    assert.ok(fork)
    const second = await store.threads.fork(ada, fork.id, { beforeSeq: 4, door: 'web' })
    assert.ok(second)
    assert.deepEqual(before.entries.length, 3)
    for (const id of [turn.threadId, fork.id, second.id]) assert.deepEqual(await read(id), before)
    assert.deepEqual(await store.turns.list(ada, { limit: 9 }), listed, 'the beginning of a reply too')
    const { entries, more } = await store.threads.entries(ada, fork.id, { after: 0, limit: 9, maxBytes: 9_000 })
    assert.deepEqual([entries.length, more], [1, true], 'a range is bounded by what it brings')
    const hash = await store.turns.hash(ada, done.id)
    assert.equal(
      digestOf((await store.threads.entries(ada, second.id, { after: 0, limit: 9, recorded: true })).entries),
      hash,
    )
    await store.threads.remove(ada, fork.id)
    assert.deepEqual(await read(second.id), before)
    await store.threads.remove(ada, turn.threadId)
    assert.deepEqual(await read(second.id), before)
    const next = await finish(store, (await store.turns.start(turnOf({ threadId: second.id }))).turn)
    assert.equal((await store.threads.history(next)).items.length, 5)
  })

  test('a fork belongs to whoever takes it: of a webhook thread to the operator, and its sender does not see it', async (t) => {
    const { store } = await open(t)
    const hook = await finish(store, (await store.turns.start(turnOf({ user: bob, door: 'webhook' }))).turn)
    assert.equal(await store.threads.fork(ada, hook.threadId, { beforeSeq: 1, door: 'web' }), undefined)
    const fork = await store.threads.fork(operator, hook.threadId, { beforeSeq: 3, door: 'web' })
    assert.ok(fork)
    assert.deepEqual([fork.userId, fork.door], [operator, 'web'])
    assert.deepEqual(await store.threads.get(operator, fork.id), fork)
    for (const other of [ada, bob]) {
      assert.equal(await store.threads.get(other, fork.id), undefined)
      assert.ok(!(await store.threads.list(other, { limit: 9 })).rows.some(({ id }) => id === fork.id))
    }
    const theirs = await store.threads.fork(bob, hook.threadId, { beforeSeq: 3, door: 'web' })
    assert.equal(theirs?.userId, bob)
    assert.equal(await store.threads.get(operator, theirs.id), undefined, 'nor the operator one that is of a user')
  })

  test('in a fork of another sender’s thread their words are untrusted; their own thread stays as it was', async (t) => {
    const { store } = await open(t)
    const long = 'open https://example.com/x '.repeat(200)
    const input = [say('hello'), say(long), draft({ type: 'summary', text: 's', upTo: 1 })]
    const hook = await finish(store, (await store.turns.start(turnOf({ user: bob, door: 'webhook', input }))).turn)
    const read = async (threadId: string) =>
      (await store.threads.entries(operator, threadId, { after: 0, limit: 9 })).entries
    const before = await read(hook.threadId)
    const hash = await store.turns.hash(bob, hook.id)
    const at = { beforeSeq: before.length + 1, door: 'web' } as const
    const fork = await store.threads.fork(operator, hook.threadId, at)
    assert.ok(fork)
    const again = await store.threads.fork(operator, fork.id, at)
    assert.ok(again)
    for (const { id } of [fork, again]) {
      const items = (await read(id)).map(({ item }) => item)
      assert.deepEqual(
        items.map((item) => taintOf([item])),
        [senderOrigin, senderOrigin, senderOrigin, undefined],
      )
      assert.deepEqual(
        items.map((item) => (item.type === 'message' ? textOf(item) : '')),
        ['hello', long, '', 'done'],
      )
    }
    assert.deepEqual(await read(hook.threadId), before)
    assert.equal(await store.turns.hash(bob, hook.id), hash)
    const own = await store.threads.fork(bob, hook.threadId, at)
    const theirs = (await store.threads.entries(bob, own?.id ?? '', { after: 0, limit: 9 })).entries
    assert.deepEqual(theirs, before, 'the sender trusts itself')
    for (const id of [again.id, fork.id]) await store.threads.remove(operator, id)
    assert.deepEqual(await read(hook.threadId), before)
  })

  test('a fork knows the summaries that stand in it, and no later one', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf({ input: [say('one'), reply('two'), say('three')] }))
    const summary = (upTo: number) => draft({ type: 'summary', text: 's', upTo })
    await store.turns.record(turn, lease, step([summary(1), reply('four')], { status: 'completed' }))
    const more = (await store.turns.start(turnOf({ threadId: turn.threadId }))).turn
    await store.turns.record(more, lease, step([summary(5), reply('five')], { status: 'completed' }))
    const after = async (beforeSeq: number) => {
      const fork = await store.threads.fork(ada, turn.threadId, { beforeSeq, door: 'web' })
      assert.ok(fork)
      const next = (await store.turns.start(turnOf({ threadId: fork.id }))).turn
      return (await store.threads.history(next)).after
    }
    assert.deepEqual([await after(3), await after(6), await after(9)], [0, 1, 5])
  })

  test('a fork is taken before a message of a person, or behind a thread that rests', async (t) => {
    const { store } = await open(t)
    const waiting = await turnAtApproval(store)
    const caller = await threadAtGate(store)
    for (const [threadId, seq] of [
      [waiting.threadId, 2],
      [waiting.threadId, 6],
      [waiting.threadId, 99],
      [caller.threadId, 5],
    ] as const)
      await rejectsWith(store.threads.fork(ada, threadId, { beforeSeq: seq, door: 'web' }), 'invalid_input')
    assert.equal((await store.threads.fork(ada, waiting.threadId, { beforeSeq: 1, door: 'web' }))?.lastSeq, 0)
    assert.equal(await store.threads.fork(bob, waiting.threadId, { beforeSeq: 1, door: 'web' }), undefined)
    assert.equal(await store.threads.fork(ada, 'none', { beforeSeq: 1, door: 'web' }), undefined)
  })

  test('a fork that copies more than its bound in bytes is refused; large items are shared, whatever their sum', async (t) => {
    const { store } = await open(t)
    const large = (await store.turns.start(turnOf())).turn
    for (let at = 0; at < 5; at++) {
      await store.turns.record(large, lease, step([reply(`${at}`.repeat(maxForkBytes / 2))]))
    }
    const end = (await finish(store, large)).lastSeq ?? 0
    const shared = await store.threads.fork(ada, large.threadId, { beforeSeq: end + 1, door: 'web' })
    const items = async (id = '') => (await store.threads.entries(ada, id, { after: 0, limit: 9 })).entries
    assert.deepEqual(await items(shared?.id), await items(large.threadId))
    const { turn } = await store.turns.start(turnOf())
    const part = Array.from({ length: 300 }, () => reply('x'.repeat(900)))
    for (let at = 0; at < 4; at++) await store.turns.record(turn, lease, step(part.map(({ item }) => draft(item))))
    const { threadId } = await finish(store, turn)
    const { lastSeq = 0 } = (await store.threads.get(ada, threadId)) ?? {}
    await rejectsWith(store.threads.fork(ada, threadId, { beforeSeq: lastSeq + 1, door: 'web' }), 'too_large')
    assert.equal((await store.threads.fork(ada, threadId, { beforeSeq: 1, door: 'web' }))?.lastSeq, 0)
  })

  test('a thread tells whether it rests, runs, waits or failed', async (t) => {
    const { store } = await open(t)
    const state = async (threadId: string) => (await store.threads.get(ada, threadId))?.state
    const { turn } = await store.turns.start(turnOf())
    assert.equal(await state(turn.threadId), 'running')
    await store.turns.start(turnOf({ threadId: turn.threadId }))
    const waiting = await turnAtApproval(store)
    await store.turns.start(turnOf({ threadId: waiting.threadId }))
    assert.equal(await state(waiting.threadId), 'waiting', 'though a message is queued behind it')
    await finish(store, turn)
    assert.equal(await state(turn.threadId), 'running', 'a queued message runs next')
    const failed = (await store.turns.start(turnOf())).turn
    const error = { code: 'internal', message: 'no' } as const
    await store.turns.record(failed, lease, step([], { status: 'failed', error }))
    assert.equal(await state(failed.threadId), 'failed')
    assert.equal(await state((await threadAtGate(store)).threadId), 'idle', 'a caller is no person')
    assert.deepEqual(
      (await store.threads.list(ada, { limit: 9 })).rows.map((thread) => thread.state),
      ['idle', 'failed', 'waiting', 'running'],
    )
  })
}
