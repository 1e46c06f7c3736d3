// Ways of notification, quiet hours and the outbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NewNews, newsEvents, type NewWay, type NotificationWay } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import type { Outcome } from '#core/turn-store.ts'
import type { UserId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, dayMs, lease, type Open, rejectsWith, step, turnOf } from './harness.ts'

export const topic: NewWay = {
  kind: 'ntfy',
  target: 'https://ntfy.test/secret-topic',
  label: 'ntfy.test',
  events: newsEvents,
  content: false,
}
const news = (subject: string, over: Partial<NewNews> = {}): NewNews => ({ event: 'finished', subject, ...over })
const add = (store: Store, user: UserId = ada, over: Partial<NewWay> = {}): Promise<NotificationWay> =>
  store.notifications.addWay(user, { ...topic, ...over }, 20)

export function notificationTests(open: Open): void {
  test('a way belongs to its user, who lists, changes and removes it', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await add(store)
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
    await add(store)
    const again = await add(store, ada, { content: true })
    await add(store, bob)
    assert.deepEqual(await notifications.ways(ada), [again])
    assert.equal((await notifications.ways(bob)).length, 1, 'two users may share a topic')
    await add(store, ada, { kind: 'push' })
    await add(store, bob, { kind: 'push' })
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
    const { id } = await add(store)
    const kept = await notifications.keepOnce('keys', 'first')
    assert.deepEqual([kept, await notifications.keepOnce('keys', 'second')], ['first', 'first'])
    await store.secrets.reseal(createSeal('1'.repeat(64)))
    assert.deepEqual([(await notifications.way(id))?.target, await notifications.kept('keys')], ['', undefined])
    assert.equal(await notifications.keepOnce('keys', 'third'), 'third')
  })

  test('news is put into the outbox once for each way that takes its event', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const one = await add(store)
    const two = await add(store, ada, { target: 'https://two.test/x', events: ['failed'] })
    assert.equal(await notifications.enqueue(ada, news('turn 1', { threadId: 't', turnId: 'u' })), 1)
    assert.equal(await notifications.enqueue(ada, news('turn 1')), 0)
    assert.equal(await notifications.enqueue(ada, news('turn 2', { event: 'failed' })), 2)
    assert.equal(await notifications.enqueue(bob, news('turn 3')), 0)
    assert.equal(
      await notifications.enqueue(ada, news('turn 4', { at: one.createdAt - 1 })),
      0,
      'it is older than the way',
    )
    assert.equal(await notifications.enqueue(ada, news('turn 5', { door: 'ntfy' })), 0, 'the channel tells it itself')
    const { rows } = await notifications.outbox(ada, { limit: 10 })
    assert.deepEqual(
      rows.map(({ wayId, event, state, tries }) => [wayId, event, state, tries]),
      [
        [two.id, 'failed', 'due', 0],
        [one.id, 'failed', 'due', 0],
        [one.id, 'finished', 'due', 0],
      ],
    )
    const page = await notifications.outbox(ada, { limit: 2 })
    assert.deepEqual((await notifications.outbox(ada, { limit: 2, cursor: page.nextCursor ?? '' })).rows, [rows[2]])
    assert.deepEqual((await notifications.outbox(bob, { limit: 10 })).rows, [])
  })

  test('an entry is sent by one process, and ends as sent, failed or due again', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await add(store)
    for (const each of ['a', 'b', 'c']) await notifications.enqueue(ada, news(each))
    const due = await notifications.due(clock.now, 10)
    const ids = due.map(({ id }) => id)
    const [a = '', b = '', c = ''] = ids
    assert.deepEqual(await notifications.claim([a], 'one'), [a])
    assert.deepEqual(await notifications.claim(ids, 'two'), [b, c])
    assert.deepEqual(await notifications.due(clock.now, 10), [], 'all are being sent')
    await notifications.settle([a], 'two', { state: 'sent' })
    assert.equal((await stateOf(store, a))?.state, 'due', 'another process is sending it')
    await notifications.settle([a], 'one', { state: 'sent' })
    await notifications.settle([b], 'two', { state: 'failed', error: 'no' })
    await notifications.settle([c], 'two', { state: 'due', at: clock.now + 5, error: 'busy' })
    assert.deepEqual(
      (await Promise.all(ids.map((id) => stateOf(store, id)))).map((each) => [each?.state, each?.tries, each?.error]),
      [
        ['sent', 1, undefined],
        ['failed', 1, 'no'],
        ['due', 1, 'busy'],
      ],
    )
    assert.equal(await notifications.nextDue(), clock.now + 5)
    assert.deepEqual(await notifications.claim([a, b], 'one'), [], 'what has ended is not sent again')
  })

  test('an event that is switched on is told from then on, and the others as before', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const { id } = await add(store, ada, { events: ['failed'] })
    const before = ++clock.now
    clock.now++
    const old = (subject: string, event: NewNews['event']) => news(subject, { event, at: before })
    await notifications.changeWay(ada, id, { content: true })
    await notifications.changeWay(ada, id, { events: ['failed'] })
    assert.equal(await notifications.enqueue(ada, old('a', 'failed')), 1, 'nothing was switched on')
    await notifications.changeWay(ada, id, { events: ['failed', 'finished'] })
    assert.equal(await notifications.enqueue(ada, old('b', 'finished')), 0)
    await notifications.changeWay(ada, id, { events: ['finished'] })
    assert.equal(await notifications.enqueue(ada, old('c', 'finished')), 0)
    assert.equal(await notifications.enqueue(ada, news('d', { at: clock.now })), 1)
  })

  test('a way that is added again keeps what is due on it, once', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await add(store, ada, { kind: 'push' })
    await notifications.enqueue(ada, news('a'))
    const other = await add(store, ada, { target: 'https://two.test/x' })
    await notifications.enqueue(ada, news('b'))
    const again = await add(store, ada, { kind: 'push' })
    const due = async () => (await notifications.due(clock.now, 10)).map(({ wayId }) => wayId)
    assert.deepEqual((await due()).toSorted(), [again.id, again.id, other.id].toSorted())
    const both = await add(store, ada, { kind: 'push', replaces: other.id })
    assert.deepEqual(await due(), [both.id, both.id])
    await add(store, bob, { kind: 'push' })
    assert.deepEqual(await due(), [], 'the news of one user is not shown to another')
  })

  test('what is due is read without ways and users that are busy', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const one = await add(store)
    const two = await add(store, ada, { target: 'https://two.test/x' })
    const three = await add(store, bob)
    for (const user of [ada, bob]) await notifications.enqueue(user, news('a'))
    const waysDue = async (ways: string[], users: UserId[]) => {
      const due = await notifications.due(clock.now, 10, { ways, users })
      return new Set(due.map(({ wayId }) => wayId))
    }
    assert.deepEqual(await waysDue([], []), new Set([one.id, two.id, three.id]))
    assert.deepEqual(await waysDue([one.id], []), new Set([two.id, three.id]))
    assert.deepEqual(await waysDue([one.id, three.id], []), new Set([two.id]))
    assert.deepEqual(await waysDue([], [ada]), new Set([three.id]))
    assert.deepEqual(await waysDue([one.id], [bob]), new Set([two.id]))
  })

  test('what a process left in mid-send is unknown, and sent once more, not twice', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await add(store)
    await notifications.enqueue(ada, news('a'))
    const [entry] = await notifications.due(clock.now, 10)
    const id = entry?.id ?? ''
    await notifications.claim([id], 'one')
    assert.equal(await notifications.recoverSending('one', () => true), 0, 'it is this process that sends it')
    assert.equal(await notifications.recoverSending('two', () => true), 1)
    assert.equal((await stateOf(store, id))?.state, 'unknown')
    assert.deepEqual(await notifications.claim([id], 'two'), [id])
    await notifications.settle([id], 'two', { state: 'due', at: clock.now, error: 'busy' })
    assert.equal((await stateOf(store, id))?.state, 'unknown', 'the first try may have arrived')
    assert.deepEqual(await notifications.claim([id], 'two'), [id])
    assert.equal(await notifications.recoverSending('three', () => true), 1)
    assert.deepEqual(await notifications.claim([id], 'three'), [])
    assert.deepEqual([(await stateOf(store, id))?.state, await notifications.nextDue()], ['unknown', undefined])
  })

  test('what this process claimed and is not sending any more is unknown too', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await add(store)
    for (const each of ['a', 'b']) await notifications.enqueue(ada, news(each))
    const [a = '', b = ''] = (await notifications.due(clock.now, 10)).map(({ id }) => id)
    await notifications.claim([a, b], 'one')
    assert.equal(await notifications.recoverSending('one', (id) => id === b), 1)
    assert.deepEqual([(await stateOf(store, a))?.state, (await stateOf(store, b))?.state], ['unknown', 'due'])
    assert.deepEqual(
      (await notifications.due(clock.now, 10)).map(({ id }) => id),
      [a],
    )
  })

  test('entries are put off, held for quiet hours and released with them', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await add(store)
    await notifications.enqueue(ada, news('a'))
    await notifications.enqueue(ada, news('b'))
    const [a, b] = (await notifications.due(clock.now, 10)).map(({ id }) => id)
    await notifications.pauseWay(way.id, clock.now + 10)
    assert.equal((await notifications.way(way.id))?.pausedUntil, clock.now + 10)
    assert.equal(await notifications.nextDue(), clock.now + 10)
    const quiet = { from: '22:00', to: '07:00', zone: 'Europe/Zurich' }
    await notifications.setQuiet(ada, quiet)
    assert.deepEqual([await notifications.quiet(ada), await notifications.quiet(bob)], [quiet, undefined])
    await notifications.putOff([a ?? ''], clock.now + 1_000, true)
    assert.equal((await stateOf(store, a ?? ''))?.held, true)
    await notifications.setQuiet(ada, undefined)
    assert.equal(await notifications.quiet(ada), undefined)
    assert.deepEqual(
      (await notifications.due(clock.now, 10)).map(({ id }) => id),
      [a],
    )
    await notifications.drop([a ?? ''])
    await notifications.fail([b ?? ''], 'too old')
    assert.deepEqual(
      (await notifications.outbox(ada, { limit: 9 })).rows.map(({ id, state }) => [id, state]),
      [[b, 'failed']],
    )
  })

  test('a way that is gone leaves a note, fails what is due on it, and may be added again', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await add(store)
    await notifications.enqueue(ada, news('a'))
    await notifications.removeGone(way.id, 'the server answered 410')
    assert.deepEqual(await notifications.ways(ada), [])
    assert.deepEqual(await notifications.usersWithWays(), [])
    assert.deepEqual(await notifications.goneWays(ada), [
      { id: way.id, kind: 'ntfy', label: 'ntfy.test', goneAt: clock.now, because: 'the server answered 410' },
    ])
    const [entry] = (await notifications.outbox(ada, { limit: 9 })).rows
    assert.deepEqual([entry?.state, entry?.error], ['failed', 'the server answered 410'])
    await add(store)
    assert.equal((await notifications.ways(ada)).length, 1)
    assert.equal(await notifications.removeWay(ada, way.id), true)
    assert.deepEqual(await notifications.goneWays(ada), [])
    for (let each = 0; each < 25; each++) {
      await notifications.removeGone((await add(store, ada, { target: `https://x.test/${each}` })).id, 'gone')
    }
    assert.equal((await notifications.goneWays(ada)).length, 20)
  })

  test('settled entries are pruned, and everything goes with its user', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await add(store, bob)
    await notifications.enqueue(bob, news('a'))
    await notifications.enqueue(bob, news('b'))
    const [a] = await notifications.due(clock.now, 1)
    await notifications.fail([a?.id ?? ''], 'no')
    assert.equal(await notifications.prune(clock.now), 0)
    assert.equal(await notifications.prune(clock.now + dayMs), 1)
    const user = await store.accounts.addUser('Cleo', { hash: 'h' })
    await add(store, user.id)
    await notifications.enqueue(user.id, news('a'))
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
    await rejectsWith(add(store, user.id), 'not_found')
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
}

async function stateOf(store: Store, id: string) {
  return (await store.notifications.outbox(ada, { limit: 99 })).rows.find((each) => each.id === id)
}
