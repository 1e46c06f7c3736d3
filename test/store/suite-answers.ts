// Answers to gates that ask for input, gates by age, and the answers of one turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Draft } from '#core/item.ts'
import {
  ada,
  bob,
  call,
  decide,
  draft,
  finish,
  gate,
  itemsOf,
  lease,
  type Open,
  rejectsWith,
  step,
  turnAtApproval,
  turnOf,
} from './harness.ts'

function answer(callId: string, over: Partial<Answer> = {}): Draft {
  return draft({ type: 'answer', callId, decision: 'allow', by: 'ada', ...over })
}

export function answerTests(open: Open): void {
  test('a gate that asks for input takes values or a refusal, and no other gate takes values', async (t) => {
    const { store } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    const { threadId } = turn
    const drafts = [
      call('i1'),
      call('i2'),
      call('a1'),
      call('s1'),
      gate('i1', 'input'),
      gate('i2', 'input'),
      gate('a1', 'approval'),
      gate('s1', 'credential'),
    ]
    await store.turns.record(turn, lease, step(drafts, { status: 'waiting' }))
    const values = { name: 'Ada' }
    for (const callId of ['a1', 's1'])
      await rejectsWith(store.turns.answer(ada, threadId, answer(callId, { values })), 'invalid_input')
    await rejectsWith(store.turns.answer(ada, threadId, answer('i1')), 'invalid_input')
    assert.equal((await itemsOf(store, turn)).length, 9, 'nothing was stored')
    for (const each of [answer('i1', { values }), answer('i2', { decision: 'deny' }), answer('a1')])
      assert.equal((await store.turns.answer(ada, threadId, each)).entries[0]?.id, each.id)
  })

  test('a call by an id of any length and form waits at its gate and is answered', async (t) => {
    const { store } = await open(t)
    const ids = ['c'.repeat(400), 'call:1/ü']
    const { turn } = await store.turns.start(turnOf())
    const drafts = [...ids.map((id) => call(id)), ...ids.map((id) => gate(id, 'approval'))]
    await store.turns.record(turn, lease, step(drafts, { status: 'waiting' }))
    assert.deepEqual(
      (await store.turns.openGates(ada, { limit: 9 })).map((each) => each.gate.callId),
      ids,
    )
    for (const id of ids) await store.turns.answer(ada, turn.threadId, decide(id))
    assert.deepEqual(await store.turns.openGates(ada, { limit: 9 }), [])
  })

  test('a gate is as old as its question, not as the call that it is about', async (t) => {
    const { store, clock } = await open(t)
    const { turn } = await store.turns.start(turnOf())
    await store.turns.record(turn, lease, step([call('c1')]))
    clock.now += 5
    await store.turns.record(turn, lease, step([gate('c1', 'approval')], { status: 'waiting' }))
    assert.deepEqual(await store.turns.waitingSince(clock.now), [])
    const expired = await store.turns.waitingSince(clock.now + 1)
    assert.deepEqual(
      expired.map(({ callIds }) => callIds),
      [['c1']],
    )
  })

  test('gates are listed by the age of their turns', async (t) => {
    const { store } = await open(t)
    const turns = [await turnAtApproval(store), await turnAtApproval(store), await turnAtApproval(store)]
    const [, second] = turns
    // One that waits for a process again comes in its place, too.
    await store.turns.answer(ada, second?.threadId ?? '', decide('a1'))
    const gates = await store.turns.openGates(ada, { limit: 9 })
    assert.deepEqual(
      gates.map(({ turn: { id } }) => turns.findIndex((each) => each.id === id)),
      [0, 0, 1, 2, 2],
    )
  })

  test('the answers of one turn are found by its id and their calls, those of a later turn are not', async (t) => {
    const { store, clock } = await open(t)
    const askedAt = clock.now
    const first = await turnAtApproval(store)
    const { threadId } = first
    for (const callId of ['a1', 'a2']) await store.turns.answer(ada, threadId, decide(callId))
    const [claimed] = (await store.turns.claim(lease, 1)).started
    assert.ok(claimed)
    const results = ['a1', 'a2'].map((callId) => draft({ type: 'result', callId, output: '' }))
    await store.turns.record(claimed.turn, lease, step(results))
    await finish(store, claimed.turn)
    clock.now += 5
    const second = await turnAtApproval(store, { threadId })
    await store.turns.answer(ada, threadId, decide('a2', 'deny'))
    const found = async (query: { turnId?: string; callId?: string; since?: number; limit?: number }, user = ada) =>
      (await store.turns.answeredGates(user, { since: 0, limit: 9, ...query })).map(
        ({ turn, gate: { callId }, answer: { decision } }) =>
          `${turn.id === first.id ? 'first' : 'second'} ${callId} ${decision}`,
      )
    const all = ['second a2 deny', 'first a2 allow', 'first a1 allow']
    assert.deepEqual((await found({})).toSorted(), all.toSorted())
    assert.equal((await found({}))[0], 'second a2 deny', 'the latest first')
    assert.deepEqual((await found({ turnId: first.id })).toSorted(), all.slice(1).toSorted())
    assert.deepEqual(await found({ turnId: second.id }), all.slice(0, 1))
    assert.deepEqual(await found({ turnId: first.id, callId: 'a1' }), ['first a1 allow'])
    assert.deepEqual(await found({ turnId: second.id, callId: 'a1' }), [])
    assert.deepEqual(await found({ turnId: first.id, since: clock.now }), [])
    assert.deepEqual(await found({ turnId: first.id }, bob), [])
    assert.equal((await found({ limit: 2 })).length, 2)
    const [answered] = await store.turns.answeredGates(ada, { turnId: second.id, since: 0, limit: 9 })
    assert.deepEqual([answered?.at, answered?.answeredAt], [clock.now, clock.now])
    const earlier = await store.turns.answeredGates(ada, { turnId: first.id, callId: 'a2', since: 0, limit: 9 })
    assert.deepEqual(
      earlier.map(({ at }) => at),
      [askedAt],
      'each with the gate that it answered, also if a later call has the same id',
    )
  })

  test('the latest answers are listed, also if one turn alone has as many as the list', async (t) => {
    const { store, clock } = await open(t)
    const many = await turnAtApproval(store)
    const other = await turnAtApproval(store)
    for (const [turn, callId] of [
      [many, 'a1'],
      [other, 'a1'],
      [many, 'a2'],
    ] as const) {
      clock.now += 5
      await store.turns.answer(ada, turn.threadId, decide(callId))
    }
    const answered = await store.turns.answeredGates(ada, { since: 0, limit: 2 })
    assert.deepEqual(
      answered.map(({ turn }) => turn.id),
      [many.id, other.id],
    )
  })
}
