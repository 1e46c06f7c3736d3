// Turns as spans: made from the log of real turns, with and without what was said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { type ModelCall, noUsage, type Turn } from '#core/turn.ts'
import { entriesOf } from '#turns/turn-entries.ts'
import { spansOf } from '#turns/spans.ts'
import { ada } from '../store/harness.ts'
import { eventsOf, type House, message, openHouse } from './house.ts'

const providerOf = (): string => 'test'

async function settled(house: House, text: string): Promise<Turn> {
  const { turn, events } = await house.turns.start(message(text))
  await eventsOf(events)
  return (await house.turns.get(ada, turn.id)) ?? turn
}

async function spans(house: House, turn: Turn, content = false) {
  return spansOf(turn, await entriesOf(house.store, ada, turn), { content, providerOf })
}

test('a turn is a span, its model calls and its tools are spans within it', async (t) => {
  const house = openHouse(t, {
    reply: (_text, { items }) =>
      items.at(-1)?.type === 'result' ? ['all done'] : [{ name: 'read', args: '{"path":"hush"}' }],
  })
  const turn = await settled(house, 'a secret wish')
  const [root, ...inner] = await spans(house, turn)
  assert.ok(root)
  assert.deepEqual(
    inner.map(({ name, kind }) => [name, kind]),
    [
      ['chat test', 'client'],
      ['execute_tool read', 'internal'],
      ['chat test', 'client'],
    ],
  )
  assert.equal(root.name, 'invoke_agent atrium')
  assert.equal(root.parentId, undefined)
  assert.equal(root.traceId, turn.id.replaceAll('-', ''))
  assert.equal(root.attributes['gen_ai.conversation.id'], turn.threadId)
  assert.equal(root.attributes['atrium.door'], 'web')
  for (const each of inner) {
    assert.deepEqual([each.traceId, each.parentId], [root.traceId, root.spanId])
    assert.ok(each.startMs <= each.endMs)
    assert.equal(each.fault, undefined)
  }
  assert.equal(new Set([root, ...inner].map(({ spanId }) => spanId)).size, 4)
  assert.deepEqual(
    inner.map(({ attributes }) => attributes['gen_ai.response.finish_reasons']),
    [['tool_calls'], undefined, ['stop']],
  )
  assert.doesNotMatch(JSON.stringify([root, inner]), /secret wish|hush|all done/)
})

test('what was said stands in them where that is asked for, each text cut at its bound', async (t) => {
  const house = openHouse(t, { reply: () => ['x'.repeat(50_000)] })
  const turn = await settled(house, 'a secret wish')
  const [root, chat] = await spans(house, turn, true)
  assert.match(String(root?.attributes['gen_ai.input.messages']), /"role":"user".*a secret wish/)
  const said = String(chat?.attributes['gen_ai.output.messages'])
  assert.ok(said.startsWith('[{"role":"assistant","parts":[{"type":"text","content":"xxx') && said.length < 17_000)
})

test('a turn that failed, or was cancelled, says so with its code', async (t) => {
  const house = openHouse(t, {
    reply() {
      throw new Error('out of order')
    },
  })
  const turn = await settled(house, 'hi')
  const [root] = await spans(house, turn)
  assert.equal(turn.status, 'failed')
  assert.deepEqual([root?.fault, root?.attributes['error.type']], [turn.error?.code, turn.error?.code])
  const { error: _, ...rest } = turn
  assert.equal(
    spansOf({ ...rest, status: 'cancelled' }, [], { content: false, providerOf })[0]?.fault,
    'turn_cancelled',
  )
})

test('a tool that failed is a span with a fault; a call that was never run is none', async (t) => {
  const house = openHouse(t, {
    reply: (_text, { items }) => (items.at(-1)?.type === 'result' ? ['ok'] : [{ name: 'no_such_tool', args: '{}' }]),
  })
  const turn = await settled(house, 'hi')
  assert.deepEqual(
    (await spans(house, turn)).map(({ name }) => name),
    ['invoke_agent atrium', 'chat test', 'chat test'],
  )
})

/** A turn that waited for 500 ms and ran for two seconds. */
const turn: Turn = {
  id: '0198f0aa-0000-7000-8000-00000000000a',
  threadId: 'h',
  userId: ada,
  door: 'web',
  status: 'completed',
  options: {},
  createdAt: 1_000,
  startedAt: 1_500,
  endedAt: 3_500,
  usage: { ...noUsage, inputTokens: 10, outputTokens: 5, costUsd: 0.5, model: 'm' },
}
const asked: ModelCall = {
  model: 'm',
  usage: { inputTokens: 9, cachedTokens: 4, outputTokens: 3, reasoningTokens: 0, costUsd: 0.25 },
  ms: 400,
}
const log: readonly (readonly [item: Item, at: number, asked?: ModelCall])[] = [
  [textMessage('user', 'go'), 1_500],
  [textMessage('assistant', 'wait'), 2_000, asked],
  [{ type: 'call', callId: 'c', name: 'read', args: '{"a":1}' }, 2_000],
  [{ type: 'attempt', callId: 'c' }, 2_100],
  [{ type: 'result', callId: 'c', output: 'no', error: true }, 2_600],
  [textMessage('assistant', 'first'), 3_000, { ...asked, usage: { ...asked.usage, costUsd: null } }],
  [textMessage('assistant', 'second'), 3_500, asked],
]
const entries = log.map(
  ([item, at, call], index): Entry => ({
    seq: index + 1,
    id: `0198f0aa-0000-7000-8000-0000000000b${index}`,
    turnId: turn.id,
    at,
    item,
    ...(call && { asked: call }),
  }),
)

test('the span of a turn has its times, its tokens and its cost', () => {
  const [root] = spansOf(turn, entries, { content: false, providerOf: (model) => `of ${model}` })
  assert.deepEqual(root, {
    traceId: '0198f0aa00007000800000000000000a',
    spanId: '800000000000000a',
    name: 'invoke_agent atrium',
    kind: 'internal',
    startMs: 1_500,
    endMs: 3_500,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'atrium',
      'gen_ai.conversation.id': 'h',
      'gen_ai.provider.name': 'of m',
      'gen_ai.response.model': 'm',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'atrium.turn.id': turn.id,
      'atrium.door': 'web',
      'atrium.status': 'completed',
      'atrium.queued_ms': 500,
      'atrium.cost_usd': 0.5,
    },
  })
  const { startedAt: _, endedAt: __, ...queued } = turn
  const [bare] = spansOf({ ...queued, status: 'failed', usage: noUsage }, [], { content: false, providerOf })
  assert.deepEqual([bare?.startMs, bare?.endMs, bare?.fault], [1_000, 1_000, 'internal'])
  assert.equal('gen_ai.response.model' in (bare?.attributes ?? {}), false)
})

test('the spans of model calls and tools come in the order in which they began, with what was said on request', () => {
  const [root, ...inner] = spansOf(turn, entries, { content: true, providerOf })
  assert.equal(root?.attributes['gen_ai.input.messages'], messageText('user', 'go'))
  assert.equal(root.attributes['gen_ai.output.messages'], messageText('assistant', 'second'))
  const chat = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'test',
    'gen_ai.request.model': 'm',
    'gen_ai.response.model': 'm',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 9,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 4,
  }
  const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'read', arguments: '{"a":1}' }] }
  assert.deepEqual(
    inner.map(({ startMs, endMs, fault, attributes }) => [startMs, endMs, fault, attributes]),
    [
      [
        1_600,
        2_000,
        undefined,
        {
          ...chat,
          'gen_ai.response.finish_reasons': ['tool_calls'],
          'atrium.cost_usd': 0.25,
          'gen_ai.output.messages': `${messageText('assistant', 'wait').slice(0, -1)},${JSON.stringify(call)}]`,
        },
      ],
      [
        2_100,
        2_600,
        'tool_error',
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'read',
          'gen_ai.tool.call.id': 'c',
          'gen_ai.tool.type': 'function',
          'error.type': 'tool_error',
          'gen_ai.tool.call.arguments': '{"a":1}',
          'gen_ai.tool.call.result': 'no',
        },
      ],
      [2_600, 3_000, undefined, { ...chat, 'gen_ai.output.messages': messageText('assistant', 'first') }],
      [
        3_100,
        3_500,
        undefined,
        { ...chat, 'atrium.cost_usd': 0.25, 'gen_ai.output.messages': messageText('assistant', 'second') },
      ],
    ],
  )
})

function messageText(role: string, content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
}
