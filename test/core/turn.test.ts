// What a status means, and sums of usage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUsage, defaultSteps, maxSteps, noUsage, type Usage, usageSoFar } from '#core/turn.ts'
import { ended, isAtRest, type TurnStatus } from '#core/turn-status.ts'

const statuses: Readonly<Record<TurnStatus, readonly [over: boolean, rests: boolean]>> = {
  queued: [false, false],
  running: [false, false],
  waiting: [false, true],
  completed: [true, true],
  failed: [true, true],
  cancelled: [true, true],
}
for (const [status, expected] of Object.entries(statuses) as [TurnStatus, readonly boolean[]][]) {
  test(`a ${status} turn ${expected[0] ? 'has ended' : 'goes on'} and ${expected[1] ? 'rests' : 'does not rest'}`, () => {
    assert.deepEqual([ended(status), isAtRest(status)], expected)
  })
}

const one: Usage = { inputTokens: 1, cachedTokens: 20, outputTokens: 300, reasoningTokens: 4_000, costUsd: 0.5 }

test('usage adds up field by field; the later model is named', () => {
  const twice = { inputTokens: 2, cachedTokens: 40, outputTokens: 600, reasoningTokens: 8_000, costUsd: 1 }
  assert.deepEqual(addUsage(one, one), twice)
  assert.deepEqual(addUsage(noUsage, one), one)
  assert.deepEqual(addUsage({ ...one, model: 'a' }, one), { ...twice, model: 'a' })
  assert.deepEqual(addUsage({ ...one, model: 'a' }, { ...one, model: 'b' }), { ...twice, model: 'b' })
})

test('a cost that nobody knows makes the sum unknown, from either side', () => {
  const unknown = { ...one, costUsd: null }
  assert.deepEqual(
    [addUsage(one, unknown), addUsage(unknown, one), addUsage(unknown, unknown)].map(({ costUsd }) => costUsd),
    [null, null, null],
  )
})

test('what an unfinished turn costs is unknown until a model has answered', () => {
  const costs = (status: TurnStatus, usage: Usage) => usageSoFar({ status, usage }).costUsd
  assert.equal(costs('running', noUsage), null)
  assert.equal(costs('waiting', noUsage), null)
  assert.equal(costs('running', { ...one, model: 'm' }), 0.5)
  assert.equal(costs('cancelled', noUsage), 0)
})

test('a turn has 50 calls of a model, and 500 where the operator says so', () => {
  assert.deepEqual([defaultSteps, maxSteps], [50, 500])
})
