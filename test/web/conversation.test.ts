// From items to what a reader sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#doors/web/wire/thread.ts'
import { briefArgs, createViewer, firstSentence, viewTurn } from '../../web/lib/conversation.ts'

let count = 0
function item(body: object, turn = 't1', at = 0): Item {
  const seq = ++count
  return { seq, id: `i${seq}`, turn_id: turn, at: new Date(at).toISOString(), ...body } as unknown as Item
}
const user = (text: string, turn?: string) =>
  item({ type: 'message', role: 'user', content: [{ type: 'text', text }] }, turn)
const said = (text: string, turn?: string) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'text', text }] }, turn)
const call = (id: string, at = 0) => item({ type: 'call', call_id: id, name: 'calculate', args: {} }, 't1', at)

test('calls in a row stand together; their states and times come from what followed', () => {
  const { blocks } = viewTurn([
    user('go'),
    call('a', 0),
    call('b', 0),
    call('c', 0),
    call('d', 0),
    item({ type: 'attempt', call_id: 'a' }, 't1', 1_000),
    item({ type: 'result', call_id: 'a', output: '1' }, 't1', 3_000),
    item({ type: 'result', call_id: 'b', output: 'no', error: true }, 't1', 500),
    item({ type: 'gate', call_id: 'c', kind: 'approval', name: 'calculate', args: {}, prompt: '' }),
    item({ type: 'answer', call_id: 'c', decision: 'deny', by: 'ada' }),
    item({ type: 'result', call_id: 'c', output: 'not allowed', error: true }),
    said('done'),
  ])
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['calls', 'gate', 'text'],
  )
  assert(blocks[0]?.type === 'calls')
  assert.deepEqual(
    blocks[0].calls.map(({ id, state, ms }) => [id, state, ms]),
    [
      ['a', 'done', 2_000],
      ['b', 'failed', 500],
      ['c', 'denied', 0],
      ['d', 'running', undefined],
    ],
  )
})

test('a call at an open gate waits; a caller’s function shows no card', () => {
  const gate = (kind: string) => item({ type: 'gate', call_id: 'a', kind, name: 'x', args: {}, prompt: '' })
  const { blocks } = viewTurn([user('go'), call('a'), gate('output')])
  assert.deepEqual(
    blocks.map((block) => (block.type === 'calls' ? block.calls[0]?.state : block.type)),
    ['waiting'],
  )
})

test('a turn that has not changed is the same object, one that has is another', () => {
  const view = createViewer()
  const items = [user('one', 't1'), said('1', 't1'), user('two', 't2')]
  const [first, second] = view(items)
  const [same, grown] = view([...items, said('2', 't2')])
  assert.equal(same, first)
  assert.notEqual(grown, second)
  assert.deepEqual([grown?.last, grown?.blocks.length], [true, 1])
})

test('a history that came in one turn reads as one: a view for each message of a person, the last is the turn’s end', () => {
  const views = createViewer()([user('a'), said('b'), user('c'), user('d'), said('e')])
  assert.deepEqual(
    views.map(({ message, blocks, last }) => [message?.content[0], blocks.length, last]),
    [
      [{ type: 'text', text: 'a' }, 1, false],
      [{ type: 'text', text: 'c' }, 0, false],
      [{ type: 'text', text: 'd' }, 1, true],
    ],
  )
  assert.equal(new Set(views.map(({ key }) => key)).size, 3)
})

test('the telling argument of a call, in brief', () => {
  assert.equal(briefArgs({ method: 'POST', url: 'https://a.b/c?d=1' }), 'POST a.b/c?d=1')
  assert.equal(briefArgs({ query: 'coupons' }), '“coupons”')
  assert.equal(briefArgs({ n: 1, deep: { a: [2] } }), 'n: 1, deep: {"a":[2]}')
  assert.equal(briefArgs('raw text'), 'raw text')
  assert.equal(briefArgs(null), '')
})

test('what is read out of a reply is its first sentence, without marks', () => {
  assert.equal(firstSentence('**One route** is `slower`. The others are not.'), 'One route is slower .')
  assert.equal(firstSentence('x'.repeat(500)).length, 240)
})
