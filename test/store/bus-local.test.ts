// The bus of one process: who watches a thread hears it, and a latecomer gets what is being written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListOwner } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import { operator } from '#core/ids.ts'
import { ada, bob } from './harness.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { affectedUsers, createLocalBus } from '#store/bus-local.ts'

function delta(offset: number, text: string, itemId = 'i'): Event {
  return { type: 'delta', turnId: 't', itemId, offset, text }
}

function turn(status: TurnStatus, id = 't'): Event {
  const turn: Turn = { id, threadId: 'a', userId: ada, door: 'web', status, options: {}, createdAt: 0, usage: noUsage }
  return { type: 'turn', turn }
}

const progress: Event = { type: 'progress', turnId: 't', callId: 'c', progress: 1 }
const thought: Event = { type: 'thought', turnId: 't', itemId: 'r', offset: 0, text: 'hm' }

function entry(id: string): Event {
  return { type: 'entries', entries: [{ seq: 1, id, turnId: 't', at: 0, item: { type: 'attempt', callId: 'c' } }] }
}

test('every watcher of a thread hears its events in order, others hear nothing', async () => {
  const bus = createLocalBus()
  const [one, two, elsewhere] = ['a', 'a', 'b'].map((thread) => bus.subscribe(thread))
  const events = [delta(0, 'x'), delta(1, 'y'), entry('i')]
  bus.publish('a', events.slice(0, 1))
  bus.publish('a', events.slice(1))
  await bus.close()
  const heard = await Promise.all([one, two, elsewhere].map((each) => Array.fromAsync(each ?? [])))
  assert.deepEqual(
    heard.map((batches) => batches.flat()),
    [events, events, []],
  )
})

test('a closed watcher hears no more', async () => {
  const bus = createLocalBus()
  const watcher = bus.subscribe('a')
  bus.publish('a', [delta(0, 'x')])
  watcher.close()
  bus.publish('a', [delta(1, 'y')])
  assert.deepEqual((await Array.fromAsync(watcher)).flat(), [delta(0, 'x')])
})

test('the text that a latecomer gets is that of the moment it came; the rest are its events', async () => {
  const bus = createLocalBus()
  bus.publish('a', [delta(0, 'ab')])
  const watcher = bus.subscribe('a')
  bus.publish('a', [delta(2, 'c')])
  await bus.close()
  assert.equal(watcher.partial?.text, 'ab')
  assert.deepEqual((await Array.fromAsync(watcher)).flat(), [delta(2, 'c')])
})

const written: readonly [what: string, events: Event[], partial: string | undefined][] = [
  ['nothing was said', [], undefined],
  ['text came in pieces', [delta(0, 'ab'), delta(2, 'c')], 'abc'],
  ['the item is stored', [delta(0, 'ab'), entry('i')], undefined],
  ['a call reported its progress', [delta(0, 'ab'), progress], 'ab'],
  ['the model thought', [delta(0, 'ab'), thought], 'ab'],
  ['another item is stored', [delta(0, 'ab'), entry('other')], 'ab'],
  ['the turn ended', [delta(0, 'ab'), turn('failed')], undefined],
  ['the turn went back into the queue', [delta(0, 'ab'), turn('queued')], undefined],
  ['a process goes on with a turn that it lost', [delta(0, 'ab'), turn('queued'), delta(2, 'c')], undefined],
  ['the turn was told to run', [delta(0, 'ab'), turn('running')], 'ab'],
  ['another turn ended', [delta(0, 'ab'), turn('completed', 'other')], 'ab'],
  ['a new attempt began', [delta(0, 'ab'), delta(0, 'x', 'j')], 'x'],
]
for (const [what, events, partial] of written) {
  test(`a latecomer gets ${partial === undefined ? 'no text' : 'the text so far'} when ${what}`, async () => {
    const bus = createLocalBus()
    const early = bus.subscribe('a')
    for (const event of events) bus.publish('a', [event])
    assert.equal(bus.subscribe('a').partial?.text, partial)
    assert.equal(early.partial, undefined)
    early.close()
    await bus.close()
  })
}

test('a watcher that falls too far behind is cut off with an error, others are not', async () => {
  const bus = createLocalBus()
  const slow = bus.subscribe('a')
  bus.publish(
    'a',
    Array.from({ length: 50_000 }, () => delta(0, 'x')),
  )
  const quick = bus.subscribe('a')
  bus.publish('a', [entry('i')])
  await assert.rejects(Array.fromAsync(slow), /behind/)
  quick.close()
  assert.deepEqual((await Array.fromAsync(quick)).flat(), [entry('i')])
})

test('a signal reaches whoever listens', () => {
  const bus = createLocalBus()
  const heard: unknown[] = []
  bus.onSignal((signal) => heard.push(signal))
  bus.signal({ type: 'stop', turnId: 't', code: 'turn_cancelled', message: 'cancelled' })
  bus.signal({ type: 'queued' })
  assert.deepEqual(heard, [
    { type: 'stop', turnId: 't', code: 'turn_cancelled', message: 'cancelled' },
    { type: 'queued' },
  ])
})

const owners: readonly (readonly [what: string, owner: ListOwner, users: readonly string[]])[] = [
  ['a user of the browser', { userId: ada, door: 'web' }, [ada]],
  ['a sender without an account', { userId: ada, door: 'webhook' }, [ada, operator]],
  ['the operator as a sender', { userId: operator, door: 'webhook' }, [operator]],
  ['a user at no door', { userId: ada }, [ada]],
]
for (const [what, owner, users] of owners) {
  test(`a change in the lists of ${what} is told to ${users.join(' and ')}`, () => {
    assert.deepEqual(affectedUsers(owner), users)
  })
}

test('followers of a user hear changes of their lists until they leave, and the end of the bus', async () => {
  const bus = createLocalBus()
  const [leaves, stays, other] = [bus.subscribeChanges(ada), bus.subscribeChanges(ada), bus.subscribeChanges(bob)]
  bus.publishChange({ userId: ada, door: 'web' }, { threadId: 'a' })
  leaves.close()
  assert.deepEqual([...bus.followed()], [ada, bob])
  bus.publishChange({ userId: ada }, { threadId: 'b' })
  bus.pushChange(bob, {})
  await bus.close()
  const heard = await Promise.all([leaves, stays, other].map(async (each) => (await Array.fromAsync(each)).flat()))
  assert.deepEqual(heard, [[{ threadId: 'a' }], [{ threadId: 'a' }, { threadId: 'b' }], [{}]])
  assert.deepEqual([...bus.followed()], [], 'nobody follows any more')
})

test('a single follower hears what is published', async () => {
  const bus = createLocalBus()
  const follower = bus.subscribeChanges(ada)
  bus.publishChange({ userId: ada }, { turnId: 't' })
  await bus.close()
  assert.deepEqual((await Array.fromAsync(follower)).flat(), [{ turnId: 't' }])
})

test('a text that is forgotten is not given to a latecomer, and whoever watches goes on', async () => {
  const bus = createLocalBus()
  const watcher = bus.subscribe('a')
  bus.forget('none')
  bus.publish('a', [delta(0, 'ab')])
  bus.forget('a', 'another turn')
  assert.equal(bus.partialOf('a')?.text, 'ab')
  bus.forget('a', 't')
  assert.equal(bus.partialOf('a'), undefined)
  bus.publish('a', [entry('i')])
  await bus.close()
  assert.deepEqual((await Array.fromAsync(watcher)).flat(), [delta(0, 'ab'), entry('i')])
})
