// Rows of missions and runs as values, and how much a mission counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missionOf, runOf, textValues } from '#store/mission-rows.ts'
import type { Row } from '#store/sql.ts'

const text = { title: 'News', prompt: 'Büro', schedule: '@daily', zone: 'UTC', missed: 'once' } as const

test('a mission counts the bytes of its texts and tools, and 500 for its row', () => {
  assert.deepEqual(textValues(text), ['News', 'Büro', '@daily', 'UTC', null, null, 'once', 4 + 5 + 500])
  const limited = { ...text, tools: ['time'], capUsd: 0.5 }
  assert.deepEqual(textValues(limited), ['News', 'Büro', '@daily', 'UTC', '["time"]', 0.5, 'once', 4 + 5 + 8 + 500])
})

const missionRow: Row = {
  id: 'm',
  user_id: 'ada',
  status: 'active',
  paused_because: null,
  ...text,
  begins_at: '1',
  next_at: null,
  tools: null,
  cap_usd: null,
  failures: '2',
  created_at: '3',
}
const mission = { id: 'm', userId: 'ada', status: 'active', ...text, from: 1, failures: 2, createdAt: 3 }

const missions: readonly (readonly [what: string, row: Row, has: object])[] = [
  ['nothing else', {}, {}],
  ['a reason for its pause', { paused_because: 'no' }, { pausedBecause: 'no' }],
  ['a next instant', { next_at: '9' }, { nextAt: 9 }],
  ['tools', { tools: '["time"]' }, { tools: ['time'] }],
  ['a cap', { cap_usd: '0.5' }, { capUsd: 0.5 }],
]
for (const [what, row, has] of missions) {
  test(`a mission with ${what}`, () => {
    assert.deepEqual(missionOf({ ...missionRow, ...row }), { ...mission, ...has })
  })
}

const runRow: Row = {
  id: 'r',
  mission_id: 'm',
  nominal_at: '1',
  started_at: null,
  ended_at: null,
  outcome: null,
  thread_id: null,
  turn_id: null,
  summary: null,
  origin: null,
  cost_usd: null,
  instants: null,
  by_hand: 0,
}
const run = { id: 'r', missionId: 'm', nominalAt: 1, costUsd: null }

const runs: readonly (readonly [what: string, row: Row, has: object])[] = [
  ['nothing else', {}, {}],
  ['a start', { started_at: '0' }, { startedAt: 0 }],
  ['an end', { ended_at: '5', outcome: 'ok' }, { endedAt: 5, outcome: 'ok' }],
  ['a turn', { thread_id: 'h', turn_id: 't' }, { threadId: 'h', turnId: 't' }],
  ['a summary of no words', { summary: '' }, { summary: '' }],
  ['an origin', { origin: 'o' }, { origin: 'o' }],
  ['a cost of nothing', { cost_usd: '0' }, { costUsd: 0 }],
  ['several instants', { instants: '7' }, { count: 7 }],
  ['a person behind it', { by_hand: '1' }, { byHand: true }],
]
for (const [what, row, has] of runs) {
  test(`a run with ${what}`, () => {
    assert.deepEqual(runOf({ ...runRow, ...row }), { ...run, ...has })
  })
}
