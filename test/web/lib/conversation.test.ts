// From items to what a reader sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '#doors/web/wire/thread.ts'
import { briefArgs, createViewer, firstSentence, ownTextOf, textOf, viewTurn } from '../../../web/lib/conversation.ts'

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

test('a caller’s function is done with the output that the next turn brings', () => {
  const view = createViewer()
  const asked = [
    user('go'),
    call('a'),
    item({ type: 'gate', call_id: 'a', kind: 'output', name: 'x', args: {}, prompt: '' }),
  ]
  const stateIn = (items: readonly Item[]) => {
    const [block] = view(items)[0]?.blocks ?? []
    return block?.type === 'calls' ? block.calls[0]?.state : undefined
  }
  assert.equal(stateIn(asked), 'waiting')
  const answer = item({ type: 'answer', call_id: 'a', decision: 'output', output: 'sunny', by: 'ada' }, 't2')
  assert.equal(stateIn([...asked, answer, said('It is sunny.', 't2')]), 'done')
})

test('each gate of a call has its own answer; a call that went on after a declined form is not denied', () => {
  const gate = (kind: string) => item({ type: 'gate', call_id: 'a', kind, name: 'x', args: {}, prompt: '' })
  const answer = (decision: string) => item({ type: 'answer', call_id: 'a', decision, by: 'ada' })
  const asked = [user('go'), call('a'), gate('approval'), answer('allow'), gate('input')]
  const decisions = (items: readonly Item[]) =>
    viewTurn(items).blocks.flatMap((block) => (block.type === 'gate' ? [block.answer?.decision] : []))
  assert.deepEqual(decisions(asked), ['allow', undefined])
  const ended = [...asked, answer('deny'), item({ type: 'result', call_id: 'a', output: 'fine' })]
  assert.deepEqual(decisions(ended), ['allow', 'deny'])
  const [calls] = viewTurn(ended).blocks
  assert.equal(calls?.type === 'calls' && calls.calls[0]?.state, 'done')
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

const answer = (decision: string, more: object = {}) =>
  item({ type: 'answer', call_id: 'a', decision, by: 'ada', ...more })
const approval = () => item({ type: 'gate', call_id: 'a', kind: 'approval', name: 'x', args: {}, prompt: '' })
const ended = (more: object, at = 5_000) => item({ type: 'result', call_id: 'a', output: 'out', ...more }, 't1', at)
const other = (type: string) =>
  item({ type, call_id: 'b', kind: 'approval', decision: 'deny', output: '' }, 't1', 7_000)

/** The one call of a turn. */
function viewOne(...items: readonly Item[]) {
  const { blocks } = viewTurn([user('go'), call('a', 1_000), ...items])
  const block = blocks.find(({ type }) => type === 'calls')
  assert(block?.type === 'calls')
  return block.calls[0]
}

test('a call tells what became of it, by what happened to it alone', () => {
  const base = { id: 'a', name: 'calculate', args: {} }
  const attempt = item({ type: 'attempt', call_id: 'a' }, 't1', 2_000)
  const since = (ms: number) => new Date(ms).toISOString()
  const others = ['attempt', 'gate', 'answer', 'result'].map(other)
  assert.deepEqual(viewOne(...others), { ...base, state: 'running', since: since(1_000) })
  assert.deepEqual(viewOne(attempt), { ...base, state: 'running', since: since(2_000) })
  assert.deepEqual(viewOne(approval()), { ...base, state: 'waiting' })
  assert.deepEqual(viewOne(approval(), answer('deny')), { ...base, state: 'denied' })
  assert.deepEqual(viewOne(approval(), answer('allow'), attempt), { ...base, state: 'running', since: since(2_000) })
  assert.deepEqual(viewOne(answer('output', { output: 'given' })), { ...base, state: 'done', output: 'given' })
  assert.deepEqual(viewOne(answer('output')), { ...base, state: 'done', output: '' })
  assert.deepEqual(viewOne(attempt, ended({})), { ...base, state: 'done', ms: 3_000, output: 'out' })
  const outside = { ...base, state: 'failed', ms: 4_000, output: 'out', origin: 'https://x' }
  assert.deepEqual(viewOne(ended({ error: true, origin: 'https://x' })), outside)
})

test('gates stand with their answers, summaries with their words; an empty text shows nothing, a cut one says so', () => {
  const gate = approval()
  const denied = answer('deny')
  const reply = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'half' }] }
  const whole = item(reply)
  const cut = item({ ...reply, cut: true })
  const summary = item({ type: 'summary', text: 'in short', up_to: 1 })
  const silent = ['reasoning', 'attempt'].map((type) => item({ type, text: ' ' }))
  const first = user('go', 't9')
  const { blocks, message, id, key } = viewTurn([first, gate, said(''), ...silent, whole, cut, summary, denied])
  assert.deepEqual(blocks, [
    { type: 'gate', id: gate.id, gate, answer: denied },
    { type: 'text', id: whole.id, text: 'half', cut: false },
    { type: 'text', id: cut.id, text: 'half', cut: true },
    { type: 'summary', id: summary.id, text: 'in short' },
  ])
  assert.deepEqual([textOf(message ?? { content: [] }), id, key], ['go', 't9', first.id])
  assert.deepEqual(viewTurn([]), { key: '', id: '', seq: 0, last: true, message: undefined, lastAt: '', blocks: [] })
})

test('calls in a row stand together behind what was said before them', () => {
  const { blocks } = viewTurn([user('go'), said('first'), call('a'), call('b'), said('then'), call('c')])
  assert.deepEqual(
    blocks.map((block) => (block.type === 'calls' ? block.calls.map(({ id }) => id) : block.type)),
    ['text', ['a', 'b'], 'text', ['c']],
  )
})

test('items of another turn begin another view', () => {
  const view = createViewer()
  const items = [user('one', 't1'), said('1', 't1'), said('2', 't2'), said('3', 't2')]
  const views = view(items)
  assert.deepEqual(
    views.map(({ id, last, blocks }) => [id, last, blocks.length]),
    [
      ['t1', true, 1],
      ['t2', true, 2],
    ],
  )
  const [, more] = view([...items, user('again', 't2')])
  assert.equal(more?.last, false, 'a view that is no longer the last of its turn is another')
  assert.notEqual(more, views[1])
})

test('texts are joined; what others wrote in a message is not the sender’s own', () => {
  const content = [
    { type: 'text' as const, text: 'mine, ' },
    { type: 'file' as const, name: 'a', text: 'in a file' },
    { type: 'text' as const, text: 'theirs', origin: 'webhook' },
  ]
  assert.deepEqual([textOf({ content }), ownTextOf({ content })], ['mine, theirs', 'mine, '])
})

test('the telling argument of a call, in brief', () => {
  assert.equal(briefArgs({ method: 'POST', url: 'https://a.b/c?d=1' }), 'POST a.b/c?d=1')
  assert.equal(briefArgs({ url: 'http://a.b', method: 7 }), 'a.b')
  assert.equal(briefArgs({ query: 'coupons' }), '“coupons”')
  assert.equal(briefArgs({ pattern: 'x*' }), '“x*”')
  for (const name of ['path', 'command', 'expression', 'location', 'title']) {
    assert.equal(briefArgs({ other: 1, [name]: 'value' }), 'value', name)
  }
  assert.equal(briefArgs({ method: 'GET', path: '/a', title: 'b' }), '/a')
  assert.equal(briefArgs({ path: '', url: 3, title: 'b' }), 'b')
  for (const long of ['x'.repeat(600), { path: 'x'.repeat(600) }, { a: 'x'.repeat(600) }]) {
    assert.equal(briefArgs(long).length, 500)
  }
  assert.equal(briefArgs(7), '')
  assert.equal(briefArgs({ a: 'text', b: null }), 'a: text, b: null')
  assert.equal(briefArgs({ n: 1, deep: { a: [2] } }), 'n: 1, deep: {"a":[2]}')
  assert.equal(briefArgs('raw text'), 'raw text')
  assert.equal(briefArgs(null), '')
})

test('the brief arguments of a call hide no character and stay on one line', () => {
  for (const args of ['a\u202etxt.exe', { path: 'a\u202etxt.exe' }, { path: 'a\u202etxt.exe', title: 'b' }]) {
    assert.equal(briefArgs(args), 'a\\u{202e}txt.exe')
  }
  assert.equal(briefArgs({ other: 'a\u200bb' }), 'other: a\\u{200b}b')
  assert.equal(briefArgs({ command: 'ls\n  -l' }), 'ls -l')
})

test('what is read out of a reply is its first sentence, without marks', () => {
  assert.equal(firstSentence('**One route** is `slower`. The others are not.'), 'One route is slower .')
  assert.equal(firstSentence('x'.repeat(500)).length, 240)
  assert.equal(firstSentence('# Is 1.5 enough?\n> It is!'), 'Is 1.5 enough?')
  assert.equal(firstSentence('no end'), 'no end')
  assert.equal(firstSentence('See [the page](https://x.y/a?b=c) first. Then go.'), 'See the page first.')
  assert.equal(firstSentence('[a]('.repeat(50_000)).length, 240)
})

test('reasoning is a block with the time of its response; between two calls it belongs to the second', () => {
  const at = (secs: number) => new Date(secs * 1000).toISOString()
  const head = (seq: number, secs: number) => ({ seq, id: `i${seq}`, turn_id: 't', at: at(secs) })
  const { blocks, lastAt } = viewTurn([
    { ...head(1, 0), type: 'message', role: 'user', content: [{ type: 'text', text: 'go' }] },
    { ...head(2, 4), type: 'reasoning', text: ' First. ' },
    { ...head(3, 4), type: 'call', call_id: 'a', name: 'read', args: {} },
    { ...head(4, 5), type: 'result', call_id: 'a', output: '' },
    { ...head(5, 7), type: 'reasoning', text: 'Then.' },
    { ...head(6, 7), type: 'call', call_id: 'b', name: 'read', args: {} },
    { ...head(7, 8), type: 'result', call_id: 'b', output: '' },
    { ...head(8, 9), type: 'reasoning', text: ' ' },
    { ...head(9, 9), type: 'message', role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
  ])
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['thought', 'calls', 'text'],
  )
  assert.deepEqual(blocks[0], { type: 'thought', id: 'i2', thought: { id: 'i2', text: 'First.', ms: 4_000 } })
  assert(blocks[1]?.type === 'calls')
  assert.deepEqual(
    blocks[1].calls.map(({ thought }) => thought?.text),
    [undefined, 'Then.'],
  )
  assert.equal(lastAt, at(9))
})
