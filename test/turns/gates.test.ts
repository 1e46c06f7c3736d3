// Gates for doors: what an answer stores, what it grants, who is told, and how the turn goes on.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Signal } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Item } from '#core/item.ts'
import type { GateAnswer } from '#turns/gate-answers.ts'
import { createGates } from '#turns/gates.ts'
import { tool } from '../agent/tools.ts'
import { ada, bob, rejectsWith, decide } from '../store/harness.ts'
import { eventsOf, type HouseParts, message, openHouse, restOf, textsOf, tools, until } from './house.ts'

const nowMs = Date.now()
const hourMs = 3_600_000

/** A turn that waits for an approval of a request to a host. */
async function waiting(t: TestContext, parts: HouseParts = {}) {
  const house = openHouse(t, {
    tools: [tool('send', { effects: 'write', repeatable: false })],
    reply: (_, { items }) =>
      items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'send', args: { url: 'https://a.example/x' } }],
    ...parts,
  })
  const signals: Signal[] = []
  house.bus.onSignal((signal) => signals.push(signal))
  const { turn, events } = await house.turns.start(message('hi'))
  await eventsOf(events)
  const gates = createGates({ ...house, now: () => nowMs })
  const [open] = await gates.list(ada)
  const callId = open?.gate.callId ?? ''
  const answer = (over: Partial<GateAnswer> = {}) =>
    gates.answer(ada, turn.threadId, { callId, decision: 'allow', by: 'ada', ...over })
  const answers = async (): Promise<Item[]> => {
    await until(async () => (await house.turns.get(ada, turn.id))?.status === 'completed')
    const entries = await house.turns.entries(ada, turn)
    return entries.flatMap(({ item }) => (item.type === 'answer' ? [item] : []))
  }
  return { ...house, gates, turn, callId, answer, answers, signals }
}

const granting: readonly [what: string, over: Partial<GateAnswer>, stored: object, grant: object | undefined][] = [
  ['once', {}, {}, undefined],
  ['a denial with a word', { decision: 'deny', output: 'no' }, { decision: 'deny', output: 'no' }, undefined],
  [
    'for an hour',
    { grantRequest: { for: 'hour' } },
    { scope: 'target', until: nowMs + hourMs },
    { tool: 'send', target: 'a.example:443', until: nowMs + hourMs },
  ],
  [
    'for good, whatever the host',
    { grantRequest: { scope: 'tool', for: 'good' } },
    { scope: 'tool' },
    { tool: 'send' },
  ],
]
for (const [what, over, stored, grant] of granting) {
  test(`an answer is stored with what it grants: ${what}`, async (t) => {
    const { answer, answers, callId, signals, gates, turns, turn } = await waiting(t)
    const answered = await answer(over)
    assert.equal(answered.status, 'queued')
    assert.deepEqual(await answers(), [{ type: 'answer', callId, decision: 'allow', by: 'ada', ...stored }])
    const { decision = 'allow', scope, until: end } = stored as { decision?: string; scope?: string; until?: number }
    const [approval] = (await turns.receipt(ada, turn.id))?.approvals ?? []
    const { at: _, ...shown } = approval ?? {}
    const more = { ...(scope && { scope }), ...(end && { until: end }) }
    assert.deepEqual(shown, { callId, kind: 'approval', decision, by: 'ada', ...more }, 'and the receipt has it')
    const told = signals.filter(({ type }) => type === 'grants')
    assert.deepEqual(told, grant ? [{ type: 'grants', user: ada }] : [])
    assert.ok(signals.some(({ type }) => type === 'queued'))
    const kept = (await gates.grants(ada)).map(({ tool: name, target, until: to }) => ({
      tool: name,
      ...(target !== undefined && { target }),
      ...(to !== undefined && { until: to }),
    }))
    assert.deepEqual(kept, grant ? [grant] : [])
  })
}

test('a grant that cannot be given stores no answer', async (t) => {
  const { answer, gates } = await waiting(t, {
    judge: () => ({ do: 'ask', reason: 'r', why: 'w', taint: 'a page' }),
  })
  await rejectsWith(answer({ grantRequest: { for: 'day' } }), 'grant_refused')
  assert.equal((await gates.list(ada)).length, 1, 'it is still open')
})

test('an answer to the second gate of a turn that is queued after the first grants what it asks for', async (t) => {
  const house = await waiting(t, {
    reply: (_, { items }) =>
      items.at(-1)?.type === 'result'
        ? ['ok']
        : ['a', 'b'].map((host) => ({ name: 'send', args: { url: `https://${host}.example/` } })),
  })
  const [first, second] = (await house.gates.list(ada)).map(({ gate }) => gate.callId)
  assert.ok(first && second)
  const answers = [house.answer({ callId: first }), house.answer({ callId: second, grantRequest: { for: 'good' } })]
  await Promise.all(answers)
  assert.deepEqual(
    (await house.gates.grants(ada)).map(({ tool: name, target }) => [name, target]),
    [['send', 'b.example:443']],
  )
})

test('a gate that is not there is not found', async (t) => {
  const { answer } = await waiting(t)
  await rejectsWith(answer({ callId: 'none', grantRequest: { for: 'day' } }), 'not_found')
})

test('only an approval can be given for longer', async (t) => {
  const missing = new AppError('credential_missing', 'a key is needed')
  const { answer } = await waiting(t, {
    tools: [tool('send', { effects: 'read' }, () => Promise.reject(missing))],
  })
  await assert.rejects(answer({ grantRequest: { for: 'day' } }), { code: 'grant_refused', message: /only an approval/ })
})

test('the gate of a turn is that of the turn itself, and only while it waits', async (t) => {
  const { gates, turn, callId, turns } = await waiting(t)
  const now = await turns.get(ada, turn.id)
  assert.ok(now)
  assert.equal((await gates.ofTurn(now))?.callId, callId)
  assert.equal(await gates.ofTurn({ ...now, status: 'running' }), undefined)
  assert.equal(await gates.ofTurn({ ...now, id: 'another' }), undefined)
})

test('a grant is revoked once, and its user is told', async (t) => {
  const { answer, answers, gates, signals } = await waiting(t)
  await answer({ grantRequest: { for: 'good' } })
  await answers()
  const [grant] = await gates.grants(ada)
  signals.length = 0
  assert.equal(await gates.revoke(bob, grant?.id ?? ''), false)
  assert.deepEqual(signals, [])
  assert.equal(await gates.revoke(ada, grant?.id ?? ''), true)
  assert.deepEqual(signals, [{ type: 'grants', user: ada }])
  assert.equal(await gates.revoke(ada, grant?.id ?? ''), false)
})

test('an approval lets the turn go on, its events and those of a watcher tell all of it', async (t) => {
  const { turns, gates, store } = openHouse(t, {
    reply: (_, { items }) => (items.some(({ type }) => type === 'result') ? ['done'] : [{ name: 'write' }]),
  })
  const { turn, events } = await turns.start(message('go'))
  const waiting = await eventsOf(events)
  assert.equal(restOf(waiting), 'waiting')
  const [gate] = waiting
    .flatMap((event) => (event.type === 'entries' ? event.entries : []))
    .filter(({ item }) => item.type === 'gate')
  assert.ok(gate?.item.type === 'gate')
  const watch = turns.watch(ada, turn.threadId, 0)
  await rejectsWith(
    gates.answer(bob, turn.threadId, { callId: gate.item.callId, decision: 'allow', by: 'bob' }),
    'not_found',
  )
  await gates.answer(ada, turn.threadId, { callId: gate.item.callId, decision: 'allow', by: 'ada' })
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  assert.deepEqual(await textsOf(store, turn.threadId), [
    'go',
    'call',
    'gate',
    'answer',
    'attempt',
    'result: write ran',
    'done',
  ])
})

test('answers that come while a call runs are taken, and no call runs twice', async (t) => {
  const ran: unknown[] = []
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const slow = tool('slow', { effects: 'write', repeatable: false }, async (args) => {
    ran.push(args)
    await free
    return 'ok'
  })
  const { turns, gates, store } = openHouse(t, {
    tools: [...tools, slow],
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['done'] : [1, 2].map((at) => ({ name: 'slow', args: { at } })),
  })
  const { turn, events } = await turns.start(message('go'))
  const callIds = (await eventsOf(events))
    .flatMap((event) => (event.type === 'entries' ? event.entries : []))
    .flatMap(({ item }) => (item.type === 'gate' ? [item.callId] : []))
  const watch = turns.watch(ada, turn.threadId, 0)
  await gates.answer(ada, turn.threadId, { callId: callIds[0] ?? '', decision: 'allow', by: 'ada' })
  await until(() => ran.length > 0)
  await gates.answer(ada, turn.threadId, { callId: callIds[1] ?? '', decision: 'allow', by: 'ada' })
  letGo()
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  assert.deepEqual(ran, ['{"at":1}', '{"at":2}'])
  assert.equal((await textsOf(store, turn.threadId)).filter((text) => text.startsWith('result')).length, 2)
})

test('an answer that is stored just before its turn comes to wait is taken', async (t) => {
  let [callIds, waits]: [string[], number] = [[], 0]
  const { turns, gates } = openHouse(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['done'] : [{ name: 'write' }, { name: 'write' }],
    runnerStore: (store) => ({
      turns: {
        ...store.turns,
        async record(turn, held, step) {
          // By another process: nothing tells this one.
          if (step.outcome?.status === 'waiting' && ++waits === 2)
            await store.turns.answer(ada, turn.threadId, decide(callIds[1] ?? ''))
          return store.turns.record(turn, held, step)
        },
      },
    }),
  })
  const { turn, events } = await turns.start(message('go'))
  callIds = (await eventsOf(events))
    .flatMap((event) => (event.type === 'entries' ? event.entries : []))
    .flatMap(({ item }) => (item.type === 'gate' ? [item.callId] : []))
  await gates.answer(ada, turn.threadId, { callId: callIds[0] ?? '', decision: 'allow', by: 'ada' })
  await until(async () => (await turns.get(ada, turn.id))?.status === 'completed')
  assert.equal(waits, 2)
})
