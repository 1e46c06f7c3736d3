// Erasing a user's rows part by part, and what the database lacks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mission } from '#core/mission.ts'
import type { PastThreads } from '#core/past-threads.ts'
import type { Firing } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { addMission, endOf, outcomesOf, pause, startRun } from './daily-mission.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  dayMs,
  finish,
  queuedTurn,
  rejectsWith,
  reply,
  say,
  step,
  lease,
  turnAtApproval,
  turnOf,
} from './harness.ts'

export function eraseTests(open: Open): void {
  test('all that is a user’s is erased in parts of a bounded size, and nothing else', async (t) => {
    const { store } = await open(t)
    const long = await store.turns.start(turnOf({ input: Array.from({ length: 4_500 }, () => say('x')) }))
    await finish(store, long.turn)
    for (let at = 0; at < 130; at++) await finish(store, (await store.turns.start(turnOf())).turn)
    const kept = await finish(store, (await store.turns.start(turnOf({ user: bob }))).turn)
    const all = { threads: 0, turns: 0, items: 0, parts: 0 }
    for (let more = true; more; ) {
      const part = await store.threads.eraseSome(ada)
      assert.ok(part.erased.items <= 2_000 && part.erased.threads <= 100)
      for (const key of ['threads', 'turns', 'items'] as const) all[key] += part.erased[key]
      all.parts++
      more = part.more
      assert.ok(all.parts < 20, 'it comes to an end')
    }
    assert.deepEqual(all, { threads: 131, turns: 131, items: 4_501 + 260, parts: all.parts })
    assert.deepEqual((await store.threads.list(ada, { limit: 9 })).rows, [])
    assert.deepEqual((await store.turns.list(ada, { limit: 9 })).rows, [])
    assert.deepEqual((await store.threads.history(long.turn)).items, [])
    assert.equal((await store.threads.history(kept)).items.length, 2)
  })

  test('conversations without activity since a time are erased part by part, and none that is later or not at rest', async (t) => {
    const { store, clock } = await open(t)
    const nothing = { erased: { threads: 0, turns: 0, items: 0 }, threadIds: [] }
    assert.deepEqual(await store.threads.erasePast(clock.now), nothing, 'nobody has a thread')
    // Ids have the real time.
    clock.now = Date.now()
    const done = async (over = {}) => finish(store, (await store.turns.start(turnOf(over))).turn)
    const long = await done({ input: Array.from({ length: 2_500 }, () => say('x')) })
    for (let at = 0; at < 120; at++) await done()
    const archived = await done()
    await store.threads.shelve(ada, archived.threadId, { archived: true })
    const ofBob = await done({ user: bob })
    const temporary = await done({ temporary: true })
    const waiting = await turnAtApproval(store)
    const queued = (await store.turns.start(queuedTurn())).turn
    const later = await done()
    clock.now += 10 * dayMs
    await done({ threadId: later.threadId })
    const before = clock.now - dayMs
    const prune = async (dryRun: boolean) => {
      const all = { threads: 0, turns: 0, items: 0, parts: 0 }
      for (let next: PastThreads | undefined, more = true; more; more = next !== undefined) {
        const part = await store.threads.erasePast(before, { dryRun, ...(next && { next }) })
        assert.ok(dryRun || (part.erased.items <= 2_000 && part.erased.threads <= 100))
        assert.equal(part.threadIds.length, dryRun ? 0 : part.erased.threads)
        assert.equal(part.user !== undefined, part.erased.items > 0)
        for (const key of ['threads', 'turns', 'items'] as const) all[key] += part.erased[key]
        assert.ok(++all.parts < 20, 'it comes to an end')
        next = part.next
      }
      return { ...all, parts: 0 }
    }
    const expected = { threads: 123, turns: 123, items: 2_501 + 240 + 4, parts: 0 }
    assert.deepEqual(await prune(true), expected)
    assert.ok(await store.threads.get(ada, long.threadId))
    assert.deepEqual(await prune(false), expected)
    assert.deepEqual(await prune(false), { threads: 0, turns: 0, items: 0, parts: 0 })
    for (const { userId, threadId } of [long, ofBob, archived])
      assert.equal(await store.threads.get(userId, threadId), undefined)
    assert.deepEqual((await store.threads.history(long)).items, [])
    for (const { threadId } of [temporary, waiting, queued, later]) assert.ok(await store.threads.get(ada, threadId))
    assert.deepEqual(
      (await store.threads.erasePast(clock.now + 1)).threadIds,
      [later.threadId],
      'unless asked to count',
    )
  })

  test('runs of missions that ended before a time are erased, but the last one of each mission', async (t) => {
    const { store, clock } = await open(t)
    clock.now = Date.now()
    const ran = async (mission: Mission, over: Partial<Firing> = {}): Promise<Mission> => {
      const turn = await finish(store, await startRun(store, mission, over))
      await store.missions.settle(endOf(turn.id), pause)
      return { ...mission, nextAt: over.next ?? 2_000 }
    }
    const once = await ran(await addMission(store))
    const ofBob = await ran(await addMission(store, bob))
    const mission = await ran(await addMission(store), { missed: [{ at: 500 }] })
    clock.now += 10 * dayMs
    await ran(mission, { missed: [{ at: 1_500 }], next: 3_000 })
    const prune = async (before: number, dryRun = false) => {
      for (let next: PastThreads | undefined, more = true; more; more = next !== undefined)
        next = (await store.threads.erasePast(before, { dryRun, ...(next && { next }) })).next
      return outcomesOf(store, mission)
    }
    const late = [
      [2_000, 'ok'],
      [1_500, 'missed'],
    ]
    assert.equal((await prune(clock.now, true)).length, 4)
    assert.deepEqual(await prune(clock.now - dayMs), late)
    assert.deepEqual(await outcomesOf(store, once), [[1_000, 'ok']])
    assert.deepEqual(await outcomesOf(store, ofBob), [[1_000, 'ok']])
    assert.deepEqual(await prune(clock.now + 1), late.slice(0, 1))
  })

  test('conversations that are not at rest are passed by once, and not by every part of an erasure by time', async (t) => {
    const { store, clock } = await open(t)
    clock.now = Date.now()
    const waiting = await turnAtApproval(store)
    const turns: Turn[] = []
    for (let at = 0; at < 101; at++) turns.push(await finish(store, (await store.turns.start(turnOf())).turn))
    clock.now += dayMs
    const { erased, next } = await store.threads.erasePast(clock.now)
    assert.equal(erased.threads, 100)
    assert.ok(next && next.turn > waiting.id)
    const last = await store.threads.erasePast(clock.now, { next })
    assert.deepEqual(last.threadIds, [turns[100]?.threadId])
  })

  test('what had not ended is told with what was erased, and cannot write any more', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const queued = await store.turns.start(turnOf({ threadId: turn.threadId }))
    const waiting = await turnAtApproval(store)
    await finish(store, (await store.turns.start(turnOf())).turn)
    const { erased, unfinished, more } = await store.threads.eraseSome(ada)
    assert.deepEqual([erased.threads, erased.turns, more], [3, 4, true])
    const ids = (turns: readonly Turn[]) => turns.map(({ id }) => id).toSorted()
    assert.deepEqual(ids(unfinished), ids([turn, queued.turn, waiting]))
    await rejectsWith(store.turns.record(turn, lease, step([reply('late')])), 'lease_lost')
    assert.deepEqual(await store.threads.eraseSome(ada), {
      erased: { threads: 0, turns: 0, items: 0 },
      threadIds: [],
      unfinished: [],
      more: false,
    })
  })

  test('erasing one thread tells which of its turns had not ended', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const queued = await store.turns.start(turnOf({ threadId: turn.threadId }))
    await store.turns.start(queuedTurn())
    const unfinished = await store.threads.remove(ada, turn.threadId)
    assert.deepEqual(
      unfinished?.map(({ id, status }) => [id, status]),
      [
        [turn.id, 'running'],
        [queued.turn.id, 'queued'],
      ],
    )
  })

  test('somebody who is shut out has no token left and is still there', async (t) => {
    const { store } = await open(t)
    const user = await store.accounts.addUser('ada', { hash: 'h1' })
    assert.deepEqual(await store.accounts.shutOut('ada'), user)
    assert.equal(await store.accounts.findByToken('h1', 0), undefined)
    assert.deepEqual(await store.accounts.listUsers(), [{ ...user, tokens: 0 }])
    assert.equal(await store.accounts.shutOut('bob'), undefined)
  })
}
