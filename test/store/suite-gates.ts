// Answering gates, listing gates and answers, and finding gates that nobody answered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, type UserId, userId } from '#core/ids.ts'
import type { Gate } from '#core/item.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  call,
  decide,
  gate,
  lease,
  minuteMs,
  other,
  output,
  pictureOf,
  rejectsWith,
  step,
  threadAtGate,
  turnAtApproval,
  turnOf,
} from './harness.ts'
import { loopTurns } from '../loop-turns.ts'

/** In this order: the store reads whether a gate is held from the beginning of its JSON. */
function heldGate(callId: string) {
  const { id, item } = gate(callId, 'approval')
  const { type, callId: of, kind, ...rest } = item as Gate
  return { id, item: { type, callId: of, kind, held: true as const, ...rest } }
}

export function gateTests(open: Open): void {
  test('an answer is appended and queues its turn again', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    const answer = decide('a1')
    const { turn: queued, entries } = await store.turns.answer(ada, turn.threadId, answer)
    assert.deepEqual([queued.id, queued.status], [turn.id, 'queued'])
    assert.deepEqual(
      entries.map(({ seq, id, turnId, item }) => ({ seq, id, turnId, item })),
      [{ seq: 6, ...answer, turnId: turn.id }],
    )
    assert.deepEqual(await store.turns.get(ada, turn.id), queued)
  })

  test('a turn that holds its calls open goes on running once all of them are answered', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const drafts = [call('h1'), call('h2'), heldGate('h1'), heldGate('h2')]
    await store.turns.record(turn, lease, step(drafts, { status: 'waiting', held: true }))
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('h1'))).turn.status, 'waiting')
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('h2'))).turn.status, 'running')
    assert.deepEqual(await store.turns.claim(other, 1), { started: [], more: false })
  })

  test('a turn that comes to wait with calls held open waits for those that have no answer yet', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('h1'), call('h2'), heldGate('h1'), heldGate('h2')]))
    await store.turns.answer(ada, turn.threadId, decide('h1'))
    const waits = await store.turns.record(turn, lease, step([], { status: 'waiting', held: true }))
    assert.equal(waits.turn.status, 'waiting')
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('h2'))).turn.status, 'running')
    const goesOn = await store.turns.record(turn, lease, step([], { status: 'waiting', held: true }))
    assert.equal(goesOn.turn.status, 'running', 'all have their answers')
  })

  test('a gate that has closed is told from one that never was, whatever the name of its call', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const [odd, client] = ['"\\%_💡', 'o1']
    const drafts = [call(odd), gate(odd, 'approval'), decide(odd), call(client), gate(client, 'output'), output(client)]
    await store.turns.record(turn, lease, step(drafts, { status: 'completed' }))
    const answer = (callId: string) => store.turns.answer(ada, turn.threadId, decide(callId))
    await rejectsWith(answer(odd), 'gate_closed')
    for (const other of ['"\\%_', '%', client]) await rejectsWith(answer(other), 'not_found')
  })

  test('a gate is answered once, by its user, and only if it stands', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    const before = await pictureOf(store, turn)
    await rejectsWith(store.turns.answer(ada, turn.threadId, decide('a1', 'deny')), 'gate_closed')
    await rejectsWith(store.turns.answer(ada, turn.threadId, decide('a9')), 'not_found')
    await rejectsWith(store.turns.answer(bob, turn.threadId, decide('a2')), 'not_found')
    await rejectsWith(store.turns.answer(ada, crypto.randomUUID(), decide('a2')), 'not_found')
    assert.deepEqual(await pictureOf(store, turn), before)
    const both = await Promise.allSettled([1, 2].map(() => store.turns.answer(ada, turn.threadId, decide('a2'))))
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  test("a caller's gate is not answered this way: a resume must start a turn", async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    await rejectsWith(store.turns.answer(ada, threadId, output('c1')), 'not_found')
    await rejectsWith(store.turns.answer(ada, threadId, decide('c1')), 'not_found')
  })

  test('an answer belongs to the turn at the gate, not to a message that is queued behind it', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.start(turnOf({ threadId: turn.threadId }))
    const { turn: queued, entries } = await store.turns.answer(ada, turn.threadId, decide('a1'))
    assert.deepEqual([queued.id, queued.status, entries[0]?.turnId], [turn.id, 'queued', turn.id])
    assert.equal(
      (await store.turns.answer(ada, turn.threadId, decide('a2'))).turn.id,
      turn.id,
      'also while it is queued',
    )
  })

  test('an answer while the turn runs stands in the log and does not leave the turn waiting', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    await store.turns.claim(lease, 1)
    const { turn: running } = await store.turns.answer(ada, turn.threadId, decide('a2'))
    assert.equal(running.status, 'running')
    const recorded = await store.turns.record(turn, lease, step([], { status: 'waiting' }))
    assert.equal(recorded.turn.status, 'queued', 'the step tells what became of the turn')
    assert.equal((await store.turns.get(ada, turn.id))?.status, 'queued')
    assert.equal((await store.turns.claim(lease, 1)).started[0]?.turn.id, turn.id)
    const unanswered = [call('a3'), gate('a3', 'approval')]
    await store.turns.record(turn, lease, step([decide('a9')]))
    await rejectsWith(store.turns.answer(ada, turn.threadId, decide('a3')), 'not_found')
    await store.turns.record(turn, lease, step(unanswered))
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('a3'))).turn.status, 'running')
  })

  test('an answer to a turn that a restart has put back is taken', async (t) => {
    const { store } = await open(t)
    const turn = await turnAtApproval(store)
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    await store.turns.claim(lease, 1)
    await store.turns.recover(other)
    assert.equal((await store.turns.answer(ada, turn.threadId, decide('a2'))).turn.status, 'queued')
  })

  test('open gates are listed with their turn and time, to whoever reaches them, until they are answered', async (t) => {
    const { store, clock } = await open(t)
    const turn = await turnAtApproval(store)
    const hooked = await turnAtApproval(store, { user: userId('webhook:x'), door: 'webhook' })
    await threadAtGate(store)
    const ids = async (user: UserId, query = {}) =>
      (await store.turns.openGates(user, { limit: 9, ...query })).map((each) => `${each.turn.door} ${each.gate.callId}`)
    assert.deepEqual(await ids(ada), ['web a1', 'web a2'])
    assert.deepEqual(await ids(ada, { limit: 1 }), ['web a1'])
    assert.deepEqual(await ids(bob), [])
    assert.deepEqual(await ids(operator), ['webhook a1', 'webhook a2'])
    assert.deepEqual(await ids(operator, { threadId: turn.threadId }), [])
    assert.deepEqual(await ids(operator, { threadId: hooked.threadId }), ['webhook a1', 'webhook a2'])
    const [first] = await store.turns.openGates(ada, { limit: 9 })
    assert.deepEqual([first?.turn.id, first?.at], [turn.id, clock.now])
    assert.deepEqual(await ids(ada, { threadId: turn.threadId, callId: 'a2', limit: 1 }), ['web a2'])
    assert.deepEqual(await ids(ada, { threadId: turn.threadId, callId: 'a3' }), [])
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    assert.deepEqual(await ids(ada), ['web a2'], 'also while the turn is queued')
    await store.turns.claim(lease, 9)
    assert.deepEqual(await ids(ada), ['web a2'])
    await store.turns.end(ada, turn.id)
    assert.deepEqual(await ids(ada), [])
  })

  test('answers are listed with their gates, latest first, since a time, to whoever reaches them', async (t) => {
    const { store, clock } = await open(t)
    const turn = await turnAtApproval(store)
    const hooked = await turnAtApproval(store, { user: userId('webhook:x'), door: 'webhook' })
    const since = clock.now + 1
    const ids = async (user: UserId, query = {}) =>
      (await store.turns.answeredGates(user, { since, limit: 9, ...query })).map(
        ({ turn: { door }, gate: asked, answer }) => `${door} ${asked.callId} ${answer.decision}`,
      )
    assert.deepEqual(await ids(ada), [])
    const answer = (user: UserId, { threadId }: typeof turn, callId: string, decision: 'allow' | 'deny') => {
      clock.now += 1
      return store.turns.answer(user, threadId, decide(callId, decision))
    }
    await answer(ada, turn, 'a1', 'allow')
    await answer(operator, hooked, 'a2', 'deny')
    await answer(ada, turn, 'a2', 'deny')
    assert.deepEqual(await ids(ada), ['web a2 deny', 'web a1 allow'])
    assert.deepEqual(await ids(ada, { limit: 1 }), ['web a2 deny'])
    assert.deepEqual(await ids(ada, { since: clock.now }), ['web a2 deny'])
    assert.deepEqual(await ids(ada, { since: clock.now + 1 }), [])
    assert.deepEqual(await ids(bob), [])
    assert.deepEqual(await ids(operator), ['webhook a2 deny'])
    const [last] = await store.turns.answeredGates(ada, { since, limit: 9 })
    assert.deepEqual([last?.turn.id, last?.at, last?.answeredAt], [turn.id, since - 1, clock.now])
    await store.threads.remove(ada, turn.threadId)
    assert.deepEqual(await ids(ada), [])
  })

  test('answers of turns that were answered in turns are listed by their own times, no more than asked for', async (t) => {
    const { store, clock } = await open(t)
    const turns = [await turnAtApproval(store), await turnAtApproval(store)]
    const answered: string[] = []
    for (const [at, callId] of [
      [0, 'a1'],
      [1, 'a1'],
      [0, 'a2'],
    ] as const) {
      clock.now += 1
      await store.turns.answer(ada, turns[at]?.threadId ?? '', decide(callId))
      answered.unshift(`${turns[at]?.id} ${callId}`)
    }
    const list = async (limit: number) =>
      (await store.turns.answeredGates(ada, { since: 0, limit })).map((each) => `${each.turn.id} ${each.gate.callId}`)
    assert.deepEqual(await list(9), answered)
    assert.equal((await list(2)).length, 2)
  })

  test('gates open since before a time are found, answered and younger ones are not', async (t) => {
    const { store, clock } = await open(t)
    const turn = await turnAtApproval(store)
    clock.now += minuteMs
    const young = await turnAtApproval(store)
    assert.deepEqual(await store.turns.waitingSince(clock.now - minuteMs), [])
    const found = await store.turns.waitingSince(clock.now)
    assert.deepEqual(await store.turns.waitingSince(clock.now, ada), found)
    assert.deepEqual(await store.turns.waitingSince(clock.now, userId('nobody')), [])
    assert.deepEqual(found, [{ turn, callIds: ['a1', 'a2'] }])
    await threadAtGate(store)
    assert.deepEqual(
      (await store.turns.waitingSince(clock.now + 1)).map(({ turn }) => turn.id).toSorted(),
      [turn.id, young.id].toSorted(),
    )
    await store.turns.answer(ada, turn.threadId, decide('a1'))
    assert.deepEqual((await store.turns.waitingSince(clock.now))[0]?.callIds, ['a2'], 'also of a queued turn')
    await store.turns.claim(lease, 1)
    await store.turns.record(
      turn,
      lease,
      step([{ ...decide('a1'), item: { type: 'result', callId: 'a1', output: '' } }], { status: 'waiting' }),
    )
    assert.deepEqual((await store.turns.waitingSince(clock.now))[0]?.callIds, ['a2'])
  })

  test('others go on while the gates of many turns are looked through', async (t) => {
    const { store, clock } = await open(t)
    for (let at = 0; at < 12; at++) await turnAtApproval(store)
    let found = 0
    assert.ok((await loopTurns(t, async () => (found = (await store.turns.waitingSince(clock.now + 1)).length))) >= 10)
    assert.equal(found, 12)
    assert.ok((await loopTurns(t, () => store.turns.oldestGate(0))) >= 10)
    let listed = 0
    const list = async (): Promise<unknown> => (listed = (await store.turns.openGates(ada, { limit: 30 })).length)
    assert.ok((await loopTurns(t, list)) >= 10)
    assert.equal(listed, 24)
    assert.ok((await loopTurns(t, () => store.turns.openGates(ada, { since: clock.now + 1, limit: 30 }))) >= 10)
  })

  test('lists leave out gates from before a time, and the oldest since then is told', async (t) => {
    const { store, clock } = await open(t)
    assert.equal(await store.turns.oldestGate(0), undefined)
    const first = clock.now
    const turn = await turnAtApproval(store)
    clock.now += minuteMs
    const young = await turnAtApproval(store, { user: bob })
    await threadAtGate(store)
    assert.deepEqual(
      [await store.turns.oldestGate(0), await store.turns.oldestGate(first), await store.turns.oldestGate(first + 1)],
      [first, first, clock.now],
    )
    const count = async (since: number): Promise<number> =>
      (await store.turns.openGates(ada, { since, limit: 9 })).length
    assert.deepEqual([await count(first), await count(first + 1)], [2, 0])
    for (const callId of ['a1', 'a2']) await store.turns.answer(ada, turn.threadId, decide(callId))
    assert.equal(await store.turns.oldestGate(0), clock.now)
    await store.turns.cancel(bob, young.id)
    assert.equal(await store.turns.oldestGate(0), undefined)
  })
}
