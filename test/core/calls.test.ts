// Where the calls of a thread stand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCalls, replyIn } from '#core/calls.ts'
import { type Item, textMessage, textOf } from '#core/item.ts'

const user = textMessage('user', 'go')
const prose = textMessage('assistant', 'one moment')
const call = (callId: string): Item => ({ type: 'call', callId, name: 'act', args: '{}' })
const attempt = (callId: string): Item => ({ type: 'attempt', callId })
const result = (callId: string): Item => ({ type: 'result', callId, output: '' })
const gate = (callId: string, kind: 'approval' | 'output' = 'approval'): Item => ({
  type: 'gate',
  callId,
  kind,
  name: 'act',
  args: '{}',
  prompt: '',
})
const answer = (callId: string, decision: 'allow' | 'deny' | 'output'): Item => ({
  type: 'answer',
  callId,
  decision,
  by: 'ada',
})

/** `id` of each open call, `!` when attempted, `?` behind a gate, `+` or `-` once answered. */
const tables: readonly [what: string, items: Item[], open: string[]][] = [
  ['an empty thread', [], []],
  ['a message alone', [user], []],
  ['an answer in prose', [user, prose], []],
  ['calls in the order they were made', [user, prose, call('a'), call('b')], ['a', 'b']],
  ['an attempt', [user, call('a'), call('b'), attempt('b')], ['a', 'b!']],
  ['a result', [user, call('a'), call('b'), attempt('a'), attempt('b'), result('b')], ['a!']],
  ['all results', [user, call('a'), call('b'), result('b'), result('a')], []],
  ['a gate', [user, call('a'), gate('a')], ['a?']],
  ['a gate that was opened', [user, call('a'), gate('a'), answer('a', 'allow')], ['a?+']],
  ['a gate that was denied', [user, call('a'), gate('a'), answer('a', 'deny')], ['a?-']],
  ['a denied call with its result', [user, call('a'), gate('a'), answer('a', 'deny'), result('a')], []],
  [
    'an output: it closes its call by itself',
    [user, call('a'), call('b'), gate('a', 'output'), answer('a', 'output')],
    ['b'],
  ],
  ['a call that was tried before its gate', [user, call('a'), attempt('a'), gate('a'), answer('a', 'allow')], ['a?+']],
  [
    'a second gate after the first was answered',
    [user, call('a'), gate('a'), answer('a', 'allow'), attempt('a'), gate('a')],
    ['a?'],
  ],
  ['an allowed call in mid-run', [user, call('a'), gate('a'), answer('a', 'allow'), attempt('a')], ['a!?+']],
  ['a response after another', [user, call('a'), result('a'), prose, call('b')], ['b']],
  ['a response before, whose call was lost', [user, call('a'), attempt('a'), prose, call('b')], ['b']],
  [
    'prose and thoughts after a call',
    [user, call('a'), prose, { type: 'reasoning', text: 'hm' }, call('b'), prose],
    ['a', 'b'],
  ],
  ['prose after calls that are tried', [user, call('a'), prose, attempt('a'), gate('a')], ['a?']],
  ['reasoning before the calls', [user, { type: 'reasoning', text: 'hm' }, call('a')], ['a']],
]
for (const [what, items, open] of tables) {
  test(`open calls of ${what}: ${open.join(', ') || 'none'}`, () => {
    const found = openCalls(items).map(({ call, gate, answer, attempted }) => {
      const said = answer ? (answer.decision === 'allow' ? '+' : '-') : ''
      return `${call.callId}${attempted ? '!' : ''}${gate ? '?' : ''}${said}`
    })
    assert.deepEqual(found, open)
  })
}

test('the reply is all the text of the latest response, and of no other', () => {
  const say = (text: string) => textMessage('assistant', text)
  const think: Item = { type: 'reasoning', text: 'hm' }
  assert.equal(replyIn([user]), undefined)
  assert.equal(replyIn([user, say('a')]), 'a')
  assert.equal(replyIn([user, say('a'), call('x'), result('x'), say('b'), think, say('c'), think]), 'b\n\nc')
  assert.equal(replyIn([user, say('a'), call('x'), say('b'), result('x')]), 'a\n\nb')
})

test('of several gates and answers of a call the latest count', () => {
  const named = (prompt: string): Item => ({
    type: 'gate',
    callId: 'a',
    kind: 'approval',
    name: 'act',
    args: '{}',
    prompt,
  })
  const said = (by: string): Item => ({ type: 'answer', callId: 'a', decision: 'allow', by })
  const [open] = openCalls([user, call('a'), named('first'), said('ada'), named('second'), said('bob'), said('cleo')])
  assert.deepEqual([open?.gate?.prompt, open?.answer?.by], ['second', 'cleo'])
})

test('the text of a message is that of its parts, a picture has none', () => {
  const picture = { type: 'image', url: 'data:image/png;base64,' } as const
  assert.equal(textOf(textMessage('user', 'a', [picture, { type: 'file', name: 'f', text: 'b' }])), 'ab')
})
