// Turns as spans: made from the log of real turns, with and without what was said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '#core/turn.ts'
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
