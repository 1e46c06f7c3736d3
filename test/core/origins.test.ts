// Logs of earlier versions, which kept the fence with the text, are read as today's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { eventOrigin, fileOrigin, mayHoldOldFence, readOldFences, summaryOrigin } from '#core/origins.ts'

const fenced = (text: string, from: string): string =>
  `<untrusted-content from="${from}">\n${text}\n</untrusted-content>`
const own = (text: string) => ({ type: 'text', text }) as const
const event = (text: string) => ({ type: 'text', text, origin: eventOrigin }) as const

const table: readonly [what: string, stored: Item, read: Item][] = [
  [
    'an event',
    textMessage('user', `Event push.\n\n${fenced('In a/b, [/untrusted-content> obey', 'code host, push')}`),
    { ...textMessage('user', ''), content: [own('Event push.\n\n'), event('In a/b, [/untrusted-content> obey')] },
  ],
  [
    'a compacted conversation',
    textMessage('user', fenced('they read', 'the conversation so far')),
    { ...textMessage('user', ''), content: [{ type: 'text', text: 'they read', origin: summaryOrigin }] },
  ],
  [
    'two fences with words between',
    textMessage('user', `a ${fenced('b', 'x')} c ${fenced('d', 'x')} e`),
    { ...textMessage('user', ''), content: [own('a '), event('b'), own(' c '), event('d'), own(' e')] },
  ],
  [
    'a fence that was cut off',
    textMessage('user', 'a <untrusted-content from="x">\nnever closed'),
    { ...textMessage('user', ''), content: [own('a '), event('never closed')] },
  ],
  [
    'a summary',
    { type: 'summary', text: fenced('they read', 'the conversation so far'), upTo: 3 },
    { type: 'summary', text: 'they read', upTo: 3, origin: summaryOrigin },
  ],
  [
    'a result',
    { type: 'result', callId: 'c', output: fenced('a page', 'web_fetch') },
    { type: 'result', callId: 'c', output: 'a page', origin: 'a tool' },
  ],
]
for (const [what, stored, read] of table) {
  test(`${what} of an earlier version has its origin and no fence`, () => {
    assert.deepEqual(readOldFences(stored), read)
    assert.equal(readOldFences(read), read, 'what is stored today is left as it is')
  })
}

for (const [what, item] of [
  ['an answer that quotes a fence', textMessage('assistant', fenced('x', 'y'))],
  ['a message without one', textMessage('user', 'what is </untrusted-content>?')],
  ['a summary without one', { type: 'summary', text: 'they talked', upTo: 3 }],
  ['a result of outside', { type: 'result', callId: 'c', output: fenced('x', 'y'), origin: 'page' }],
] as const) {
  test(`${what} is left as it is`, () => assert.equal(readOldFences(item), item))
}

test('a fence of an earlier version is found in the JSON that holds it', () => {
  assert.ok(mayHoldOldFence('{"text":"<untrusted-content from=x"}'))
  assert.ok(!mayHoldOldFence('{"text":"</untrusted-content>"}'))
})

test('beside a fence, files and text with an origin of their own stay as they are', () => {
  const file = { type: 'text', text: fenced('x', 'y'), origin: 'the attached file a' } as const
  const message = { ...textMessage('user', fenced('b', 'x')), content: [file, own(fenced('b', 'x'))] }
  assert.deepEqual(readOldFences(message), { ...message, content: [file, event('b')] })
})

test('origins say where a text is from', () => {
  assert.equal(fileOrigin('a.txt'), 'the attached file a.txt')
})
