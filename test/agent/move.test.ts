// The next move, by table: every state a log can be found in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextMove, type Move } from '#agent/move.ts'
import type { CallKind } from '#agent/toolbox.ts'
import { type Answer, type Gate, type Item, textMessage } from '#core/item.ts'
import { call, toolboxOf } from './tools.ts'

const user = textMessage('user', 'go')
const prose = textMessage('assistant', 'well')
const thought: Item = { type: 'reasoning', text: 'hm' }
const attempt = (callId: string): Item => ({ type: 'attempt', callId })
const result = (callId: string, error?: true): Item => ({ type: 'result', callId, output: '', ...(error && { error }) })
const gate = (callId: string, kind: Gate['kind']): Item => ({
  type: 'gate',
  callId,
  kind,
  name: 'x',
  args: '{}',
  prompt: '',
})
const allow = (callId: string): Item => ({ type: 'answer', callId, decision: 'allow', by: 'ada' })
const deny = (callId: string, output?: string): Item => ({
  type: 'answer',
  callId,
  decision: 'deny',
  by: 'ada',
  ...(output && { output }),
})
const expired = (callId: string): Item => ({
  type: 'answer',
  callId,
  decision: 'deny',
  by: 'expiry',
  output: 'a day',
})
const held = (callId: string): Item => ({ ...(gate(callId, 'input') as Gate), held: true })
const output = (callId: string): Item => ({ type: 'answer', callId, decision: 'output', output: 'x', by: 'ada' })

const read = call('r', 'read')
const once = call('o', 'once')
const write = call('w', 'write')
const write2 = call('w2', 'write')
const fn = call('f', 'fn')
const fn2 = call('f2', 'fn2')
const gone = call('g', 'gone')
const garbled = call('x', 'read', '{"half')

const moves: readonly [what: string, items: Item[], move: string][] = [
  ['an empty log', [], 'ask'],
  ['a message', [user], 'ask'],
  ['an answer', [user, prose], 'stop'],
  ['an empty answer', [user, textMessage('assistant', '')], 'stop'],
  ['a message after an answer', [user, prose, user], 'ask'],
  ['a failed turn and a new message', [user, user], 'ask'],
  ['a thought before the answer', [user, thought, prose], 'stop'],
  ['a summary after an answer', [user, prose, { type: 'summary', text: '', upTo: 1 }], 'stop'],
  ['a built-in call', [user, read], 'settle r:run'],
  ['prose and a call: the call counts', [user, prose, read], 'settle r:run'],
  ['calls together', [user, read, once], 'settle r:run o:run'],
  ['its result', [user, read, attempt('r'), result('r')], 'ask'],
  ['a failed result', [user, read, attempt('r'), result('r', true)], 'ask'],
  ['one result of two', [user, read, once, attempt('r'), attempt('o'), result('r')], 'settle o:interrupted'],
  ['a call cut off in mid-run that may run again', [user, read, attempt('r')], 'settle r:run'],
  ['a call cut off in mid-run that may not', [user, once, attempt('o')], 'settle o:interrupted'],
  [
    'an allowed call cut off in mid-run',
    [user, write, gate('w', 'approval'), allow('w'), attempt('w')],
    'settle w:interrupted',
  ],
  ['a call cut off whose tool is gone since', [user, gone, attempt('g')], 'settle g:interrupted'],
  ['a tool that is not there', [user, gone], 'settle g:unknown'],
  ['arguments that are no object', [user, garbled], 'settle x:invalid'],
  ['arguments of a caller that are no object', [user, call('x', 'fn', '[1]')], 'settle x:invalid'],
  ['built-in calls before gates', [user, fn, write, read, gone], 'settle r:run g:unknown'],
  [
    'approvals before the caller, all at once',
    [user, fn, write, write2],
    'settle w:approval(write may change something) w2:approval(write may change something)',
  ],
  ['an open approval', [user, write, gate('w', 'approval')], 'wait'],
  ['an open sign-in', [user, read, gate('r', 'credential')], 'wait'],
  ['a sign-in that was done', [user, read, gate('r', 'credential'), allow('r')], 'settle r:run'],
  ['open input', [user, once, attempt('o'), gate('o', 'input')], 'wait'],
  ['input that was given', [user, once, attempt('o'), gate('o', 'input'), allow('o')], 'settle o:run'],
  ['input that was declined', [user, once, attempt('o'), gate('o', 'input'), deny('o')], 'settle o:run'],
  [
    'input for an approved call',
    [user, write, gate('w', 'approval'), allow('w'), attempt('w'), gate('w', 'input'), deny('w')],
    'settle w:run',
  ],
  [
    'a sign-in that was done for an approved call',
    [user, write, gate('w', 'approval'), allow('w'), attempt('w'), gate('w', 'credential'), allow('w')],
    'settle w:run',
  ],
  [
    'a sign-in that was done for a call that must be asked for since',
    [user, write, attempt('w'), gate('w', 'credential'), allow('w')],
    'settle w:approval(write may change something)',
  ],
  ...[allow('w'), deny('w')].map((given): [string, Item[], string] => [
    `input (${given.type === 'answer' && given.decision}) for a call that must be asked for since`,
    [user, write, attempt('w'), gate('w', 'input'), given],
    'settle w:approval(write may change something)',
  ]),
  [
    'the approval that a sign-in was followed by',
    [user, write, attempt('w'), gate('w', 'credential'), allow('w'), gate('w', 'approval')],
    'wait',
  ],
  [
    'its answer',
    [user, write, attempt('w'), gate('w', 'credential'), allow('w'), gate('w', 'approval'), allow('w')],
    'settle w:run',
  ],
  [
    'input that nobody gave in time',
    [user, once, attempt('o'), gate('o', 'input'), expired('o')],
    'settle o:unanswered(a day)',
  ],
  [
    'input, and a crash in the second run',
    [user, once, attempt('o'), gate('o', 'input'), allow('o'), attempt('o')],
    'settle o:interrupted',
  ],
  [
    'input for a call that was open when its process ended',
    [user, read, attempt('r'), held('r')],
    'settle r:interrupted',
  ],
  [
    'given input for a call that was open when its process ended',
    [user, read, attempt('r'), held('r'), allow('r')],
    'settle r:interrupted',
  ],
  ['an open approval before a caller call', [user, fn, write, gate('w', 'approval')], 'wait'],
  [
    'one of two approvals answered',
    [user, write, write2, gate('w', 'approval'), gate('w2', 'approval'), allow('w')],
    'settle w:run',
  ],
  [
    'the answered one done, the other open',
    [user, write, write2, gate('w', 'approval'), gate('w2', 'approval'), allow('w'), attempt('w'), result('w')],
    'wait',
  ],
  ['an approval denied', [user, write, gate('w', 'approval'), deny('w')], 'settle w:denied'],
  ['a denial with a word', [user, write, gate('w', 'approval'), deny('w', 'not today')], 'settle w:denied(not today)'],
  ['a denied call with its result', [user, write, gate('w', 'approval'), deny('w'), result('w', true)], 'ask'],
  ['an allowed call and a built-in one', [user, write, read, gate('w', 'approval'), allow('w')], 'settle w:run r:run'],
  ['a caller call', [user, fn], 'settle f:output'],
  ['caller calls: one at a time', [user, fn, fn2], 'settle f:output'],
  ['an open caller gate', [user, fn, fn2, gate('f', 'output')], 'stop'],
  [
    'its output: the next one surfaces without the model',
    [user, fn, fn2, gate('f', 'output'), output('f')],
    'settle f2:output',
  ],
  ['all outputs', [user, fn, fn2, gate('f', 'output'), output('f'), gate('f2', 'output'), output('f2')], 'ask'],
  [
    'a caller call after all else is done',
    [user, fn, write, gate('w', 'approval'), deny('w'), result('w', true)],
    'settle f:output',
  ],
  ['a cancelled caller call', [user, fn, gate('f', 'output'), result('f', true)], 'ask'],
  ['a cancelled call and a new message', [user, fn, gate('f', 'output'), result('f', true), user], 'ask'],
  [
    'an allowed call that is no longer ours: nobody will answer it again',
    [user, fn, gate('f', 'approval'), allow('f')],
    'settle f:unknown',
  ],
]
for (const [what, items, move] of moves) {
  test(`after ${what}: ${move}`, () => assert.equal(wordsOf(nextMove(items, toolboxOf())), move))
}

function wordsOf(move: Move): string {
  if (move.do !== 'settle') return move.do
  return ['settle', ...move.calls.map(({ call, how, word }) => `${call.callId}:${how}${word ? `(${word})` : ''}`)].join(
    ' ',
  )
}

test('a log cut by a crash after any append has its next move', () => {
  const whole: Item[] = [
    user,
    read,
    write,
    fn,
    attempt('r'),
    result('r'),
    gate('w', 'approval'),
    allow('w'),
    attempt('w'),
    result('w'),
    gate('f', 'output'),
  ]
  const seen = whole.map((_, at) => wordsOf(nextMove(whole.slice(0, at + 1), toolboxOf())))
  const running = Array.from({ length: 4 }, () => 'settle r:run')
  assert.deepEqual(seen, [
    'ask',
    ...running,
    'settle w:approval(write may change something)',
    'wait',
    'settle w:run',
    'settle w:interrupted',
    'settle f:output',
    'stop',
  ])
})

const ask = { do: 'ask', reason: 'r', why: 'It asks' } as const
const verdicts: readonly [what: string, kind: CallKind, items: Item[], settlement: object][] = [
  ['allowed after outside text', { do: 'run', taint: 'fetch' }, [], { how: 'run', taint: 'fetch' }],
  ['allowed', { do: 'run' }, [], { how: 'run' }],
  ['asked for', ask, [], { how: 'approval', word: 'r', why: 'It asks' }],
  [
    'asked for after outside text',
    { ...ask, taint: '' },
    [],
    { how: 'approval', word: 'r', why: 'It asks', taint: '' },
  ],
  ['forbidden', { do: 'deny', reason: 'a rule' }, [], { how: 'forbidden', word: 'a rule' }],
  [
    'forbidden for a leak',
    { do: 'deny', reason: 'a leak', leak: 'jwt' },
    [],
    { how: 'forbidden', word: 'a leak', leak: 'jwt' },
  ],
  [
    'allowed by a person',
    { ...ask, taint: 'fetch' },
    [gate('r', 'approval'), allow('r')],
    { how: 'run', taint: 'fetch' },
  ],
  [
    'forbidden since a person allowed it',
    { do: 'deny', reason: 'a rule' },
    [gate('r', 'approval'), allow('r')],
    { how: 'forbidden', word: 'a rule' },
  ],
  [
    'not answered in time',
    ask,
    [gate('r', 'approval'), { type: 'answer', callId: 'r', decision: 'deny', by: 'expiry', output: 'a week' }],
    { how: 'expired', word: 'a week' },
  ],
]
for (const [what, kind, items, settlement] of verdicts) {
  test(`a call that is ${what} is settled with all that was said about it`, () => {
    const toolbox = { kindOf: () => kind, repeatable: () => false }
    assert.deepEqual(nextMove([user, read, ...items], toolbox), {
      do: 'settle',
      calls: [{ call: read, ...settlement }],
    })
  })
}

test('the answer to a form is kept while the call is asked for again, and given to one run', () => {
  const form: Item = { ...(gate('w', 'input') as Gate), state: 'two of three' }
  const filled: Item = { ...(allow('w') as Answer), values: { city: 'Rome' } }
  const asked = [user, write, attempt('w'), form, filled, gate('w', 'approval')]
  const inputs = (...items: Item[]) => {
    const move = nextMove([...asked, ...items], toolboxOf())
    return move.do === 'settle' ? move.calls.map(({ how, input }) => [how, input]) : move.do
  }
  const accepted = { action: 'accept', values: { city: 'Rome' }, state: 'two of three' }
  assert.deepEqual(inputs(), 'wait')
  assert.deepEqual(inputs(allow('w')), [['run', accepted]])
  assert.deepEqual(inputs(deny('w')), [['denied', undefined]])
  assert.deepEqual(inputs(allow('w'), attempt('w'), gate('w', 'credential'), allow('w')), [['run', undefined]])
  const declined = nextMove([user, write, form, deny('w'), gate('w', 'approval'), allow('w')], toolboxOf())
  const decline = { action: 'decline', state: 'two of three' }
  assert.deepEqual(declined.do === 'settle' && declined.calls.map(({ input }) => input), [decline])
})
