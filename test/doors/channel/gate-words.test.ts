// A gate in the words of a chat, and what became of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gate } from '#core/item.ts'
import { decisionWords, gateQuestion, hiddenQuestion } from '#doors/channel/gate-words.ts'
import { questionOf } from '#safety/gate-question.ts'
import { requestQuestion } from '#tools/web/request-question.ts'

const gate: Gate = { type: 'gate', callId: 'c1', kind: 'approval', name: 'write', args: '{"a":1}', prompt: 'May I?' }
const link = 'https://atrium.test/threads/t1'
const head = questionOf(gate).text

test('a question shows what will happen, whole, and why it asks', () => {
  assert.deepEqual(gateQuestion(gate, link), { text: `${head}\n\n{\n  "a": 1\n}`, canAllow: true })
  assert.equal(gateQuestion({ ...gate, args: 'no JSON' }, link).text, `${head}\n\nno JSON`)
  assert.equal(gateQuestion({ ...gate, args: ' ' }, link).text, head)
  assert.equal(
    gateQuestion({ ...gate, why: 'It read a page.' }, link).text,
    `${head}\nIt read a page.\n\n{\n  "a": 1\n}`,
  )
  const shown: Gate = {
    ...gate,
    asks: { ...gate.asks, preview: { type: 'arguments', fields: { to: 'Ada' } } } as never,
  }
  assert.match(gateQuestion(shown, link).text, /Ada/)
  assert.doesNotMatch(gateQuestion(shown, link).text, /"a": 1/)
})

test('a question says what the call does, and nothing that is untrue once it has run', () => {
  const post = { ...gate, asks: { question: requestQuestion('POST', 'https://a.test/') } } as Gate
  assert.equal(
    gateQuestion(post, link).text,
    'Send a POST request to a.test?\nSends this request to a.test.\n\n{\n  "a": 1\n}',
  )
})

test('nothing in a question hides: control characters are shown, and lines stay lines only in what will happen', () => {
  const shown = gateQuestion({ ...gate, why: 'a\u202Eb\nc', args: 'x\u0000\ny' }, link).text
  assert.deepEqual(
    ['\u202E', '\0'].filter((mark) => shown.includes(mark)),
    [],
  )
  assert.equal(shown.split('\n').length, `${head}\nwhy\n\nx\ny`.split('\n').length)
})

test('a question that cannot be shown whole is allowed on the page alone', () => {
  const most = 16_000 - head.length - 2
  assert.equal(gateQuestion({ ...gate, args: 'x'.repeat(most) }, link).canAllow, true)
  for (const [where, end] of [
    [link, `Allow it where all of it can be seen here: ${link}`],
    [undefined, 'Allow it where all of it can be seen on the page.'],
  ] as const) {
    const long = gateQuestion({ ...gate, args: 'x'.repeat(most + 1) }, where)
    assert.equal(long.canAllow, false)
    assert.ok(long.text.endsWith(`\n…\n\nIt is too long to be shown here. ${end}`), long.text.slice(-200))
    assert.equal(long.text.indexOf('\n…\n'), 4_000)
  }
})

test('a question with something behind a long blank is not allowed in the chat', () => {
  const { text, canAllow } = gateQuestion({ ...gate, args: `${' '.repeat(20_000)}x` }, link)
  assert.deepEqual([canAllow, text.startsWith(`${head}\n…\n`)], [false, true])
})

test('of a long question no more is made printable than can be shown', (t) => {
  const replaced = t.mock.method(String.prototype, 'replaceAll')
  gateQuestion({ ...gate, args: '\u009b'.repeat(1_000_000) }, link)
  assert(replaced.mock.calls.every(({ this: text }) => String(text).length <= 16_000))
})

test('a sign-in and a form are answered on the page', () => {
  for (const [kind, where, end] of [
    ['credential', link, `Sign in here: ${link}`],
    ['credential', undefined, 'Sign in on the page.'],
    ['input', link, `Answer it here: ${link}`],
    ['input', undefined, 'Answer it on the page.'],
  ] as const) {
    const asked = gateQuestion({ ...gate, kind }, where)
    assert.equal(asked.canAllow, false)
    assert.equal(asked.text.split('\n').at(-1), end)
  }
  assert.match(hiddenQuestion(link), /See it here: https:\/\/atrium\.test\/threads\/t1$/)
  assert.match(hiddenQuestion(undefined), /See it on the page\.$/)
})

for (const [answer, words] of [
  [undefined, 'Nothing was allowed: it was stopped.'],
  [{ decision: 'deny', by: 'expiry' }, 'Denied: nobody answered within 24 hours.'],
  [{ decision: 'deny', by: 'ada' }, 'Denied by ada.'],
  [{ decision: 'deny', by: '' }, 'Denied.'],
  [{ decision: 'output', by: 'ada' }, 'Answered by ada.'],
  [{ decision: 'allow', by: 'ada' }, 'Allowed once by ada.'],
  [{ decision: 'allow', by: '' }, 'Allowed once.'],
  [{ decision: 'allow', by: 'ada', scope: 'always' }, 'Allowed by ada, also from now on.'],
] as const) {
  test(`decided by ${JSON.stringify(answer)}: ${words}`, () => assert.equal(decisionWords(answer as never), words))
}
