// What an approval shows, and how it is answered by keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import type { InputRequest } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import { pendingLine, questionLine, signInLines } from '#doors/terminal/gate-lines.ts'
import { createDialog } from '#doors/terminal/dialog.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { argLines } from '#doors/terminal/format.ts'
import { plainQuestion } from '#safety/gate-question.ts'
import { gateAsking } from '../../safety/gate-asking.ts'
import { turn } from './fake.ts'

const theme = createTheme({ colour: true, utf8: true })

test('arguments that are no JSON are shown at once, whatever is in them', () => {
  const args = String.raw`\"`.repeat(1_000_000)
  assert.deepEqual(argLines(args), [args])
})

test('an approval asks with verb and object, and its arguments are those that were written', async () => {
  const gate: Gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'x', args: '{}', prompt: '' }
  const asked = async (name: string, args: object): Promise<string> =>
    questionLine(await gateAsking(name, JSON.stringify(args)))
  assert.equal(await asked('workspace_shell', { command: 'npm publish' }), 'Run `npm publish`?')
  assert.equal(await asked('workspace_shell', { command: 'npm test\nrm x' }), 'Run a command that begins with `npm`?')
  const [url, issues] = ['https://a.example/x', 'https://api.github.com/repos/acme/shop/issues']
  assert.equal(await asked('http_request', { url, method: 'POST' }), 'Send a POST request to a.example?')
  assert.equal(await asked('web_fetch', { url }), 'Open a page of a.example?')
  assert.equal(await asked('http_request', { url: issues, method: 'POST' }), 'Open an issue in acme/shop on GitHub?')
  assert.equal(pendingLine(await gateAsking('web_fetch', JSON.stringify({ url }))), 'Nothing has been sent yet.')
  assert.equal(await asked('file\u001b', {}), 'Run file\\u{1b}?')
  // A component's parameters are its own: they do not choose the words.
  assert.equal(await asked('issues_open', { path: 'a/b', command: 'rm' }), 'Run issues_open?')
  const command = 'atrium tool auth issues'
  const credential = { tool: 'issues', secret: 'github_token', title: 'GitHub', command }
  assert.equal(questionLine({ ...gate, kind: 'credential', credential }), 'Sign in to GitHub?')
  const prompt =
    'issues needs the secret github_token (GitHub), which is not set: run `atrium tool auth issues` and try again'
  assert.deepEqual(signInLines({ name: 'issues_list', prompt, credential }), [
    'issues_list needs github_token, which is not set. The turn goes on by itself after:',
    '  atrium tool auth issues',
  ])
  assert.deepEqual(argLines('{"a": "x", "long": [1, 2]}'), ['a     x', 'long  [1,2]'])
  // A number of many digits, and a name that is there twice.
  assert.deepEqual(argLines('{"n":12345678901234567890}'), ['{"n":12345678901234567890}'])
  assert.deepEqual(argLines('{"a":1,"a":2}'), ['{"a":1,"a":2}'])
  assert.deepEqual(argLines(String.raw`{ "a\" b": "c d\\" }`), [String.raw`a" b  c d\ `.trimEnd()])
})

test('nothing in an approval is chosen by itself, and nothing is taken in its first moment', () => {
  let now = 0
  const gate: Gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'write', args: '{"path":"a/b"}', prompt: '' }
  const open = { turn: turn('one', 'waiting'), gate, at: 0 }
  const dialog = createDialog(open, { theme, now: () => now, asked: false })
  const [right, enter] = ['\u001b[C', '\r']
  assert.equal(dialog.press(right), undefined)
  assert.equal(dialog.press(enter), undefined)
  now = 600
  assert.equal(dialog.press(enter), undefined)
  assert.equal(dialog.press(right), undefined)
  assert.deepEqual(dialog.press(enter), { callId: 'c', decision: 'allow' })
  assert.equal(dialog.press('\u001b'), 'later')
  // For longer: the narrow scope and the short time come first, and what is said repeats the choice.
  dialog.press(right)
  assert.equal(dialog.press(enter), undefined)
  assert.match(
    stripTerminalSequences(dialog.render({ width: 80, height: 20 }, true).join('\n')),
    /\[ \] also when the turn has read untrusted content[^]*allow write with \.\/a\/b, for 1 hour/,
  )
  const allowed = (grantRequest: object) => ({ callId: 'c', decision: 'allow', grantRequest })
  assert.deepEqual(dialog.press(enter), allowed({ for: 'hour', scope: 'file', untrusted: false }))
  const [down, space] = ['\u001b[B', ' ']
  for (const key of [right, down, space]) dialog.press(key)
  assert.match(
    stripTerminalSequences(dialog.render({ width: 80, height: 20 }, true).join('\n')),
    /\[x\] also when[^]*allow write with \.\/a\/, for 1 day/,
  )
  assert.deepEqual(dialog.press(enter), allowed({ for: 'day', scope: 'target', untrusted: true }))
  for (const key of [right, down, down]) dialog.press(key)
  assert.deepEqual(dialog.press(enter), allowed({ for: 'good', scope: 'tool', untrusted: true }))
})

test('a denial takes a word to the agent, or none; Esc goes back to the answers', () => {
  const gate: Gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'write', args: '{"path":"a/b"}', prompt: '' }
  const opened = () => createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const [left, right, enter, escape] = ['\u001b[D', '\u001b[C', '\r', '\u001b']
  const press = (dialog: ReturnType<typeof opened>, keys: readonly string[]) =>
    keys.map((key) => dialog.press(key)).at(-1)
  const deny = { callId: 'c', decision: 'deny' }
  assert.deepEqual(press(opened(), [left, enter, enter]), deny, 'left of nothing is the last answer')
  assert.deepEqual(press(opened(), [left, enter, ...' not now '.split(''), enter]), { ...deny, output: 'not now' })
  const dialog = opened()
  assert.equal(press(dialog, [left, enter, ...'no'.split(''), escape]), undefined)
  assert.equal(press(dialog, [escape]), 'later', 'the second one leaves the answers')
  assert.equal(press(dialog, [left, enter, escape]), undefined, 'for longer, and back')
  assert.deepEqual(press(dialog, [left, enter]), { callId: 'c', decision: 'allow' })
  assert.deepEqual(press(dialog, [left, left, enter]), { callId: 'c', decision: 'allow' }, 'the first one stays')
  assert.deepEqual(press(dialog, [right, right, right, enter, enter]), { ...deny, output: 'no' }, 'and the last one')
})

const inputGate = (input: InputRequest): Gate => ({
  type: 'gate',
  callId: 'c',
  kind: 'input',
  name: 'desk__book',
  args: '{}',
  prompt: '',
  input,
})

test('a form is asked for field by field; a value that does not fit is asked for again', () => {
  const gate = inputGate({
    type: 'form',
    server: 'desk',
    message: 'Which\u001b table?',
    fields: [
      { type: 'integer', name: 'table', title: 'Table', min: 1, max: 9, required: true },
      { type: 'choice', name: 'meal', options: [{ value: 'l', title: 'Lunch' }, { value: 'd' }], default: 'l' },
      { type: 'text', name: 'note' },
    ],
  })
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const drawn = (): string => stripTerminalSequences(dialog.render({ width: 80, height: 20 }, true).join('\n'))
  const [right, enter, escape] = ['\u001b[C', '\r', '\u001b']
  const type = (line: string) => {
    for (const key of line) dialog.press(key)
    return dialog.press(enter)
  }
  assert.match(drawn(), /Answer desk\?[^]*desk: Which\\u\{1b\} table\?[^]*Answer +Decline/)
  dialog.press(right)
  assert.equal(dialog.press(enter), undefined)
  assert.match(drawn(), /Table \(a whole number from 1 to 9\)[^]*1 of 3/)
  assert.equal(type('12'), undefined)
  assert.match(drawn(), /It must be at most 9\./)
  for (const key of ['\u007f', '\u007f']) dialog.press(key)
  assert.equal(type('7'), undefined)
  assert.match(drawn(), /meal \(one of the list, may be empty, Enter alone: l\)[^]*1 Lunch[^]*2 d[^]*2 of 3/)
  dialog.press(escape)
  assert.match(drawn(), /1 of 3/)
  type('8')
  assert.equal(type('2'), undefined)
  assert.deepEqual(type(''), { callId: 'c', decision: 'allow', values: { table: 8, meal: 'd' } })
})

test('a form is declined, and a page is named by its host', () => {
  const link = { type: 'link', server: 'desk', message: 'Sign in', url: 'https://id.example/in?x=1' } as const
  const gate = inputGate(link)
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const drawn = stripTerminalSequences(dialog.render({ width: 80, height: 20 }, true).join('\n'))
  assert.match(drawn, /Sign in at id\.example\?[^]*https:\/\/id\.example\/in\?x=1[^]*I am done +Decline/)
  const [right, enter] = ['\u001b[C', '\r']
  dialog.press(right)
  assert.deepEqual(dialog.press(enter), { callId: 'c', decision: 'allow', values: {} })
  dialog.press(right)
  assert.deepEqual(dialog.press(enter), { callId: 'c', decision: 'deny' })
})

test('an approval tells which secrets would go with it, and why it is asked for', () => {
  const gate: Gate = {
    type: 'gate',
    callId: 'c',
    kind: 'approval',
    name: 'issue',
    args: '{}',
    prompt: '',
    secrets: ['github_token'],
    reason: 'it writes',
  }
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const drawn = stripTerminalSequences(dialog.render({ width: 80, height: 20 }, true).join('\n'))
  assert.match(drawn, /Signs in with github_token\. Asked: it writes/)
})

test('a call made after reading words from outside can only be allowed once', () => {
  const gate: Gate = {
    type: 'gate',
    callId: 'c',
    kind: 'approval',
    name: 'write',
    args: '{}',
    prompt: '',
    taint: 'a page',
  }
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  for (const key of ['\u001b[C', '\u001b[C', '\r']) assert.equal(dialog.press(key), undefined)
  assert.match(
    dialog.render({ width: 80, height: 20 }, true).join('\n'),
    /has read a page: this can only be allowed once/,
  )
})

test('a long preview is all there, in a box that scrolls', () => {
  const preview = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n')
  const asks = { question: plainQuestion('write'), preview: { type: 'document', path: 'a', content: preview } } as const
  const gate: Gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'write', args: '{}', prompt: '', asks }
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const seen = new Set<string>()
  for (let at = 0; at < 120; at++) {
    const drawn = dialog.render({ width: 60, height: 12 }, true)
    assert(drawn.length <= 12)
    for (const line of drawn) seen.add(stripTerminalSequences(line).replaceAll('│', '').trim())
    dialog.press('\u001b[B')
  }
  for (let at = 0; at < 100; at++) assert(seen.has(`line ${at}`), `line ${at}`)
})

test('in a small terminal the answers of an approval are in sight, and all that is asked can be read', () => {
  const preview = Array.from({ length: 9 }, (_, at) => `line ${at}`).join('\n')
  const gate: Gate = {
    type: 'gate',
    callId: 'c',
    kind: 'approval',
    name: 'workspace_write',
    args: '{"path":"notes/a.md"}',
    prompt: '',
    asks: {
      question: { ...plainQuestion('workspace_write'), text: 'Change notes/a.md?' },
      preview: { type: 'document', path: 'notes/a.md', content: preview },
      reach: { type: 'path', path: 'notes/a.md', in: 'workspace' },
    },
    reason: 'workspace_write changes files of the workspace',
  }
  const dialog = createDialog({ turn: turn('one', 'waiting'), gate, at: 0 }, { theme, now: () => 0, asked: true })
  const drawn = (): string[] => dialog.render({ width: 40, height: 7 }, true).map(stripTerminalSequences)
  const seen = new Set<string>()
  for (let at = 0; at < 20; at++) {
    for (const line of drawn()) seen.add(line.replaceAll('│', '').trim())
    assert.match(drawn().join('\n'), /Allow once {3}Allow for… {3}Deny… [^]*←→ choose {2}Esc later/)
    assert.equal(drawn().length, 7)
    for (const line of drawn()) assert.equal(visibleWidth(line), 40, line)
    assert.match(drawn()[0] ?? '', /╮$/)
    dialog.press('\u001b[B')
  }
  for (const line of ['Change notes/a.md?  Nothing has', 'line 0', 'line 8', 'of the workspace'])
    assert(seen.has(line), line)
  const right = '\u001b[C'
  for (const key of [right, right, '\r']) dialog.press(key)
  assert.match(drawn().join('\n'), /1 hour[^]*↑↓ for what[^]*\[ \] also untrusted content {2}Space[^]*for 1 hour +│\n╰/)
  for (const key of ['\u001b', right, '\r']) dialog.press(key)
  assert.match(drawn().join('\n'), /Enter denies: +│\n│ > +│\n╰/)
})
