// Calls that ask a person for input: a call that is run again with the values, and one that stays open until it has them.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { InputAnswer, InputRequest } from '#core/form.ts'
import type { Item } from '#core/item.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { openTestStore } from '../agent/bench.ts'
import { tool } from '../agent/tools.ts'
import { ada, lease, other, rejectsWith } from '../store/harness.ts'
import { eventsOf, type House, type HouseParts, message, openHouse, restOf, until } from './house.ts'

const form: InputRequest = {
  type: 'form',
  server: 'desk',
  message: 'Which table?',
  fields: [
    { type: 'integer', name: 'table', min: 1, max: 9, required: true },
    { type: 'text', name: 'note' },
  ],
}

type Run = (args: string, context: ToolContext) => Promise<string>

/** A tool that may not be repeated and does not need approval. */
function bookTool(run: Run): Tool {
  return tool('book', { repeatable: false, untrusted: true }, run)
}

/** Throws for input and is run again with the answer. */
const again: Run = (_, { input }) => {
  if (!input) {
    throw new AppError('input_required', 'which table?', { input: { request: form, state: 'opaque' } })
  }
  return Promise.resolve(`got ${JSON.stringify(input)}`)
}

/** Asks while it stays open. */
const open: Run = async (_, { askInput }) => `got ${JSON.stringify(await askInput?.(form))}`

const parts = (run: Run, over: HouseParts = {}): HouseParts => ({
  tools: [bookTool(run), tool('read')],
  reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'book' }]),
  ...over,
})

/** A turn that waits for input. */
async function waiting(t: TestContext, run: Run, over: HouseParts = {}) {
  const house = openHouse(t, parts(run, over))
  const { turn, events } = await house.turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'waiting')
  const [found] = await house.gates.list(ada)
  assert(found)
  const answer = (values?: unknown, decision: 'allow' | 'deny' = 'allow') =>
    house.gates.answer(ada, turn.threadId, { callId: found.gate.callId, decision, by: 'ada', values })
  return { ...house, turn, gate: found.gate, answer }
}

async function itemsAt({ turns }: House, turn: { id: string; threadId: string }, status: string): Promise<Item[]> {
  await until(async () => (await turns.get(ada, turn.id))?.status === status)
  const now = await turns.get(ada, turn.id)
  assert(now)
  return (await turns.entries(ada, now)).map(({ item }) => item)
}

const resultIn = (items: readonly Item[]): unknown => items.find(({ type }) => type === 'result')
const typesOf = (items: readonly Item[]): string[] => items.map(({ type }) => type)

const ways: readonly [what: string, run: Run, state: object][] = [
  ['run again', again, { state: 'opaque' }],
  ['held open', open, {}],
]
for (const [what, run, state] of ways) {
  test(`a call that is ${what} waits for its form and gets the values`, async (t) => {
    const house = await waiting(t, run)
    const { gate, answer, turn } = house
    assert.deepEqual([gate.kind, gate.input, gate.name], ['input', form, 'book'])
    await answer({ table: 3 })
    const items = await itemsAt(house, turn, 'completed')
    const accepted = { action: 'accept', values: { table: 3 }, ...state }
    const result = resultIn(items) as { output: string; origin?: string; error?: true }
    const told = JSON.parse(result.output.slice('got '.length)) as InputAnswer
    assert.deepEqual([told, result.origin, result.error], [accepted, 'book', undefined])
    assert.deepEqual(await house.gates.list(ada), [])
    assert.equal((await house.turns.receipt(ada, turn.id))?.verified, true)
  })

  test(`a call that is ${what} is told when the person declines`, async (t) => {
    const house = await waiting(t, run)
    await house.answer(undefined, 'deny')
    const { output } = resultIn(await itemsAt(house, house.turn, 'completed')) as { output: string }
    assert.deepEqual(JSON.parse(output.slice('got '.length)), { action: 'decline', ...state })
  })

  test(`values that do not fit name their field and leave the gate open: ${what}`, async (t) => {
    const house = await waiting(t, run)
    for (const [values, param] of [
      [{ table: 10 }, 'values.table'],
      [{}, 'values.table'],
      [{ table: 1, chair: 2 }, 'values.chair'],
      [[], 'values'],
    ] as const) {
      await assert.rejects(
        house.answer(values),
        (error) => error instanceof AppError && error.code === 'invalid_input' && error.param === param,
      )
    }
    await rejectsWith(house.answer(undefined), 'invalid_input')
    assert.equal((await house.gates.list(ada)).length, 1)
    assert.equal((await house.turns.get(ada, house.turn.id))?.status, 'waiting')
    await house.answer({ table: 1 })
    await itemsAt(house, house.turn, 'completed')
  })

  test(`what was entered never reaches the model: ${what}`, async (t) => {
    const house = await waiting(t, (args, context) => run(args, context).then(() => 'booked'))
    await house.answer({ table: 1, note: 'between us' })
    await itemsAt(house, house.turn, 'completed')
    assert.ok(!JSON.stringify(house.asked).includes('between us'))
  })
}

test('values for an approval are refused, and so is an approval of a form', async (t) => {
  const house = openHouse(t, {
    tools: [tool('send', { effects: 'write' })],
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'send' }]),
  })
  const { turn, events } = await house.turns.start(message('hi'))
  await eventsOf(events)
  const [found] = await house.gates.list(ada)
  const callId = found?.gate.callId ?? ''
  const given = { callId, decision: 'allow', by: 'ada', values: {} } as const
  await rejectsWith(house.gates.answer(ada, turn.threadId, given), 'invalid_input')
  assert.equal((await house.gates.list(ada)).length, 1)
})

test('a form survives the end of its process: another one runs the call again with the values', async (t) => {
  const store = openTestStore(t)
  const first = await waiting(t, again, { store })
  await first.runner.drain(0)
  const second = openHouse(t, parts(again, { store, lease: other }))
  assert.equal(await store.turns.recover(other), 0, 'it waits, and nobody has it')
  await second.gates.answer(ada, first.turn.threadId, {
    callId: first.gate.callId,
    decision: 'allow',
    by: 'ada',
    values: { table: 2 },
  })
  const items = await itemsAt(second, first.turn, 'completed')
  assert.match((resultIn(items) as { output: string }).output, /"table":2/)
})

test('an open call whose process was killed is interrupted, and its gate closes', async (t) => {
  const store = openTestStore(t)
  const first = await waiting(t, open, { store })
  // The process is gone without a word: its lease has run out.
  const second = openHouse(t, parts(open, { store, lease: other }))
  assert.equal(await store.turns.recover(other), 1)
  second.runner.wake()
  const items = await itemsAt(second, first.turn, 'completed')
  const ended = items.filter(({ type }) => type === 'answer' || type === 'result')
  assert.deepEqual(
    ended.map((item) => (item.type === 'answer' ? [item.by, item.decision] : (item as { output: string }).output)),
    [
      ['restart', 'deny'],
      'interrupted: book was running when the service stopped; it may or may not have taken effect',
    ],
  )
  assert.deepEqual(await second.gates.list(ada), [])
  await rejectsWith(first.answer({ table: 1 }), 'gate_closed')
})

test('an open call ends with the process that stops, without waiting for the person', async (t) => {
  const store = openTestStore(t)
  const first = await waiting(t, open, { store })
  await first.runner.drain(60_000)
  assert.equal((await first.turns.get(ada, first.turn.id))?.status, 'queued')
  const second = openHouse(t, parts(open, { store, lease: other }))
  second.runner.wake()
  assert.match((resultIn(await itemsAt(second, first.turn, 'completed')) as { output: string }).output, /^interrupted/)
})

test('a call that asks only once the service stops ends with it, without waiting for the person', async (t) => {
  const free = Promise.withResolvers<void>()
  let ran = false
  const house = openHouse(
    t,
    parts(async (args, context) => {
      ran = true
      await free.promise
      return open(args, context)
    }),
  )
  const { turn, events } = await house.turns.start(message('hi'))
  events.close()
  await until(() => ran)
  const drained = house.runner.drain(2 ** 31 - 1)
  free.resolve()
  await drained
  assert.equal((await house.turns.get(ada, turn.id))?.status, 'queued')
})

test('a cancelled turn stops its open call', async (t) => {
  let stopped = false
  const house = await waiting(t, async (_, { askInput, signal }) => {
    signal.addEventListener('abort', () => {
      stopped = true
    })
    return JSON.stringify(await askInput?.(form))
  })
  const ended = await house.turns.cancel(ada, house.turn.id)
  assert.equal(ended.status, 'cancelled')
  await until(() => stopped && house.runner.running === 0)
  assert.deepEqual(await house.gates.list(ada), [])
  assert.equal((await house.turns.get(ada, house.turn.id))?.status, 'cancelled')
})

test('an open call ends with the time of its turn', async (t) => {
  const house = await waiting(t, open)
  const { turn } = house
  house.runner.stop(turn.id, new AppError('time_limit', 'too long'))
  const items = await itemsAt(house, turn, 'failed')
  assert.equal((resultIn(items) as { error?: true }).error, true)
  assert.deepEqual(await house.gates.list(ada), [])
})

test('a turn waits once all its running calls wait, and goes on when the last open call has its answer', async (t) => {
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const house = openHouse(t, {
    tools: [
      bookTool(open),
      tool('slow', {}, async () => {
        await free
        return 'slow ran'
      }),
    ],
    reply: (_, { items }) =>
      items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'book' }, { name: 'slow' }, { name: 'book' }],
  })
  const { turn, events } = await house.turns.start(message('hi'))
  await until(async () => (await house.gates.list(ada)).length === 2)
  assert.equal((await house.turns.get(ada, turn.id))?.status, 'running', 'one call still runs')
  letGo()
  assert.equal(restOf(await eventsOf(events)), 'waiting')
  const [first, second] = await house.gates.list(ada)
  const answer = (callId = '', table = 1) =>
    house.gates.answer(ada, turn.threadId, { callId, decision: 'allow', by: 'ada', values: { table } })
  assert.equal((await answer(first?.gate.callId, 1)).status, 'waiting', 'the other call is still open')
  assert.equal((await answer(second?.gate.callId, 2)).status, 'running')
  const items = await itemsAt(house, turn, 'completed')
  assert.equal(typesOf(items).filter((type) => type === 'result').length, 3)
  assert.deepEqual(house.asked.length, 2, 'the model was asked again once')
})

test('an answer that comes while another call runs is not lost', async (t) => {
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const house = openHouse(t, {
    tools: [
      bookTool(open),
      tool('slow', {}, async () => {
        await free
        return 'slow ran'
      }),
    ],
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'book' }, { name: 'slow' }]),
  })
  const { turn, events } = await house.turns.start(message('hi'))
  await until(async () => (await house.gates.list(ada)).length === 1)
  const [found] = await house.gates.list(ada)
  const callId = found?.gate.callId ?? ''
  const given = { callId, decision: 'allow', by: 'ada', values: { table: 4 } } as const
  assert.equal((await house.gates.answer(ada, turn.threadId, given)).status, 'running')
  await until(async () => JSON.stringify(await house.turns.entries(ada, turn)).includes('\\"table\\":4'))
  letGo()
  assert.equal(restOf(await eventsOf(events)), 'completed')
})

test('a call may ask twice', async (t) => {
  const house = await waiting(t, async (_, { askInput }) => {
    const first = await askInput?.(form)
    const second = await askInput?.({ ...form, message: 'And then?' })
    return JSON.stringify([first, second])
  })
  await house.answer({ table: 1 })
  await until(async () => (await house.gates.list(ada))[0]?.gate.input?.message === 'And then?')
  await until(async () => (await house.turns.get(ada, house.turn.id))?.status === 'waiting')
  await house.answer({ table: 2 })
  const { output } = resultIn(await itemsAt(house, house.turn, 'completed')) as { output: string }
  assert.deepEqual(JSON.parse(output), [
    { action: 'accept', values: { table: 1 } },
    { action: 'accept', values: { table: 2 } },
  ])
})

test('a link is accepted without values', async (t) => {
  const link: InputRequest = { type: 'link', server: 'desk', message: 'Sign in', url: 'https://a.example/in' }
  const house = await waiting(t, async (_, { askInput }) => JSON.stringify(await askInput?.(link)))
  await house.answer({})
  const { output } = resultIn(await itemsAt(house, house.turn, 'completed')) as { output: string }
  assert.deepEqual(JSON.parse(output), { action: 'accept', values: {} })
})

test('a turn keeps its lease only while a call is open', async (t) => {
  const store = openTestStore(t)
  await waiting(t, again, { store })
  assert.equal(await store.turns.recover(other), 0)
  await waiting(t, open, { store })
  assert.equal(await store.turns.recover(lease), 0, 'its own process')
  assert.equal(await store.turns.recover(other), 1)
})
