import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { outputOf, responseObject, wireStatus } from '#doors/responses/tell/output.ts'

const turn: Turn = {
  id: '00000000-0000-7000-8000-000000000001',
  threadId: '00000000-0000-7000-8000-000000000002',
  userId: userId('ann'),
  door: 'responses',
  status: 'completed',
  options: {},
  createdAt: 1_700_000_000_900,
  endedAt: 1_700_000_002_100,
  usage: noUsage,
}

function entries(...items: Item[]): Entry[] {
  return items.map((item, at) => ({
    seq: at + 1,
    id: `00000000-0000-7000-8000-00000000010${at}`,
    turnId: turn.id,
    at: 0,
    item,
  }))
}

const gate: Item = { type: 'gate', callId: 'call_1', kind: 'output', name: 'f', args: '{"a":1}', prompt: '' }

describe('output', () => {
  it('is made of assistant messages and open functions of the caller, nothing else', () => {
    const { output } = outputOf(
      turn,
      entries(
        textMessage('user', 'hi'),
        { type: 'reasoning', text: 'hm' },
        textMessage('assistant', 'Let me see.'),
        { type: 'call', callId: 'call_0', name: 'time', args: '{}' },
        { type: 'attempt', callId: 'call_0' },
        { type: 'result', callId: 'call_0', output: 'noon' },
        { type: 'call', callId: 'call_1', name: 'f', args: '{"a":1}' },
        gate,
      ),
    )
    const thread = '00000000000070008000000000000002'
    assert.deepEqual(
      output.map(({ id, type }) => [id, type]),
      [
        [`msg_00000000000070008000000000000102${thread}`, 'message'],
        [`fc_00000000000070008000000000000107${thread}`, 'function_call'],
      ],
    )
    assert.deepEqual(output[1], {
      id: output[1]?.id,
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'f',
      arguments: '{"a":1}',
    })
  })

  it('leaves out what the turn was given, however much that was', () => {
    const given = [textMessage('user', 'a'), textMessage('assistant', 'b'), textMessage('user', 'c')]
    const { output } = outputOf({ ...turn, options: { inputs: 3 } }, entries(...given, textMessage('assistant', 'd')))
    assert.equal(output.length, 1)
  })
})

describe('the response object', () => {
  const shown = (more: Partial<Turn>) => responseObject({ turn: { ...turn, ...more }, model: 'm', output: [] })

  for (const [status, wire] of [
    ['queued', 'in_progress'],
    ['running', 'in_progress'],
    ['waiting', 'failed'],
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
  ] as const) {
    it(`shows ${status} as ${wire}`, () => assert.equal(wireStatus({ ...turn, status }), wire))
  }

  it('counts time in seconds, and an end only where it was completed', () => {
    assert.equal(shown({}).created_at, 1_700_000_000)
    assert.equal(shown({}).completed_at, 1_700_000_002)
    assert.equal(shown({ status: 'cancelled' }).completed_at, null)
  })

  it('has an error with code, message, type and param exactly when it failed', () => {
    assert.equal(shown({}).error, null)
    assert.equal(shown({ status: 'cancelled' }).error, null)
    assert.deepEqual(shown({ status: 'failed', error: { code: 'model_timeout', message: 'too late' } }).error, {
      code: 'model_timeout',
      message: 'too late',
      type: 'server_error',
      param: null,
    })
  })

  for (const [code, type, param] of [
    ['model_timeout', 'server_error', null],
    ['model_rate_limited', 'rate_limit_error', null],
    ['gate_required', 'invalid_request_error', null],
    ['previous_response_not_found', 'invalid_request_error', 'previous_response_id'],
  ] as const) {
    it(`tells ${code} as ${type}`, () => {
      const { error } = shown({ status: 'failed', error: { code, message: 'm' } })
      assert.deepEqual(error, { code, message: 'm', type, param })
    })
  }

  it('repeats what the request sent', () => {
    const schema = { type: 'object' }
    const echo = { previous: 'resp_1', instructions: 'Be kind.', metadata: { a: 'b' }, conversation: true } as const
    const body = shown({
      options: {
        temperature: 0,
        sampling: { maxTokens: 9 },
        format: { name: 'f', schema, strict: false },
        echo: { ...echo, store: false, background: true },
      },
    })
    assert.deepEqual(
      [body.previous_response_id, body.instructions, body.metadata, body.store, body.background],
      ['resp_1', 'Be kind.', { a: 'b' }, false, true],
    )
    assert.deepEqual([body.temperature, body.max_output_tokens], [0, 9])
    assert.deepEqual(body.conversation, { id: 'conv_00000000-0000-7000-8000-000000000002' })
    assert.deepEqual(body.text, {
      format: { type: 'json_schema', name: 'f', description: null, schema, strict: false },
    })
    assert.deepEqual(shown({ options: { json: true } }).text, { format: { type: 'json_object' } })
    const plain = shown({})
    assert.deepEqual(
      [plain.text, plain.store, plain.background, plain.temperature, plain.max_output_tokens, 'conversation' in plain],
      [{ format: { type: 'text' } }, true, false, 1, null, false],
    )
  })

  it('tells the usage of a turn once it rests', () => {
    assert.equal(shown({ status: 'running' }).usage, null)
    assert.equal(shown({ usage: { ...noUsage, inputTokens: 3 } }).usage?.input_tokens, 3)
  })

  it('tells where to resolve what a turn waits for', () => {
    const waiting = { ...turn, status: 'waiting' as const }
    for (const [kind, words] of [
      ['approval', /an approval for rm/],
      ['credential', /a sign-in for rm/],
      ['input', /an answer for rm/],
    ] as const) {
      const { error } = responseObject({
        turn: waiting,
        model: 'm',
        output: [],
        gate: { type: 'gate', callId: 'c', kind, name: 'rm', args: '{}', prompt: '' },
      })
      assert.equal(error?.code, 'gate_required')
      assert.match(error.message, words)
      assert.match(error.message, /web UI/)
    }
  })

  it('echoes tools with every key, null where absent', () => {
    assert.deepEqual(shown({ options: { tools: [{ name: 'f', description: '', parameters: {} }] } }).tools, [
      { type: 'function', name: 'f', description: null, parameters: null, strict: null },
    ])
  })

  it('shows a turn of another door, which has no echo', () => {
    const body = shown({ door: 'web', options: { echo: 'something else' } })
    assert.equal(body.previous_response_id, null)
    assert.deepEqual(body.metadata, {})
  })
})
