// Turns, threads and items as the JSON of the gateway.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { senderPrefix } from '#core/doors.ts'
import { userId } from '#core/ids.ts'
import { type Item, textMessage } from '#core/item.ts'
import { noUsage, type Thread, type Turn } from '#core/turn.ts'
import {
  faultWire,
  itemWire,
  jobWire,
  queuedWire,
  replyText,
  senderOf,
  threadWire,
  turnFrame,
} from '#doors/web/wire.ts'
import { usageWire } from '#http/wire-format.ts'

const ann = userId('ann')
const usage = { ...noUsage, model: 'm', inputTokens: 3, outputTokens: 2, costUsd: 0.25 }
const turn: Turn = {
  id: 't1',
  threadId: 'h1',
  userId: ann,
  door: 'web',
  status: 'running',
  options: {},
  createdAt: 0,
  startedAt: 1,
  usage,
}
const job = {
  id: 't1',
  thread_id: 'h1',
  door: 'web',
  status: 'running',
  created_at: '1970-01-01T00:00:00.000Z',
  completed_at: null,
  usage: usageWire(usage),
}

describe('a job', () => {
  it('has its response, and says when that is only a beginning', () => {
    assert.deepEqual(jobWire(turn, undefined), job)
    assert.deepEqual(jobWire(turn, { text: '', cut: false }), { ...job, response: '' })
    assert.deepEqual(jobWire(turn, { text: 'Hel', cut: true }), { ...job, response: 'Hel', response_cut: true })
  })

  it('has the time of its end, also at the first moment, and its error', () => {
    const error = { code: 'model_timeout', message: 'late' } as const
    assert.deepEqual(jobWire({ ...turn, status: 'failed', endedAt: 0, error }, undefined), {
      ...job,
      status: 'failed',
      completed_at: '1970-01-01T00:00:00.000Z',
      error,
    })
    assert.deepEqual(turnFrame(turn), { type: 'turn', turn_id: 't1', ...job })
  })
})

it('the cost of a job is unknown until a model has answered', () => {
  const { model: _, ...unasked } = usage
  assert.equal(jobWire({ ...turn, usage: unasked }, undefined).usage.cost_usd, null)
})

describe('an error', () => {
  const spend = { kind: 'spend_per_day', maxUsd: 1, spentUsd: 0.9, nextUsd: 0.2 } as const
  const wire = { kind: 'spend_per_day', max_usd: 1, spent_usd: 0.9, next_usd: 0.2 }
  for (const [limit, told] of [
    [
      { kind: 'steps', max: 3 },
      { kind: 'steps', max: 3 },
    ],
    [
      { kind: 'same_call', max: 3, tool: 'time' },
      { kind: 'same_call', max: 3, tool: 'time' },
    ],
    [spend, wire],
    [
      { ...spend, heldUsd: 0 },
      { ...wire, held_usd: 0 },
    ],
  ] as const) {
    it(`tells the limit ${JSON.stringify(limit)}`, () => {
      const error = { code: 'spend_limit', message: 'm' } as const
      assert.deepEqual(faultWire({ ...error, limit }), { ...error, limit: told })
      assert.deepEqual(faultWire(error), error)
    })
  }
})

describe('a thread', () => {
  const thread: Thread = {
    id: 'h1',
    userId: ann,
    door: 'web',
    title: 'Plans',
    createdAt: 0,
    updatedAt: 1,
    lastSeq: 4,
    state: 'idle',
  }
  const wire = {
    id: 'h1',
    title: 'Plans',
    door: 'web',
    created_at: '1970-01-01T00:00:00.000Z',
    updated_at: '1970-01-01T00:00:00.001Z',
    last_seq: 4,
    state: 'idle',
  }
  it('has its place and its model only where it has one', () => {
    assert.deepEqual(threadWire(thread), wire)
    const more = { model: 'm', pinned: true, archived: true, family: 'h0', hidden: true } as const
    for (const [name, value] of Object.entries(more)) {
      assert.deepEqual(threadWire({ ...thread, [name]: value }), { ...wire, [name]: value })
    }
  })
  it('keeps to itself what API clients attach to it', () => {
    assert.deepEqual(threadWire({ ...thread, openCall: 'c', metadata: { a: 'b' }, temporary: true }), wire)
  })
})

describe('a sender', () => {
  it('is told to others than itself, without the prefix of its door', () => {
    assert.deepEqual(senderOf({ userId: ann }, ann), {})
    assert.deepEqual(senderOf({ userId: ann }, userId('bob')), { sender: 'ann' })
    assert.deepEqual(senderOf({ userId: userId(`${senderPrefix('webhook')}eve`) }, ann), { sender: 'eve' })
  })
})

describe('an item', () => {
  const call = { type: 'call', callId: 'c', name: 'f' } as const
  const wire = { type: 'call', call_id: 'c', name: 'f' }
  const answer = { type: 'answer', callId: 'c', by: 'ann' } as const
  const answered = { type: 'answer', call_id: 'c', by: 'ann' }
  for (const [what, item, body] of [
    [
      'a message',
      textMessage('user', 'hi'),
      { type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    [
      'a cut message',
      { ...textMessage('assistant', 'a'), cut: true },
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }], cut: true },
    ],
    [
      'reasoning, without its signature',
      { type: 'reasoning', text: 'hm', seal: 's' },
      { type: 'reasoning', text: 'hm' },
    ],
    ['a call, without its signature', { ...call, args: '{"a":1}', seal: 's' }, { ...wire, args: { a: 1 } }],
    ['a call whose arguments are no object', { ...call, args: '[1' }, { ...wire, args: '[1' }],
    ['an attempt', { type: 'attempt', callId: 'c' }, { type: 'attempt', call_id: 'c' }],
    [
      'a result, without hosts and secrets',
      { type: 'result', callId: 'c', output: 'x', hosts: ['h'], secrets: ['k'] },
      { type: 'result', call_id: 'c', output: 'x' },
    ],
    [
      'an error from outside',
      { type: 'result', callId: 'c', output: 'x', error: true, origin: 'a page' },
      { type: 'result', call_id: 'c', output: 'x', error: true, origin: 'a page' },
    ],
    ['an answer', { ...answer, decision: 'allow' }, { ...answered, decision: 'allow' }],
    [
      'an answer with an empty output, without what was entered',
      { ...answer, decision: 'output', output: '', values: { a: 'b' } },
      { ...answered, decision: 'output', output: '' },
    ],
    [
      'an answer that lasts',
      { ...answer, decision: 'allow', scope: 'tool', until: 0 },
      { ...answered, decision: 'allow', scope: 'tool', until: '1970-01-01T00:00:00.000Z' },
    ],
    ['a summary', { type: 'summary', text: 's', upTo: 4, origin: 'a page' }, { type: 'summary', text: 's', up_to: 4 }],
  ] satisfies [string, Item, object][]) {
    it(`is told as ${what}`, () => {
      const head = { id: 'i', turn_id: 't1', at: '1970-01-01T00:00:00.007Z' }
      const entry = { id: 'i', turnId: 't1', at: 7, item }
      assert.deepEqual(queuedWire(entry), { ...head, ...body })
      assert.deepEqual(itemWire({ ...entry, seq: 3 }), { seq: 3, ...head, ...body })
    })
  }

  it('is in the reply when it is in the last response of the model', () => {
    const entries = (...items: Item[]) => items.map((item, at) => ({ id: `${at}`, seq: at, turnId: 't1', at: 0, item }))
    assert.equal(replyText(entries(textMessage('user', 'hi'))), null)
    assert.equal(
      replyText(entries(textMessage('assistant', 'a'), textMessage('user', 'more'), textMessage('assistant', 'b'))),
      'b',
    )
  })
})
