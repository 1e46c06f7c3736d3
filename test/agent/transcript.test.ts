// A conversation as lines: what stands in them, what is fenced, and what is left out of a long one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutMiddle, transcriptOf } from '#agent/transcript.ts'
import { type Item, textMessage } from '#core/item.ts'
import { loopTurns } from '../loop-turns.ts'

const marked = (text: string, origin: string): string => `<${origin}|${text}>`
const long = (chars: number): string => 'x'.repeat(chars)
/** How much of a text is left in a line. */
const kept = async (item: Item) => [...(await transcriptOf([item], 100_000)).matchAll(/x/g)].length

const lines: readonly [item: Item, line: string][] = [
  [textMessage('user', 'hi'), 'user: hi'],
  [textMessage('assistant', 'yes'), 'assistant: yes'],
  [textMessage('user', 'see', [{ type: 'image', url: 'data:' }]), 'user: see [a picture]'],
  [textMessage('user', 'see', [{ type: 'file', name: 'a.txt', text: 'b' }]), 'user: see <the attached file a.txt|b>'],
  [textMessage('user', 'an event', [{ type: 'text', text: 'b', origin: 'o' }]), 'user: an event <o|b>'],
  [{ type: 'call', callId: 'c', name: 'act', args: '{"a":1}' }, 'assistant called act({"a":1})'],
  [{ type: 'result', callId: 'c', output: 'own' }, 'it returned: own'],
  [{ type: 'result', callId: 'c', output: 'page', origin: 'web' }, 'it returned: <web|page>'],
  [
    { type: 'answer', callId: 'c', decision: 'output', output: 'theirs', by: 'ada' },
    'it returned: <a function of the caller|theirs>',
  ],
  [{ type: 'answer', callId: 'c', decision: 'allow', by: 'ada' }, ''],
  [{ type: 'summary', text: 'they spoke', upTo: 1 }, 'they spoke'],
  [{ type: 'summary', text: 'they read', upTo: 1, origin: 'o' }, '<o|they read>'],
  [{ type: 'reasoning', text: 'hm' }, ''],
  [{ type: 'attempt', callId: 'c' }, ''],
]
for (const [item, line] of lines) {
  test(`${item.type} is ${JSON.stringify(line)}`, async () =>
    assert.equal(await transcriptOf([item], 1_000, marked), line))
}

test('without a fence the text alone stands there; each item has a line', async () => {
  const items: Item[] = [textMessage('user', 'hi'), { type: 'result', callId: 'c', output: 'page', origin: 'web' }]
  assert.equal(await transcriptOf(items, 1_000), 'user: hi\nit returned: page')
})

test('of one message 8,000 characters stay, shared by its parts; of files, arguments and outputs 2,000', async () => {
  assert.deepEqual(
    [await kept(textMessage('user', long(8_000))), await kept(textMessage('user', long(9_000)))],
    [8_000, 8_000],
  )
  assert.equal(await kept(textMessage('user', long(9_000), [{ type: 'text', text: long(9_000) }])), 8_000)
  assert.equal(await kept(textMessage('user', '', [{ type: 'file', name: 'f', text: long(9_000) }])), 2_000)
  assert.equal(await kept({ type: 'result', callId: 'c', output: long(9_000) }), 2_000)
  assert.equal(await kept({ type: 'call', callId: 'c', name: 'n', args: long(9_000) }), 2_000)
})

test('the middle of a long text is left out, and how much; half a character is not kept', () => {
  assert.equal(cutMiddle('abcdefghij', 10), 'abcdefghij')
  assert.equal(cutMiddle('abcdefghijk', 10), 'abcde\n[… 1 characters left out …]\nghijk')
  assert.equal(cutMiddle('abcdefghij', 5), 'ab\n[… 5 characters left out …]\nhij')
  assert.ok(cutMiddle(`a${'💡'.repeat(20)}`, 10).isWellFormed())
})

test('of a long conversation a quarter at its beginning and the rest at its end stay', async () => {
  const said = Array.from({ length: 50 }, (_, at) => textMessage('user', `word ${at}`))
  const whole = await transcriptOf(said, 10_000)
  assert.equal(await transcriptOf(said, whole.length), whole)
  const cut = await transcriptOf(said, 100)
  assert.equal(cut, `${whole.slice(0, 25)}\n[… ${whole.length - 100} characters left out …]\n${whole.slice(-75)}`)
})

test('others go on while the transcript of a long conversation is made', async (t) => {
  const said = Array.from({ length: 50 }, () => textMessage('user', 'a'))
  assert.ok((await loopTurns(t, () => transcriptOf(said, 1_000))) > 40)
})
