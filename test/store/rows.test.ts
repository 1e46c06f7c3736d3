// Rows of the database as values: what is left out, what is read as which state, and what PostgreSQL returns as text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countsOf,
  entriesOf,
  entryOf,
  inputIn,
  itemOf,
  listedTurnOf,
  optionsText,
  recordedEntryOf,
  storedStatus,
  threadOf,
  turnOf,
  usageIn,
} from '#store/rows.ts'
import type { Row } from '#store/sql.ts'

const threadRow: Row = {
  id: 'h',
  user_id: 'ada',
  door: 'web',
  title: 'A title',
  created_at: '1',
  updated_at: '2',
  last_seq: '3',
  status: null,
  model: null,
  open_call: null,
  temporary: 0,
  pinned_at: null,
  archived: 0,
  family: null,
  forked_from: null,
  forked_at: null,
  metadata: null,
}
const thread = { id: 'h', userId: 'ada', door: 'web', title: 'A title', createdAt: 1, updatedAt: 2, lastSeq: 3 }

const threads: readonly [column: string, row: Row, has: object][] = [
  ['nothing else', {}, {}],
  ['a model', { model: 'm' }, { model: 'm' }],
  ['an open call', { open_call: 'c' }, { openCall: 'c' }],
  ['temporary as a number', { temporary: 1 }, { temporary: true }],
  ['temporary as a text', { temporary: '1' }, { temporary: true }],
  ['a time of pinning', { pinned_at: '5' }, { pinned: true }],
  ['the archive', { archived: '1' }, { archived: true }],
  ['a hidden variant', { archived: '2' }, { hidden: true }],
  ['a family', { family: 'f' }, { family: 'f' }],
  ['an origin', { forked_from: 'o', forked_at: '4' }, { forkedFrom: { threadId: 'o', beforeSeq: 4 } }],
  ['metadata', { metadata: '{"a":"b"}' }, { metadata: { a: 'b' } }],
]
for (const [column, row, has] of threads) {
  test(`a thread with ${column}`, () => {
    assert.deepEqual(threadOf({ ...threadRow, ...row }), { ...thread, state: 'idle', ...has })
  })
}

const states = { queued: 'running', running: 'running', waiting: 'waiting', done: 'idle', cancelled: 'idle' }
for (const [status, state] of Object.entries({ ...states, failed: 'failed', interrupted: 'interrupted' })) {
  test(`a thread whose turn is ${status} is ${state}`, () => {
    assert.equal(threadOf({ ...threadRow, status }).state, state)
  })
}

const turnRow: Row = {
  id: 't',
  thread_id: 'h',
  user_id: 'ada',
  door: 'web',
  status: 'done',
  created_at: '1',
  started_at: null,
  ended_at: null,
  answered_at: null,
  first_seq: null,
  last_seq: null,
  input_tokens: '2',
  cached_tokens: '3',
  output_tokens: '4',
  reasoning_tokens: '5',
  cost_usd: null,
  model: null,
  error: null,
  options: null,
}
const usage = { inputTokens: 2, cachedTokens: 3, outputTokens: 4, reasoningTokens: 5, costUsd: null }
const turn = { id: 't', threadId: 'h', userId: 'ada', door: 'web', status: 'completed', createdAt: 1, usage }

const turns: readonly [column: string, row: Row, has: object][] = [
  ['nothing else', {}, {}],
  ['a beginning', { started_at: '6' }, { startedAt: 6 }],
  ['an end', { ended_at: '7' }, { endedAt: 7 }],
  ['an answer', { answered_at: '8' }, { answeredAt: 8 }],
  ['its items', { first_seq: '1', last_seq: '9' }, { firstSeq: 1, lastSeq: 9 }],
  ['a model and a cost', { model: 'm', cost_usd: '0.5' }, { usage: { ...usage, model: 'm', costUsd: 0.5 } }],
  ['a cost of nothing', { cost_usd: 0 }, { usage: { ...usage, costUsd: 0 } }],
  [
    'an error',
    { status: 'failed', error: '{"code":"x","message":"y"}' },
    { status: 'failed', error: { code: 'x', message: 'y' } },
  ],
]
for (const [column, row, has] of turns) {
  test(`a turn with ${column}`, () => {
    assert.deepEqual(listedTurnOf({ ...turnRow, ...row }), { ...turn, ...has })
    assert.deepEqual(turnOf({ ...turnRow, ...row }), { ...turn, ...has, options: {} })
  })
}

test('options are stored where there are any', () => {
  assert.equal(optionsText({}), null)
  const options = { model: 'm' }
  const stored = optionsText(options)
  assert.deepEqual(turnOf({ ...turnRow, options: stored }).options, options)
})

test('only completed has another word in the database', () => {
  assert.deepEqual((['completed', 'queued', 'failed', 'cancelled'] as const).map(storedStatus), [
    'done',
    'queued',
    'failed',
    'cancelled',
  ])
})

test('the counts of usage are in the order of their columns', () => {
  assert.deepEqual(countsOf(usageIn(turnRow)), [2, 3, 4, 5, null])
})

const message = { type: 'message', role: 'user', content: [{ type: 'text', text: 'hello' }] } as const
/** As versions before origins stored what a tool returned, and as it is read today. */
const old = { type: 'result', callId: 'c', output: '<untrusted-content from="x">\nbody\n</untrusted-content>' } as const
const read = { ...old, output: 'body', origin: 'a tool' }

test('an entry has what was asked of the model where that is stored', () => {
  const row = { seq: '1', id: 'i', turn_id: 't', at: '2', body: JSON.stringify(message), asked: null }
  const entry = { seq: 1, id: 'i', turnId: 't', at: 2, item: message }
  assert.deepEqual(entryOf(row), entry)
  assert.deepEqual(recordedEntryOf({ ...row, asked: '{"model":"m"}' }), { ...entry, asked: { model: 'm' } })
  assert.deepEqual(itemOf(row), message)
})

test('a fence of earlier versions is taken off, except in what was recorded', () => {
  const row = { seq: 1, id: 'i', turn_id: 't', at: 2, body: JSON.stringify(old), asked: null }
  assert.deepEqual(recordedEntryOf(row).item, old)
  assert.deepEqual([entryOf(row).item, itemOf(row)], [read, read])
  assert.deepEqual(inputIn(JSON.stringify([{ id: 'a', item: old }])), [{ id: 'a', item: read }])
})

test('drafts follow the last item, and an input of none is empty', () => {
  const drafts = [
    { id: 'a', item: message },
    { id: 'b', item: message },
  ]
  assert.deepEqual(
    entriesOf(drafts, 't', 7, 9).map(({ id, seq, turnId, at }) => [id, seq, turnId, at]),
    [
      ['a', 8, 't', 9],
      ['b', 9, 't', 9],
    ],
  )
  assert.deepEqual(inputIn(JSON.stringify(drafts)), drafts)
  for (const none of [null, undefined, '']) assert.deepEqual(inputIn(none), [])
})
