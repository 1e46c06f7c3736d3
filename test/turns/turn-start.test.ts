// What the start, cancel and giving up of a turn ask of the store and tell the bus, with fakes of both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bus, Signal } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import type { EndedTurn, NewTurn, StoredTurn } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { Runner } from '#turns/runner.ts'
import { createTurns, type TurnsParts } from '#turns/turns.ts'
import { ada, lease } from '../store/harness.ts'
import { message } from './house.ts'

const running: Turn = {
  id: 'turn',
  threadId: 'thread',
  userId: ada,
  door: 'web',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: noUsage,
  firstSeq: 7,
}
const entry = { seq: 7, id: 'item', turnId: 'turn', at: 0, item: textMessage('user', 'hi') } as Entry
const stored: StoredTurn = { turn: running, entries: [entry], replayed: false }
const cancelled: EndedTurn = { turn: { ...running, status: 'cancelled' }, entries: [], changed: true }

type Given = Partial<TurnsParts> & {
  readonly stored?: StoredTurn
  readonly room?: boolean
  /** What the store has after a request to cancel or end the turn. */
  readonly cancelled?: EndedTurn
  readonly ended?: EndedTurn
  /** The turn as the store has it after the grace period. */
  readonly now?: Turn | undefined
}

/** Turns over fakes. The stream of a thread has no events: it ends at once. */
function opened({ stored: answer = stored, room = true, ...given }: Given = {}) {
  const told: unknown[] = []
  const saved: NewTurn[] = []
  const taken: unknown[] = []
  const subscribed: unknown[] = []
  const bus: Partial<Bus> = {
    publish: (threadId, events) => void told.push(['events', threadId, events.map(({ type }) => type)]),
    publishChange: ({ userId }, change) => void told.push(['change', userId, change]),
    signal: (signal: Signal) => void told.push(signal),
    subscribe(threadId, from) {
      subscribed.push([threadId, from])
      return { partial: undefined, close: () => {}, async *[Symbol.asyncIterator]() {} }
    },
  }
  const runner: Partial<Runner> = {
    full: (starting) => !room && starting >= 0,
    room: () => (room ? lease : undefined),
    take: (...args) => void taken.push(args),
  }
  const store = {
    turns: {
      start(turn: NewTurn) {
        saved.push(turn)
        return Promise.resolve(answer)
      },
      cancel: () => Promise.resolve(given.cancelled ?? cancelled),
      end(...args: unknown[]) {
        told.push(['end', ...args])
        return Promise.resolve(given.ended ?? cancelled)
      },
      get: () => Promise.resolve(given.now),
      remove: (_: unknown, id: string) => Promise.resolve(id === 'turn'),
    },
  }
  const turns = createTurns({ ...given, store: store as unknown as Store, bus: bus as Bus, runner: runner as Runner })
  return { turns, told, saved, taken, subscribed }
}

const changed = ['change', ada, { threadId: 'thread', turnId: 'turn' }]

test('a turn that starts here is told to other watchers, listed, and run under the lease it was stored with', async () => {
  const { turns, told, saved, taken, subscribed } = opened()
  const { turn, entries, replayed, input } = await turns.start(message('hi', { request: 'r' }))
  assert.deepEqual([turn, entries, replayed], [running, [entry], false])
  assert.deepEqual(told, [['events', 'thread', ['entries']], changed])
  assert.deepEqual(taken, [[stored, lease, 'r']])
  assert.deepEqual(subscribed, [['thread', { seq: 7, turn: running, here: true }]])
  const [{ lease: used, title, options, input: kept, ...rest }] = saved as [NewTurn]
  assert.deepEqual([used, title, options, kept], [lease, 'hi', {}, input])
  assert.equal('request' in rest, false)
})

test('a turn that is queued wakes the runners; watchers learn that it waits, and see nothing of it yet', async () => {
  const queued: StoredTurn = { turn: { ...running, status: 'queued' }, entries: [], replayed: false }
  const { turns, told, taken, subscribed } = opened({ stored: queued })
  await turns.start(message('hi'))
  assert.deepEqual(told, [['events', 'thread', ['turn']], changed, { type: 'queued' }])
  assert.deepEqual(taken, [])
  assert.deepEqual(subscribed, [['thread', { seq: 0, turn: queued.turn, here: false }]])
})

test('a replayed turn is neither told nor run again, and may run elsewhere', async () => {
  const { turns, told, taken, subscribed } = opened({ stored: { ...stored, entries: [], replayed: true } })
  assert.equal((await turns.start(message('hi'))).replayed, true)
  assert.deepEqual([told, taken], [[], []])
  assert.deepEqual(subscribed, [['thread', { seq: 0, turn: running, here: false }]])
})

test('a turn that was not stored after all is no turn', async () => {
  const { turns, told, taken } = opened()
  assert.equal(await turns.startBy(message('hi'), () => Promise.resolve(undefined)), undefined)
  assert.deepEqual([told, taken], [[], []])
})

test('without room a waiting caller is refused; a door that queues is stored without a lease', async () => {
  const { turns, saved, taken } = opened({ room: false, stored: { ...stored, turn: { ...running, status: 'queued' } } })
  const fault = await turns.start(message('hi')).catch((error: unknown) => error)
  assert.ok(fault instanceof AppError && fault.code === 'overloaded' && fault.retryAfterSecs === 2)
  await turns.start(message('hi', { door: 'webhook' }))
  assert.deepEqual([saved.length, saved[0] && 'lease' in saved[0], taken], [1, false, []])
})

test('turns that are being stored count as running, until they are stored', async () => {
  const counts: number[] = []
  const runner: Partial<Runner> = {
    full: () => false,
    room(starting) {
      counts.push(starting)
      return lease
    },
    take: () => {},
  }
  const bus: Partial<Bus> = {
    publish: () => {},
    publishChange: () => {},
    subscribe: () => ({ partial: undefined, close: () => {}, async *[Symbol.asyncIterator]() {} }),
  }
  const turns = createTurns({ store: { turns: {} } as Store, bus: bus as Bus, runner: runner as Runner })
  const holding = Promise.withResolvers<StoredTurn>()
  const first = turns.startBy(message('one'), () => holding.promise)
  await turns.startBy(message('two'), () => Promise.resolve(stored))
  await assert.rejects(turns.startBy(message('three'), () => Promise.reject(new Error('away'))))
  holding.resolve(stored)
  await first
  await turns.startBy(message('four'), () => Promise.resolve(stored))
  assert.deepEqual(counts, [0, 1, 1, 0])
})

test('a given title stays; several items of input are counted, one is not', async () => {
  const { turns, saved } = opened()
  const input = [textMessage('user', 'one'), textMessage('assistant', 'two')]
  await turns.start(message('', { input, title: 'given', options: { unattended: true } }))
  await turns.start(message('one', { options: { unattended: true } }))
  assert.deepEqual(
    saved.map(({ title, options }) => [title, options]),
    [
      ['given', { unattended: true, inputs: 2 }],
      ['one', { unattended: true }],
    ],
  )
  assert.deepEqual(
    saved[0]?.input.map(({ item }) => item),
    input,
  )
})

test('text from outside is masked for its user before it is stored, in its place; typed text is not', async () => {
  const { turns, saved } = opened({ mask: (text, user) => `${user}: ${text.length}` })
  const input: Item[] = [
    textMessage('user', 'typed'),
    { type: 'result', callId: 'c', output: 'secret' },
    textMessage('user', 'typed too'),
  ]
  await turns.start(message('', { input }))
  assert.deepEqual(
    saved[0]?.input.map(({ item }) => item),
    [input[0], { ...input[1], output: `${ada}: 6` }, input[2]],
  )
})

test('where nothing is masked, text from outside is stored as it came', async () => {
  const { turns, saved } = opened()
  const result: Item = { type: 'result', callId: 'c', output: 'as it came' }
  await turns.start(message('', { input: [result] }))
  assert.deepEqual(saved[0]?.input[0]?.item, result)
})

const skill: Item = { type: 'result', callId: 'skill', output: 'how to cook' }
const slashes: readonly [what: string, input: Item, door: 'web' | 'responses', asked: readonly string[]][] = [
  ['that begins with a slash loads a skill', textMessage('user', '/soup now'), 'web', ['/soup now']],
  ['with a slash inside loads none', textMessage('user', 'and/or'), 'web', []],
  ['of an app loads none', textMessage('user', '/soup now'), 'responses', []],
  ['that is a result loads none', { type: 'result', callId: 'c', output: '/soup' }, 'web', []],
  [
    'that begins with a picture loads none',
    { type: 'message', role: 'user', content: [{ type: 'image', url: '/soup' }] },
    'web',
    [],
  ],
]
for (const [what, input, door, asked] of slashes) {
  test(`input ${what}`, async () => {
    const texts: string[] = []
    const { turns, saved } = opened({
      loadSkill(user, text) {
        assert.equal(user, ada)
        texts.push(text)
        return Promise.resolve([skill])
      },
    })
    await turns.start(message('', { input: [input], door }))
    assert.deepEqual(texts, asked)
    assert.deepEqual(
      saved[0]?.input.map(({ item }) => item),
      asked.length > 0 ? [input, skill] : [input],
    )
  })
}

const stopOf = (code: string, text: string) => ({ type: 'stop', turnId: 'turn', code, message: text })
const told = [['events', 'thread', ['turn']], changed, { type: 'queued' }]

test('a turn that waits is cancelled in the store, its open call is stopped, and it is counted once', async () => {
  const rested: unknown[] = []
  const observer = { rested: (turn: Turn) => void rested.push(turn.status), stepped: () => {} }
  const first = opened({ observer })
  assert.equal((await first.turns.cancel(ada, 'turn')).status, 'cancelled')
  assert.deepEqual(first.told, [stopOf('turn_cancelled', 'cancelled'), ...told])
  const again = opened({ observer, cancelled: { ...cancelled, changed: false } })
  await again.turns.cancel(ada, 'turn')
  assert.deepEqual(again.told, told)
  assert.deepEqual(rested, ['cancelled'])
})

test('a running turn is told to stop; one that ended meanwhile is left as it is, another is ended by force', async () => {
  const stopped = opened({ cancelled: { ...cancelled, turn: running }, now: { ...running, status: 'completed' } })
  assert.equal((await stopped.turns.cancel(ada, 'turn')).status, 'completed')
  assert.deepEqual(stopped.told, [stopOf('turn_cancelled', 'cancelled')])
  assert.deepEqual(stopped.subscribed, [['thread', { seq: 7, turn: running }]])
  for (const now of [running, undefined]) {
    const forced = opened({ cancelled: { ...cancelled, turn: running }, now })
    assert.equal((await forced.turns.cancel(ada, 'turn')).status, 'cancelled')
    assert.deepEqual(forced.told, [stopOf('turn_cancelled', 'cancelled'), ['end', ada, 'turn'], ...told])
  }
})

test('a turn that is given up fails with the code it was given up for', async () => {
  const fault = new AppError('time_limit', 'too late')
  const stopped = opened({ now: { ...running, status: 'failed' } })
  assert.equal((await stopped.turns.abandon(running, fault)).status, 'failed')
  assert.deepEqual(stopped.told, [stopOf('time_limit', 'too late')])
  const forced = opened({ now: running, ended: { ...cancelled, turn: { ...running, status: 'failed' } } })
  assert.equal((await forced.turns.abandon(running, fault)).status, 'failed')
  const end = ['end', ada, 'turn', { code: 'time_limit', message: 'too late' }]
  assert.deepEqual(forced.told, [stopOf('time_limit', 'too late'), end, ...told])
})

test('a turn that is removed from the list is told to its user; one that is not there is not', async () => {
  const { turns, told: heard } = opened()
  assert.deepEqual([await turns.remove(ada, 'none'), heard], [false, []])
  assert.deepEqual([await turns.remove(ada, 'turn'), heard], [true, [['change', ada, { turnId: 'turn' }]]])
})
