// The outbox: which news gets an entry, which process sends it, and what a try leaves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '#core/ids.ts'
import type { NewNews } from '#core/notification.ts'
import { ada, bob, type Open } from './harness.ts'
import { addWay, newsOf, stateOf, topic } from './ntfy-topic.ts'

export function outboxTests(open: Open): void {
  test('an entry has all that its news names, and what came of its tries', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const way = await notifications.addWay(ada, topic, 9)
    const news = { threadId: 'h', turnId: 't', callId: 'c', missionId: 'm' }
    await notifications.enqueue(ada, { event: 'needs_you', subject: 's', ...news })
    const read = async () => (await notifications.outbox(ada, { limit: 1 })).rows[0]
    const id = (await read())?.id ?? ''
    const at = clock.now
    const entry = { id, userId: ada, wayId: way.id, event: 'needs_you', ...news, createdAt: at, held: false }
    assert.deepEqual(await read(), { ...entry, state: 'due', tries: 0, at })
    await notifications.putOff([id], at + 5, false)
    assert.deepEqual(await read(), { ...entry, state: 'due', tries: 0, at: at + 5 }, 'put off, and not held')
    await notifications.claim([id], 'one')
    await notifications.settle([id], 'one', { state: 'unknown', at: at + 7, error: 'cut off' })
    assert.deepEqual(await read(), { ...entry, state: 'unknown', tries: 1, at: at + 7, error: 'cut off' })
    assert.deepEqual(await notifications.claim([id], 'one'), [id], 'it is sent once more')
    clock.now += 9
    await notifications.settle([id], 'one', { state: 'sent' })
    assert.deepEqual(await read(), { ...entry, state: 'sent', tries: 2, at: at + 9 })
  })

  test('news is put into the outbox once for each way that takes its event', async (t) => {
    const { store } = await open(t)
    const { notifications } = store
    const one = await addWay(store)
    const two = await addWay(store, ada, { target: 'https://two.test/x', events: ['failed'] })
    assert.equal(await notifications.enqueue(ada, newsOf('turn 1', { threadId: 't', turnId: 'u' })), 1)
    assert.equal(await notifications.enqueue(ada, newsOf('turn 1')), 0)
    assert.equal(await notifications.enqueue(ada, newsOf('turn 2', { event: 'failed' })), 2)
    assert.equal(await notifications.enqueue(bob, newsOf('turn 3')), 0)
    assert.equal(
      await notifications.enqueue(ada, newsOf('turn 4', { at: one.createdAt - 1 })),
      0,
      'it is older than the way',
    )
    assert.equal(await notifications.enqueue(ada, newsOf('turn 5', { door: 'ntfy' })), 0, 'the channel tells it itself')
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
    await addWay(store)
    for (const each of ['a', 'b', 'c']) await notifications.enqueue(ada, newsOf(each))
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
    const { id } = await addWay(store, ada, { events: ['failed'] })
    const before = ++clock.now
    clock.now++
    const old = (subject: string, event: NewNews['event']) => newsOf(subject, { event, at: before })
    await notifications.changeWay(ada, id, { content: true })
    await notifications.changeWay(ada, id, { events: ['failed'] })
    assert.equal(await notifications.enqueue(ada, old('a', 'failed')), 1, 'nothing was switched on')
    await notifications.changeWay(ada, id, { events: ['failed', 'finished'] })
    assert.equal(await notifications.enqueue(ada, old('b', 'finished')), 0)
    await notifications.changeWay(ada, id, { events: ['finished'] })
    assert.equal(await notifications.enqueue(ada, old('c', 'finished')), 0)
    assert.equal(await notifications.enqueue(ada, newsOf('d', { at: clock.now })), 1)
  })

  test('a way that is added again keeps what is due on it, once', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await addWay(store, ada, { kind: 'push' })
    await notifications.enqueue(ada, newsOf('a'))
    const other = await addWay(store, ada, { target: 'https://two.test/x' })
    await notifications.enqueue(ada, newsOf('b'))
    const again = await addWay(store, ada, { kind: 'push' })
    const due = async () => (await notifications.due(clock.now, 10)).map(({ wayId }) => wayId)
    assert.deepEqual((await due()).toSorted(), [again.id, again.id, other.id].toSorted())
    const both = await addWay(store, ada, { kind: 'push', replaces: other.id })
    assert.deepEqual(await due(), [both.id, both.id])
    await addWay(store, bob, { kind: 'push' })
    assert.deepEqual(await due(), [], 'the news of one user is not shown to another')
  })

  test('what is due is read without ways and users that are busy', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const one = await addWay(store)
    const two = await addWay(store, ada, { target: 'https://two.test/x' })
    const three = await addWay(store, bob)
    for (const user of [ada, bob]) await notifications.enqueue(user, newsOf('a'))
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

  test('what is due on one way is read by itself, earliest first', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const one = await addWay(store)
    await addWay(store, ada, { target: 'https://two.test/x' })
    for (const subject of ['a', 'b', 'c']) {
      await notifications.enqueue(ada, newsOf(subject))
      clock.now += 1
    }
    const dueOn = async (at: number, limit: number) =>
      (await notifications.dueOn(one.id, at, limit)).map(({ wayId, at: dueAt }) => [wayId, clock.now - dueAt])
    const [a, b, c] = [3, 2, 1].map((ago) => [one.id, ago])
    assert.deepEqual(await dueOn(clock.now, 10), [a, b, c])
    assert.deepEqual(await dueOn(clock.now, 2), [a, b])
    assert.deepEqual(await dueOn(clock.now - 2, 10), [a, b])
    await notifications.claim(
      (await notifications.dueOn(one.id, clock.now, 1)).map(({ id }) => id),
      'p',
    )
    assert.deepEqual(await dueOn(clock.now, 10), [b, c], 'one of them is being sent')
  })

  test('what a process left in mid-send is unknown, and sent once more, not twice', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    await addWay(store)
    await notifications.enqueue(ada, newsOf('a'))
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
    await addWay(store)
    for (const each of ['a', 'b']) await notifications.enqueue(ada, newsOf(each))
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
    const way = await addWay(store)
    await notifications.enqueue(ada, newsOf('a'))
    await notifications.enqueue(ada, newsOf('b'))
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

  test('what waits for longer than it can have been put off is taken back, and nothing else', async (t) => {
    const { store, clock } = await open(t)
    const { notifications } = store
    const [way, other] = [await addWay(store), await addWay(store, bob)]
    for (const each of ['late', 'soon', 'sending', 'sent']) await notifications.enqueue(ada, newsOf(each))
    const ids = (await notifications.due(clock.now, 10)).map(({ id }) => id)
    const [late = '', soon = '', sending = '', sent = ''] = ids
    const at = clock.now
    await notifications.pauseWay(way.id, at + 11)
    await notifications.pauseWay(other.id, at + 10)
    await notifications.putOff([soon], at + 10, false)
    await notifications.claim([sending, sent], 'one')
    clock.now += 11
    await notifications.settle([sent], 'one', { state: 'sent' })
    await notifications.takeBack(at, 10)
    const times = await Promise.all([late, soon, sending, sent].map(async (id) => (await stateOf(store, id))?.at))
    assert.deepEqual(times, [at, at + 10, at + 11, at + 11])
    assert.equal((await notifications.way(way.id))?.pausedUntil, undefined)
    assert.equal((await notifications.way(other.id))?.pausedUntil, at + 10)
  })
}
