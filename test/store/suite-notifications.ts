// Ways of notification, quiet hours, and turns whose end is news.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '#core/turn-store.ts'
import type { UserId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, dayMs, lease, type Open, rejectsWith, step, turnOf } from './harness.ts'
import { addWay, newsOf, topic } from './ntfy-topic.ts'

export function notificationTests(open: Open): void {
  test('a way belongs to its user, who lists, changes and removes it', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await addWay(store)
    assert.deepEqual(way, { ...topic, id: way.id, userId: ada, createdAt: clock.now })
    assert.deepEqual(await notifications.ways(ada), [way])
    assert.deepEqual(await notifications.ways(bob), [])
    assert.deepEqual(await notifications.usersWithWays(), [ada])
    assert.equal(await notifications.changeWay(bob, way.id, { content: true }), undefined)
    const changed = await notifications.changeWay(ada, way.id, { events: ['failed'], content: true })
    assert.deepEqual(changed, { ...way, events: ['failed'], content: true })
    assert.deepEqual(await notifications.way(way.id), changed)
    assert.equal(await notifications.removeWay(bob, way.id), false)
    assert.equal(await notifications.removeWay(ada, way.id), true)
    assert.deepEqual([await notifications.way(way.id), await notifications.usersWithWays()], [undefined, []])
  })

  test('the same topic is one way, and a browser shows the news of one user', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const first = await addWay(store)
    const again = await addWay(store, ada, { content: true, label: 'mine' })
    await addWay(store, bob)
    assert.deepEqual(again, { ...first, content: true, label: 'mine' }, 'its id is the same')
    assert.deepEqual(await notifications.ways(ada), [again])
    assert.equal((await notifications.ways(bob)).length, 1, 'two users may share a topic')
    await addWay(store, ada, { kind: 'push' })
    await addWay(store, bob, { kind: 'push' })
    assert.deepEqual(
      (await notifications.ways(ada)).map(({ kind }) => kind),
      ['ntfy'],
    )
    assert.deepEqual(
      (await notifications.ways(bob)).map(({ kind }) => kind),
      ['ntfy', 'push'],
    )
    assert.equal(await notifications.removeWays(bob, 'push'), 1)
    await rejectsWith(notifications.addWay(ada, { ...topic, target: 'https://other.test/x' }, 1), 'invalid_input')
  })

  test('a target is sealed, follows a new key, and is empty under a key that is gone', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const { id } = await addWay(store)
    const kept = await notifications.keepOnce('keys', 'first')
    assert.deepEqual([kept, await notifications.keepOnce('keys', 'second')], ['first', 'first'])
    await store.secrets.reseal(createSeal('1'.repeat(64)))
    assert.deepEqual([(await notifications.way(id))?.target, await notifications.kept('keys')], ['', undefined])
    assert.equal(await notifications.keepOnce('keys', 'third'), 'third')
    assert.deepEqual([(await addWay(store)).id, (await notifications.way(id))?.target], [id, topic.target])
  })

  test('a way that is gone leaves a note, fails what is due on it, and may be added again', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await addWay(store)
    await notifications.enqueue(ada, newsOf('a'))
    await notifications.removeGone(way.id, 'the server answered 410')
    assert.deepEqual(await notifications.ways(ada), [])
    assert.deepEqual(await notifications.usersWithWays(), [])
    assert.deepEqual(await notifications.goneWays(ada), [
      { id: way.id, kind: 'ntfy', label: 'ntfy.test', goneAt: clock.now, because: 'the server answered 410' },
    ])
    const [entry] = (await notifications.outbox(ada, { limit: 9 })).rows
    assert.deepEqual([entry?.state, entry?.error], ['failed', 'the server answered 410'])
    await addWay(store)
    assert.equal((await notifications.ways(ada)).length, 1)
    assert.equal(await notifications.removeWay(ada, way.id), true)
    assert.deepEqual(await notifications.goneWays(ada), [])
    for (let each = 0; each < 25; each++) {
      await notifications.removeGone((await addWay(store, ada, { target: `https://x.test/${each}` })).id, 'gone')
    }
    assert.equal((await notifications.goneWays(ada)).length, 20)
  })

  test('settled entries are pruned, and everything goes with its user', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await addWay(store, bob)
    await notifications.enqueue(bob, newsOf('a'))
    await notifications.enqueue(bob, newsOf('b'))
    const [a] = await notifications.due(clock.now, 1)
    await notifications.fail([a?.id ?? ''], 'no')
    assert.equal(await notifications.prune(clock.now), 0)
    assert.equal(await notifications.prune(clock.now + dayMs), 1)
    const user = await store.accounts.addUser('Cleo', { hash: 'h' })
    await addWay(store, user.id)
    await notifications.enqueue(user.id, newsOf('a'))
    await notifications.setQuiet(user.id, { from: '1:00', to: '2:00', zone: 'UTC' })
    await removeUser({ store }, 'Cleo')
    assert.deepEqual(
      [
        await notifications.ways(user.id),
        await notifications.quiet(user.id),
        (await notifications.outbox(user.id, { limit: 9 })).rows,
      ],
      [[], undefined, []],
    )
    assert.equal((await notifications.outbox(bob, { limit: 9 })).rows.length, 1)
    await rejectsWith(addWay(store, user.id), 'not_found')
  })

  test('turns that failed or took over a minute are found by their end, of all users, the latest first', async (t) => {
    const { store, clock } = await open(t)
    const ends = async (user: UserId, tookMs: number, outcome: Outcome = { status: 'completed' }) => {
      const { turn } = await store.turns.start(turnOf({ user }))
      clock.now += tookMs
      return (await store.turns.record(turn, lease, step([], outcome))).turn.id
    }
    const broken: Outcome = { status: 'failed', error: { code: 'model_failed', message: 'no' } }
    await ends(ada, 61_000)
    const since = clock.now + 1
    const [failed, , long] = [await ends(ada, 5, broken), await ends(ada, 5), await ends(bob, 60_001)]
    const found = await store.turns.endedAsNews(since, 9)
    assert.deepEqual(
      found.map(({ id, userId }) => [id, userId]),
      [
        [long, bob],
        [failed, ada],
      ],
    )
    assert.equal((await store.turns.endedAsNews(since, 1)).length, 1)
  })

  test('a way that is gone already stays as it was', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const { id } = await notifications.addWay(ada, topic, 9)
    await notifications.removeGone(id, 'first')
    clock.now += 5
    await notifications.removeGone(id, 'second')
    await notifications.removeGone('unknown', 'third')
    assert.deepEqual(
      (await notifications.goneWays(ada)).map(({ because, goneAt }) => [because, goneAt]),
      [['first', clock.now - 5]],
    )
  })

  test('ways and entries are counted as they are erased, and quiet hours need a user', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const user = await store.accounts.addUser('Cleo', { hash: 'h' })
    await notifications.addWay(user.id, topic, 9)
    for (const subject of ['a', 'b']) await notifications.enqueue(user.id, { event: 'failed', subject })
    assert.deepEqual([await notifications.eraseSome(user.id), await notifications.eraseSome(user.id)], [1 + 2, 0])
    await store.accounts.removeUser(user.id)
    const quiet = { from: '22:00', to: '07:00', zone: 'UTC' }
    await rejectsWith(notifications.setQuiet(user.id, quiet), 'not_found')
    assert.equal(await notifications.quiet(user.id), undefined)
  })
}
