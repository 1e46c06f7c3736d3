// Variants of a conversation: one of them is in the lists, and what is done to it is done to all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { Shelf } from '#core/turn.ts'
import {
  ada,
  bob,
  call,
  dayMs,
  finish,
  gate,
  lease,
  type Open,
  output,
  rejectsWith,
  say,
  step,
  threadAtGate,
  turnOf,
} from './harness.ts'

async function list(store: Store, shelf?: Shelf, user: UserId = ada): Promise<string[]> {
  const { rows } = await store.threads.list(user, { limit: 9, ...(shelf && { shelf }) })
  return rows.map(({ id }) => id)
}

async function make(store: Store, over: Parameters<typeof turnOf>[0] = {}): Promise<string> {
  const { turn } = await store.turns.start(turnOf(over))
  return (await finish(store, turn)).threadId
}

/** Says a message again, or another one in its place. */
function retry(store: Store, threadId: string, beforeSeq = 1): Promise<string> {
  return make(store, { forks: { threadId, beforeSeq, variant: true } })
}

export function variantTests(open: Open): void {
  test('a variant stands in the lists for its conversation, by the same title, pinned as before', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const first = await make(store, { title: 'Plans' })
    await threads.shelve(ada, first, { pinned: true })
    const second = await retry(store, first)
    assert.deepEqual([await list(store), await list(store, 'pinned')], [[second], [second]])
    const { title, family, hidden, forkedFrom } = (await threads.get(ada, second)) ?? {}
    assert.deepEqual(
      { title, family, hidden, forkedFrom },
      { title: 'Plans', family: first, hidden: undefined, forkedFrom: { threadId: first, beforeSeq: 1 } },
    )
    const old = await threads.get(ada, first)
    assert.deepEqual([old?.family, old?.hidden, old?.pinned], [first, true, undefined])
    assert.deepEqual(
      (await threads.family(ada, first)).map(({ id }) => id),
      [first, second],
    )
    assert.deepEqual(await threads.family(bob, first), [])
  })

  test('a conversation that is titled by its first message gets the title of the one in its place', async (t) => {
    const { store } = await open(t)
    const first = await make(store, { title: 'Plans' })
    const forks = { threadId: first, beforeSeq: 1, variant: true, plainTitle: 'Plans' } as const
    const second = await make(store, { title: 'Trips', forks })
    const titles = async () => [
      (await store.threads.get(ada, first))?.title,
      (await store.threads.get(ada, second))?.title,
    ]
    assert.deepEqual(await titles(), ['Trips', 'Trips'])
    await make(store, { title: 'Others', forks })
    assert.deepEqual(await titles(), ['Trips', 'Trips'], 'another title stays')
  })

  test('a variant that is looked at takes the place of the other in the list, where it stays', async (t) => {
    const { store, clock } = await open(t)
    const { threads } = store
    const first = await make(store)
    clock.now += 5
    const between = await make(store)
    clock.now += 5
    const second = await retry(store, first)
    assert.deepEqual(await list(store), [second, between])
    const shownAt = (await threads.get(ada, second))?.updatedAt
    assert.equal(await threads.show(ada, first), true)
    assert.deepEqual(await list(store), [first, between])
    assert.equal((await threads.get(ada, first))?.updatedAt, shownAt)
    assert.equal(await threads.show(ada, first), true, 'again it stays as it is')
    assert.deepEqual(await list(store), [first, between])
    assert.equal(await threads.show(bob, second), false)
    await make(store, { threadId: second })
    assert.deepEqual(await list(store), [second, between], 'a message shows its variant')
  })

  test('archiving, renaming and deleting cover all variants', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const first = await make(store)
    const second = await retry(store, first)
    await threads.shelve(ada, second, { archived: true })
    assert.deepEqual([await list(store), await list(store, 'archived')], [[], [second]])
    await threads.show(ada, first)
    assert.deepEqual([await list(store), await list(store, 'archived')], [[], [first]])
    await threads.shelve(ada, second, { archived: false })
    assert.deepEqual([await list(store), await list(store, 'archived')], [[second], []])
    await threads.rename(ada, first, 'Named')
    assert.equal((await threads.get(ada, second))?.title, 'Named')
    const { turn } = await store.turns.start(turnOf({ threadId: first }))
    assert.deepEqual(
      (await threads.remove(ada, second))?.map(({ id }) => id),
      [turn.id],
      'and their turns end',
    )
    for (const id of [first, second]) assert.equal(await threads.get(ada, id), undefined)
    assert.deepEqual(await list(store), [])
  })

  test('deleting a conversation takes all of it out of reach at once, and erases what is much in parts', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const sent = turnOf({ threadKey: 'key', input: Array.from({ length: 1_500 }, () => say('x')) })
    const first = (await finish(store, (await store.turns.start(sent)).turn)).threadId
    const second = await retry(store, first, 1_500)
    const third = await retry(store, second, 1_500)
    const { turn } = await store.turns.start(turnOf({ threadId: third }))
    const queued = await store.turns.start(turnOf({ threadId: third }))
    await threads.addChainPoints(ada, { threadId: third, turnId: turn.id, hashes: ['words'] })
    const itemsLeft = async (): Promise<number> => {
      let count = 0
      for (const threadId of [first, second, third])
        count += (await threads.history({ ...turn, threadId })).items.length
      return count
    }
    assert.ok((await itemsLeft()) > 4_500)
    assert.deepEqual(
      (await threads.remove(ada, second))?.map(({ id }) => id),
      [turn.id, queued.turn.id],
    )
    const left = await itemsLeft()
    assert.ok(left > 3_000 && left < 4_000, `${left} items are left`)
    for (const id of [first, second, third]) {
      assert.equal(await threads.get(ada, id), undefined)
      assert.equal(await threads.remove(ada, id), undefined)
      await rejectsWith(store.turns.start(turnOf({ threadId: id })), 'not_found')
      await rejectsWith(retry(store, id), 'not_found')
    }
    assert.deepEqual([await list(store), (await store.turns.list(ada, { limit: 9 })).rows], [[], []])
    await rejectsWith(store.turns.record(turn, lease, step([])), 'lease_lost')
    assert.equal((await store.storage.used(ada)).bytes, 0, 'what is left counts for nobody')
    assert.equal(await threads.findByChain(ada, ['words']), undefined)
    assert.notEqual(await make(store, { threadKey: 'key' }), first)
    let parts = 0
    for (; await threads.eraseRemoved(); parts++) assert.ok(parts < 9, 'it comes to an end')
    assert.deepEqual([await itemsLeft(), parts], [0, 4])
  })

  test('a retry beside the deletion of its conversation leaves nothing of it', async (t) => {
    const { store } = await open(t)
    for (let round = 0; round < 8; round++) {
      const first = await make(store)
      const second = round % 2 === 0 ? first : await retry(store, first)
      const forks = { threadId: first, beforeSeq: 1, variant: true } as const
      const [retried] = await Promise.allSettled([
        store.turns.start(turnOf({ forks })),
        store.threads.remove(ada, second),
      ])
      assert.ok(retried.status === 'fulfilled' || retried.reason.code === 'not_found')
      assert.deepEqual(await list(store), [], `round ${round}`)
    }
  })

  test('a conversation passes as a whole, once none of its variants was used for long', async (t) => {
    const { store, clock } = await open(t)
    const { threads } = store
    const first = await make(store)
    clock.now += 10 * dayMs
    const second = await retry(store, first)
    const alone = await make(store)
    clock.now += 10 * dayMs
    await threads.show(ada, first)
    const erase = async (before: number, dryRun: boolean): Promise<number> => {
      let count = 0
      let part = await threads.erasePast(before, { dryRun })
      for (count += part.erased.threads; part.next; count += part.erased.threads)
        part = await threads.erasePast(before, { dryRun, next: part.next })
      return count
    }
    assert.equal(await erase(clock.now - 15 * dayMs, false), 0, 'the second was used since')
    assert.equal(await erase(clock.now - 5 * dayMs, true), 3)
    const { turn } = await store.turns.start(turnOf({ threadId: second }))
    await threads.show(ada, first)
    clock.now += 20 * dayMs
    assert.equal(await erase(clock.now - dayMs, false), 1, 'a turn runs in one of them')
    assert.equal(await threads.get(ada, alone), undefined)
    await finish(store, turn)
    assert.equal(await erase(clock.now + dayMs, false), 2)
  })

  test('a turn that failed without a step says so, until its thread goes on', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const { turn } = await store.turns.start(turnOf())
    const error = { code: 'model_unreachable', message: 'no' } as const
    await store.turns.record(turn, lease, step([], { status: 'failed', error }))
    const second = await retry(store, turn.threadId)
    const failedAt = async () => (await threads.family(ada, turn.threadId)).map((each) => each.failedAt)
    assert.deepEqual(await failedAt(), [1, undefined])
    await make(store, { threadId: turn.threadId })
    assert.deepEqual(await failedAt(), [undefined, undefined])
    assert.equal((await threads.get(ada, second))?.hidden, true)
  })

  test('a failed turn still says so once its thread was looked at', async (t) => {
    const { store } = await open(t)
    const first = await make(store)
    const { turn } = await store.turns.start(turnOf({ forks: { threadId: first, beforeSeq: 1, variant: true } }))
    const error = { code: 'model_unreachable', message: 'no' } as const
    await store.turns.record(turn, lease, step([], { status: 'failed', error }))
    await retry(store, first)
    await store.threads.show(ada, turn.threadId)
    const failed = (await store.threads.family(ada, first)).map((each) => each.failedAt)
    assert.deepEqual(failed, [undefined, 1, undefined])
  })

  test('a thread that was shown while its turn ran can be cancelled at the gate where that ends', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await retry(store, turn.threadId)
    await store.threads.show(ada, turn.threadId)
    await store.turns.record(turn, lease, step([call('c1'), gate('c1', 'output')], { status: 'completed' }))
    assert.equal((await store.turns.current(ada, turn.threadId))?.id, turn.id)
    await store.turns.cancel(ada, turn.id)
    assert.equal((await store.threads.get(ada, turn.threadId))?.openCall, undefined)
    await store.turns.start(turnOf({ threadId: turn.threadId, whenBusy: 'refuse' }))
  })

  test('a variant begins with a person\u2019s message, not with an output or behind the end', async (t) => {
    const { store } = await open(t)
    const turn = await threadAtGate(store)
    const resume = turnOf({ threadId: turn.threadId, input: [output('c1')], resumes: 'c1' })
    await finish(store, (await store.turns.start(resume)).turn)
    const { entries } = await store.threads.entries(ada, turn.threadId, { after: 0, limit: 99 })
    const answer = entries.find(({ item }) => item.type === 'answer')?.seq ?? 0
    const points = [answer, entries.length + 1]
    for (const beforeSeq of points) {
      await assert.rejects(retry(store, turn.threadId, beforeSeq), { code: 'invalid_input', param: 'before_seq' })
      assert.ok(await store.threads.fork(ada, turn.threadId, { beforeSeq, door: 'web' }), 'a fork may')
    }
    assert.ok(await retry(store, turn.threadId))
  })

  test('of another user\u2019s thread a retry is a fork; a fork on purpose is named as one, with its number', async (t) => {
    const { store } = await open(t)
    const { threads } = store
    const sent = await make(store, { user: 'webhook:a' as UserId, door: 'webhook', title: 'sent' })
    const own = await make(store, { user: operator, forks: { threadId: sent, beforeSeq: 1, variant: true } })
    assert.deepEqual((await list(store, undefined, operator)).toSorted(), [sent, own].toSorted())
    const passing = await make(store, { temporary: true })
    const again = await make(store, { forks: { threadId: passing, beforeSeq: 1, variant: true }, temporary: true })
    assert.equal((await threads.get(ada, again))?.family, undefined, 'nor is one of a temporary thread a variant')
    const first = await make(store, { title: 'x'.repeat(200) })
    const second = await retry(store, first)
    const titles: (string | undefined)[] = []
    for (const id of [first, second]) {
      const fork = await threads.fork(ada, id, { beforeSeq: 1, door: 'web' })
      titles.push(fork?.title)
      assert.deepEqual([fork?.family, fork?.forkedFrom], [undefined, { threadId: id, beforeSeq: 1 }])
    }
    assert.deepEqual(titles, [`Fork of ${'x'.repeat(192)}`, `Fork 2 of ${'x'.repeat(190)}`])
  })
}
