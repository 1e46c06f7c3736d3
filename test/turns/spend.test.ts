// Caps on money: what is in the way of the next call of a model, and what the user is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import type { Model, ModelEvent } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import type { DayUsage } from '#core/usage.ts'
import { compactHistory } from '#turns/compaction-request.ts'
import { type Caps, createSpend } from '#turns/spend.ts'
import { type Saying, saying } from '../agent/tools.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada } from '../store/harness.ts'
import { eventsOf, message, openHouse } from './house.ts'

/** A model of a dollar for each call, whatever is asked; it calls a tool for ever. */
function dear(asked: string[], say: (at: number) => readonly Saying[]): () => Promise<Model> {
  const usage = { ...noUsage, inputTokens: 1_000, outputTokens: 10, costUsd: 1 }
  return () =>
    Promise.resolve({
      provider: 'test',
      name: 'dear',
      window: 100_000,
      priceOf: () => 1,
      stream(request, signal) {
        asked.push('asked')
        return saying(say(asked.length), usage)(request, signal)
      },
    })
}

/** The cost of a day is read on the day it was made. */
const now = () => Date.UTC(2026, 0, 31, 12)

async function outcome(events: Parameters<typeof eventsOf>[0]) {
  const last = (await eventsOf(events)).findLast((event) => event.type === 'turn')
  return last?.turn
}

test('a call whose cost nobody knows does not make the cap forget what is known', async (t) => {
  let asked = 0
  const model: Model = {
    provider: 'test',
    name: 'sometimes',
    window: 100_000,
    priceOf: () => 1,
    stream(request, signal) {
      const costUsd = asked++ === 1 ? null : 1
      return saying([{ name: 'read', args: { at: asked } }], { ...noUsage, outputTokens: 10, costUsd })(request, signal)
    },
  }
  const { turns } = openHouse(t, { model: () => Promise.resolve(model), caps: { perTurn: 2.5 } })
  const ended = await outcome((await turns.start(message('go'))).events)
  assert.equal(asked, 3)
  assert.deepEqual(
    [ended?.error?.code, ended?.error?.limit, ended?.usage.costUsd],
    ['spend_limit', { kind: 'spend_per_turn', maxUsd: 2.5, spentUsd: 2, nextUsd: 1 }, null],
  )
})

test('a turn stops before the call that would go beyond its cap, and says what it cost and how to go on', async (t) => {
  const asked: string[] = []
  const model = dear(asked, (at) => [{ name: 'read', args: { at } }])
  const { turns, store } = openHouse(t, { model, caps: { perTurn: 2.5 }, store: openTestStore(t, now) })
  const { turn, events } = await turns.start(message('go'))
  const ended = await outcome(events)
  assert.equal(asked.length, 2)
  assert.deepEqual([ended?.status, ended?.error?.code, ended?.usage.costUsd], ['failed', 'spend_limit', 2])
  assert.match(
    ended?.error?.message ?? '',
    /cost \$2\.00 .*about \$1\.00.* cap is \$2\.50 .*: send a message to go on$/,
  )
  const next = await turns.start(message('go on', { threadId: turn.threadId }))
  assert.equal((await outcome(next.events))?.usage.costUsd, 2, 'the next turn has a cap of its own')
  assert.equal((await store.usage.list(ada, 1))[0]?.costUsd, 4)
})

test('turns of one user at once share the cap of the day; others have their own', async (t) => {
  const asked: string[] = []
  const { turns } = openHouse(t, {
    model: dear(asked, () => ['ok']),
    caps: { perDay: 3 },
    store: openTestStore(t, now),
  })
  const started = await Promise.all(Array.from({ length: 8 }, () => turns.start(message('go'))))
  const ended = await Promise.all(started.map(({ events }) => outcome(events)))
  assert.equal(asked.length, 3)
  assert.equal(ended.filter((turn) => turn?.status === 'completed').length, 3)
  const refused = ended.filter((turn) => turn?.error?.code === 'spend_limit')
  assert.equal(refused.length, 5)
  const late = await turns.start(message('more'))
  assert.match(
    (await outcome(late.events))?.error?.message ?? '',
    /^today has cost \$3\.00 .*cap of a day is \$3\.00 .*after midnight UTC, or raise it$/,
  )
  const theirs = await turns.start(message('go', { user: 'bob' as typeof ada }))
  assert.equal((await outcome(theirs.events))?.status, 'completed')
})

test('a cap below the price of one call says which variable to raise', async () => {
  const spend = createSpend({
    store: {
      turns: { reserve: () => Promise.reject(new Error('no cap of the day, no look at the store')) },
      usage: { list: () => Promise.reject(new Error('nor at the usage')) },
    },
    caps: () => ({ perTurn: 0.001 }),
  })
  const turn = { options: {} } as Parameters<typeof spend.reserve>[0]
  const lease = { owner: '', epoch: 1 }
  const fault = await spend.reserve(turn, lease, { spent: 0, next: 0.0042 })
  assert.deepEqual(fault?.limit, { kind: 'spend_per_turn', maxUsd: 0.001, spentUsd: 0, nextUsd: 0.0042 })
  assert.match(fault?.message ?? '', /\$0\.0042.*\$0\.0010 .*raise SPEND_PER_TURN_USD/)
  const ofMission = { options: { capUsd: 0.0005 } } as typeof turn
  const own = await spend.reserve(ofMission, lease, { spent: 0, next: 0.0042 })
  assert.deepEqual(own?.limit, { kind: 'spend_per_turn', maxUsd: 0.0005, spentUsd: 0, nextUsd: 0.0042 })
  assert.match(own?.message ?? '', /\(of one run of its mission\): raise the cap of the mission$/)
  const spentOwn = await spend.reserve(ofMission, lease, { spent: 0.0005, next: 0.0001 })
  assert.match(spentOwn?.message ?? '', /raise the cap of the mission$/, 'a message would not go on under its cap')
  const wider = { options: { capUsd: 1 } } as typeof turn
  const ofTurn = await spend.reserve(wider, lease, { spent: 0.001, next: 0.0001 })
  assert.match(ofTurn?.message ?? '', /\(SPEND_PER_TURN_USD\): send a message to go on$/)
  assert.equal(await spend.reserve(turn, lease, { spent: 0, next: 0.001 }), undefined, 'up to the cap')
  assert.equal((await spend.reserve(turn, lease, { spent: 0.001, next: 0 }))?.code, 'spend_limit', 'and not at it')
})

const allowed: readonly [next: number, spent: readonly (number | null)[], caps: Caps, fits: boolean][] = [
  [9, [9], {}, true],
  [1, [9], { perTurn: 1 }, true],
  [1.01, [], { perTurn: 1 }, false],
  [1.01, [], { perTurn: 1, perDay: 9 }, false],
  [1, [1, 1], { perDay: 3 }, true],
  [1.01, [1, 1], { perDay: 3 }, false],
  [0, [1, 1.99], { perDay: 3 }, true],
  [0, [1, 2], { perDay: 3 }, false],
  [1, [2, null], { perDay: 3 }, true],
  [1.01, [null, 2], { perDay: 3 }, false],
]
for (const [next, spent, caps, fits] of allowed) {
  test(`a call of $${next} outside of any turn ${fits ? 'fits' : 'does not fit'} under ${JSON.stringify(caps)} after ${JSON.stringify(spent)}`, async () => {
    const list = (user: typeof ada | undefined, days: number) => {
      assert.deepEqual([user, days], [ada, 1])
      return Promise.resolve(spent.map((costUsd) => ({ costUsd }) as DayUsage))
    }
    const reserve = () => Promise.reject(new Error('nothing is held'))
    const spend = createSpend({ store: { turns: { reserve }, usage: { list } }, caps: () => caps })
    assert.equal(await spend.allows(ada, next), fits)
  })
}

test('a history is summarised on request while the day has money for it, and shortened by rule after that', async (t) => {
  const asked: string[] = []
  const model = dear(asked, () => ['They spoke of soup.'])
  const store = openTestStore(t, now)
  const spend = createSpend({ store, caps: () => ({ perDay: 2.5 }) })
  const history = { door: 'responses' as const, items: [textMessage('user', 'Tell me of soup.')] }
  const compact = () => compactHistory({ store, model, spend }, ada, history, new AbortController().signal)
  const made = [await compact(), await compact(), await compact()]
  assert.deepEqual(
    made.map(({ text, usage }) => [text.startsWith('They spoke'), usage.costUsd]),
    [
      [true, 1],
      [true, 1],
      [false, 0],
    ],
  )
  assert.equal(asked.length, 2)
  assert.match(made[2]?.text ?? '', /Tell me of soup/)
})

const broken = new AppError('model_failed', 'the stream broke off')
const cutOff: readonly [what: string, event: ModelEvent][] = [
  ['text', { type: 'text', text: 'Four words, or so' }],
  ['a call that nobody will run', { type: 'call', name: 'read', args: '{"some":"thing"}' }],
]
for (const [what, event] of cutOff) {
  test(`a call that breaks off after ${what} is counted by our own count, and says so`, async (t) => {
    const model: Model = {
      provider: 'test',
      name: 'breaking',
      window: 100_000,
      priceOf: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
      // oxlint-disable-next-line require-await -- a stream by its type
      async *stream() {
        yield [event]
        throw broken
      },
    }
    const { turns, store } = openHouse(t, {
      model: () => Promise.resolve(model),
      caps: {},
      store: openTestStore(t, now),
    })
    const { turn, events } = await turns.start(message('go'))
    const { usage, status } = (await outcome(events)) ?? {}
    assert.equal(status, 'failed')
    assert.ok(
      usage && usage.inputTokens > 100 && usage.outputTokens === 4 + (event.type === 'text' ? 1 : 0),
      JSON.stringify(usage),
    )
    assert.equal(usage.costUsd, usage.inputTokens + usage.outputTokens)
    const [day] = await store.usage.list(ada, 1)
    assert.deepEqual([day?.turns, day?.inputTokens, day?.costUsd], [1, usage.inputTokens, usage.costUsd])
    const receipt = await turns.receipt(ada, turn.id)
    assert.deepEqual(
      receipt?.modelCalls.map(({ estimated }) => estimated),
      [true],
    )
  })
}

test('a call that was refused before its first word costs nothing', async (t) => {
  const refusing: Model = {
    provider: 'test',
    name: 'refusing',
    window: 100_000,
    priceOf: () => 1,
    // oxlint-disable-next-line require-yield -- it has nothing to say
    async *stream() {
      throw new AppError('model_refused', 'the prompt is too long')
    },
  }
  const { turns } = openHouse(t, { model: () => Promise.resolve(refusing) })
  const { events } = await turns.start(message('go'))
  assert.deepEqual((await outcome(events))?.usage, { ...noUsage, model: 'refusing' })
})
