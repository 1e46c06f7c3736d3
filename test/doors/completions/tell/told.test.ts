// What a client is told of a turn: texts, calls, progress, why it ended, and its faults.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Entry, type Gate, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createProgress } from '#doors/completions/tell/progress.ts'
import {
  completionId,
  completionObject,
  faultOf,
  finishReason,
  joinText,
  statusOfFault,
  toldOf,
} from '#doors/completions/tell/told.ts'

const turn: Turn = {
  id: 'turn',
  threadId: 'thread',
  userId: userId('ada'),
  door: 'completions',
  status: 'completed',
  options: {},
  createdAt: 0,
  usage: { ...noUsage, inputTokens: 3, cachedTokens: 1, outputTokens: 2, reasoningTokens: 1 },
}
const entries = (...items: readonly Item[]): Entry[] =>
  items.map((item, at) => ({ id: String(at), seq: at + 1, turnId: 'turn', at: 0, item }))
const says = (text: string, more: object = {}): Item => ({ ...textMessage('assistant', text), ...more })
const asked = textMessage('user', 'hi')
const gate = (kind: Gate['kind'], callId = 'c'): Gate => ({
  type: 'gate',
  callId,
  kind,
  name: 'f',
  args: '{}',
  prompt: 'Run f?',
})

test('the messages of an answer are paragraphs, and the input is none of them', () => {
  assert.equal(toldOf(turn, entries(asked, says('one'), says(''), says('two'))).content, 'one\n\ntwo')
  assert.equal(toldOf(turn, entries(says('an input'), says('one'))).content, 'one')
  assert.equal(toldOf({ ...turn, options: { inputs: 2 } }, entries(asked, says('old'), says('new'))).content, 'new')
  assert.deepEqual([joinText('', 'a'), joinText('a', ''), joinText('a', 'b')], ['a', 'a', 'a\n\nb'])
})

test('an open call of the caller is told, and approvals that nobody answered', () => {
  const told = toldOf(turn, entries(asked, gate('approval', 'a'), gate('credential', 'b'), gate('output', 'c')))
  assert.deepEqual([told.call?.callId, told.gates.map(({ callId }) => callId)], ['c', ['a', 'b']])
  const closed = toldOf(
    turn,
    entries(
      asked,
      gate('approval', 'a'),
      gate('approval', 'b'),
      { type: 'answer', callId: 'a', decision: 'allow', by: 'ada' },
      { type: 'result', callId: 'b', output: 'x' },
    ),
  )
  assert.deepEqual([closed.call, closed.gates], [undefined, []])
})

test('why it ended: a filter, a call, a limit, or the end', () => {
  const call = gate('output')
  const filtered: Turn = { ...turn, status: 'failed', error: { code: 'model_filtered', message: 'withheld' } }
  const failed: Turn = { ...turn, status: 'failed', error: { code: 'model_failed', message: 'broke' } }
  assert.deepEqual(
    [
      finishReason(filtered, { call, cut: true }),
      finishReason(turn, { call, cut: true }),
      finishReason(turn, { cut: true }),
      finishReason(turn, { cut: false }),
      finishReason(failed, { cut: false }),
    ],
    ['content_filter', 'tool_calls', 'length', 'stop', 'stop'],
  )
  const cutOf = (...items: readonly Item[]) => toldOf(turn, entries(asked, ...items)).cut
  assert.deepEqual(
    [cutOf(says('a', { cut: true })), cutOf(says('a', { cut: true }), says('b')), cutOf(says('a'))],
    [true, false, false],
  )
})

const faults: readonly (readonly [of: Partial<Turn>, code: string | undefined, status?: number])[] = [
  [{ status: 'completed' }, undefined],
  [{ status: 'waiting' }, undefined],
  [{ status: 'cancelled' }, 'turn_cancelled', 502],
  [{ status: 'failed', error: { code: 'model_filtered', message: 'x' } }, undefined],
  [{ status: 'failed', error: { code: 'model_failed', message: 'x' } }, 'model_failed', 502],
  [{ status: 'failed', error: { code: 'turn_timeout', message: 'x' } }, 'turn_timeout', 504],
  [{ status: 'failed' }, 'internal', 502],
]

for (const [of, code, status] of faults) {
  test(`a turn ${JSON.stringify(of)} is ${code ? `the fault ${code}, ${status}` : 'an answer'}`, () => {
    const fault = faultOf({ ...turn, ...of })
    assert.deepEqual([fault?.code, fault && statusOfFault(fault)], [code, status])
  })
}

test('the whole answer as an object', () => {
  const state = { id: completionId('01890000-0000-7000-8000-000000000001'), createdAt: 1_999, model: 'm' }
  const object = (told: { content: string; reasoning: string; call?: Gate }) =>
    completionObject({ ...state, told, finish: 'stop', usage: turn.usage })
  assert.deepEqual(object({ content: 'Hello', reasoning: '' }), {
    id: 'chatcmpl-01890000000070008000000000000001',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 3,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 5,
      cost_usd: 0,
    },
  })
  const message = (told: Parameters<typeof object>[0]) => object(told).choices[0]?.message
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
  assert.deepEqual(message({ content: '', reasoning: 'Hm.', call: gate('output') }), {
    role: 'assistant',
    reasoning_content: 'Hm.',
    content: null,
    refusal: null,
    tool_calls,
  })
  assert.equal(message({ content: '', reasoning: '' })?.content, '')
  assert.equal(message({ content: 'So:', reasoning: '', call: gate('output') })?.content, 'So:')
})

const call = (name: string, args: string): Item => ({ type: 'call', callId: 'c', name, args })
const result = (error = false): Item => ({ type: 'result', callId: 'c', output: 'x', ...(error && { error: true }) })
const progress: readonly (readonly [what: string, items: readonly Item[], told: string])[] = [
  ['reasoning is a line', [{ type: 'reasoning', text: ' Hm. ' }], 'Hm.\n'],
  ['white is none', [{ type: 'reasoning', text: ' \n' }], ''],
  ['a call alone says nothing', [call('time', '{}')], ''],
  ['a call that is done', [call('time', '{}'), result()], 'time: done\n'],
  ['one that failed', [call('time', '{}'), result(true)], 'time: failed\n'],
  ['its values, in one line', [call('add', '{"a":1,"b":"two\\n three"}'), result()], 'add 1 two three: done\n'],
  ['values that are no JSON', [call('add', 'x'), result()], 'add: done\n'],
  ['a result without its call', [result()], ''],
  ['120 characters', [call('say', `{"a":"${'x'.repeat(120)}"}`), result()], `say ${'x'.repeat(120)}: done\n`],
  ['121 characters', [call('say', `{"a":"${'x'.repeat(121)}"}`), result()], `say ${'x'.repeat(119)}…: done\n`],
  ['messages are none', [asked, says('one')], ''],
]

for (const [what, items, told] of progress) {
  test(`progress: ${what}`, () => {
    const lines = createProgress()
    assert.equal(items.map((item) => lines.textOf(item)).join(''), told)
  })
}
