// What is drawn: widths, letters, colours, and a reply while it is being said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import type { InputRequest } from '#core/form.ts'
import { type Gate, type Part, textMessage } from '#core/item.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { pendingLine, questionLine, signInLines } from '#doors/terminal/gate-lines.ts'
import { createDialog } from '#doors/terminal/dialog.ts'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { readTyped } from '#doors/terminal/command-list.ts'
import { createList } from '#doors/terminal/list.ts'
import { piecesOf } from '#doors/terminal/pieces.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { argLines } from '#doors/terminal/format.ts'
import { plainQuestion } from '#safety/gate-question.ts'
import { gateAsking } from '../../safety/gate-asking.ts'
import { until } from '../../until.ts'
import { entry, stage, turn } from './fake.ts'

const theme = createTheme({ colour: true, utf8: true })
const text = `Here:

| a | b |
|---|---|
| 1 | two words |

\`\`\`js
const x = 1

const y = '${'long '.repeat(30)}'
\`\`\`

1. one

   still one
2. two

| 日本語 | 👩‍👩‍👧 | שלום |`

test('a reply that is being said looks, when all is said, like the whole one', () => {
  for (const width of [20, 40, 78, 96]) {
    const drawing = createDrawing(
      theme,
      () => '*',
      () => 0,
    )
    const whole = drawing.lines({ type: 'reply', id: 'w', text, whole: true }, undefined, width)
    let last: readonly string[] = []
    for (let end = 1; end <= text.length; end += 3) {
      const said = text.slice(0, Math.min(text.length, end + 2))
      last = drawing.lines({ type: 'reply', id: 's', text: said, whole: false }, undefined, width)
      for (const line of last) assert(visibleWidth(line) <= width, `${visibleWidth(line)} > ${width}: ${line}`)
    }
    const plain = (lines: readonly string[]): string[] =>
      lines.map((line) => stripTerminalSequences(line).replace('█', '').trimEnd())
    assert.deepEqual(plain(last), plain(whole))
  }
})

test('words wrap at blanks, code where it must, with a sign', () => {
  const drawing = createDrawing(
    theme,
    () => '*',
    () => 0,
  )
  const lines = drawing.lines(
    { type: 'reply', id: 'r', text: `${'word '.repeat(20)}\n\n\`\`\`\n${'x'.repeat(60)}\n\`\`\``, whole: true },
    undefined,
    40,
  )
  const plain = lines.map((line) => stripTerminalSequences(line).trimEnd())
  assert(plain.slice(0, 3).every((line) => /^ word( word)*$/.test(line)))
  assert(plain.some((line) => /^ {3}↪ x+$/.test(line)))
})

test('a link shows where it leads; sums of money are no formulas', () => {
  const drawing = createDrawing(
    theme,
    () => '*',
    () => 0,
  )
  const lines = drawing.lines(
    { type: 'reply', id: 'r', text: '[bank](https://evil.example/) from $5 to $10, 5$^2$', whole: true },
    undefined,
    80,
  )
  assert.match(
    stripTerminalSequences(lines.join('\n')),
    /bank \(https:\/\/evil\.example\/\) from \$5 to \$10, 5\$\^2\$/,
  )
})

test('no row is wider than the terminal, whatever its size, and there are as many rows as it has', async () => {
  const gate: Gate = { type: 'gate', callId: 'g', kind: 'approval', name: 'write', args: '{"a":"b"}', prompt: '' }
  const waits = { turn: turn('other', 'waiting'), gate, at: 0 }
  for (const [columns, rows] of [
    [1, 1],
    [5, 3],
    [12, 8],
    [20, 6],
    [40, 12],
    [80, 24],
    [110, 30],
    [300, 50],
  ] as const) {
    const { app, tell } = await stage(columns, rows, { gates: () => Promise.resolve([waits]) })
    tell([
      {
        type: 'entries',
        entries: [
          entry(1, textMessage('user', '日本語 '.repeat(50)), 'one'),
          entry(2, { type: 'call', callId: 'c', name: 'read', args: `{"path":"${'p'.repeat(300)}"}` }, 'one'),
          entry(3, textMessage('assistant', text), 'one'),
        ],
      },
      { type: 'turn', turn: turn('one', 'completed', { lastSeq: 3 }) },
    ])
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
    for (const keys of ['', '/help\r', '\u001b', '\t', '\u001b[C', '\r', '\u001b', '\t', '\u001b[A', '\r']) {
      for (const key of keys.startsWith('\u001b') ? [keys] : keys) app.press(key)
      const drawn = app.render(columns)
      assert.equal(drawn.length, rows)
      for (const line of drawn) assert(visibleWidth(line) <= columns, `${columns} x ${rows}: ${line}`)
    }
    app.close()
  }
})

test('without colours bold and signs are left; without UTF-8 every letter is of ASCII and as wide', () => {
  const grey = createTheme({ colour: false, utf8: true })
  assert.equal(grey.act(grey.sun(grey.clay(grey.dim('x')))), 'x')
  assert.equal(grey.bold('x'), '\u001b[1mx\u001b[22m')
  const { fit } = createTheme({ colour: true, utf8: false })
  const line = '▸ ▾ ✓ ▲ ✕ ● ▌ ╭─╮ é 日本 👩‍👩‍👧 ⠹ …'
  // oxlint-disable-next-line no-control-regex -- the letters of ASCII
  assert.match(fit(line), /^[\x00-\x7f]+$/)
  assert(fit(line).startsWith('> v + ! x * | +-+ '))
  assert.equal(visibleWidth(fit('▸ ╭─╮ é 日本 ⠹ …')), visibleWidth('▸ ╭─╮ é 日本 ⠹ …'))
})

test('one word with a slash is a command; what is none is told; a path is a message', () => {
  assert.deepEqual(readTyped('/open the plan '), { type: 'command', name: '/open', rest: 'the plan' })
  assert.deepEqual(readTyped('/nope'), { type: 'unknown', word: '/nope' })
  assert.equal(readTyped('/nope now').type, 'message')
  assert.equal(readTyped('/pdf', ['pdf']).type, 'message')
  for (const message of ['/etc/hosts', '/ is the root', 'say /help', ' /help'])
    assert.equal(readTyped(message).type, 'message')
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

test('a call that runs tells for how long, by the clock and not by its drawing', () => {
  let now = 1_000
  const drawing = createDrawing(
    theme,
    () => '*',
    () => now,
  )
  const call = { type: 'call', id: 'c', name: 'read', args: '{}', state: 'running', fold: 'line', begun: 700 } as const
  const drawn = (): string => stripTerminalSequences(drawing.lines(call, undefined, 40).join('\n'))
  assert.match(drawn(), /\* read +0\.3 s$/)
  now = 15_700
  assert.match(drawn(), /\* read +15 s$/)
})

test('letters that take two columns are cut between, not through', () => {
  assert.deepEqual(piecesOf('日本語abc', 4), ['日本', '語ab', 'c'])
})

test('from the fourth call in a row, those that are done are one line; Enter unfolds it', async () => {
  const { app, tell } = await stage(80, 24)
  const call = (seq: number, name: string) => entry(seq, { type: 'call', callId: name, name, args: '{}' }, 'one')
  const done = (seq: number, callId: string, more: { error?: true } = {}) =>
    entry(seq, { type: 'result', callId, output: `of ${callId}`, ...more }, 'one')
  const shown = async (): Promise<string> => {
    for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
    return stripTerminalSequences(app.render(80).join('\n'))
  }
  const attempt = entry(4, { type: 'attempt', callId: 'first' }, 'one')
  tell([
    {
      type: 'entries',
      entries: [
        call(1, 'first'),
        call(2, 'second'),
        call(3, 'third'),
        attempt,
        done(6, 'first'),
        done(7, 'second', { error: true }),
        done(8, 'third'),
      ],
    },
  ])
  assert.match(await shown(), /✓ first .*\n.*▲ second .*\n.*✓ third /)
  tell([{ type: 'entries', entries: [call(9, 'fourth')] }])
  // What failed and what runs stay to be seen.
  assert.match(await shown(), /^ ▸ ✓ 2 tools, 2\.0 s\n ▸ ▲ second .*of second\n ▸ .* fourth .*running\n\s*\n/m)
  for (const key of ['\t', '\u001b[A', '\u001b[A', '\u001b[A', '\r']) app.press(key)
  assert.match(await shown(), /^ ▾ ✓ 2 tools, 2\.0 s\n ▸ ✓ first .*\n ▸ ▲ second .*\n ▸ ✓ third .*\n.* fourth /m)
  // The first call stands below the line of its row, and unfolds by itself.
  for (const key of ['\u001b[B', '\r']) app.press(key)
  assert.match(await shown(), /^ ▾ ✓ 2 tools, 2\.0 s\n ▾ ✓ first .*\n   │ Arguments\n[\s\S]*of first\n ▸ ▲ second /m)
  for (const key of ['\r', '\u001b[A', '\r']) app.press(key)
  assert.match(await shown(), /^ ▸ ✓ 2 tools, 2\.0 s\n ▸ ▲ second /m)
  app.close()
})

test('the screen of a wide terminal has its panel in 36 columns, and words end before its edge', async () => {
  const { app, tell } = await stage(120, 40)
  const code = '```sql\nSELECT 1\n```'
  tell([
    {
      type: 'entries',
      entries: [
        entry(1, { type: 'call', callId: 'c', name: 'read', args: '{}' }, 'one'),
        entry(2, textMessage('assistant', code), 'one'),
      ],
    },
    { type: 'turn', turn: turn('one', 'completed', { lastSeq: 2 }) },
  ])
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
  for (const key of '/help\r') app.press(key)
  for (let tick = 0; tick < 5; tick++) await new Promise(setImmediate)
  const rows = app.render(120).map((line) => stripTerminalSequences(line))
  assert.equal(rows[1], `${'─'.repeat(83)}┬${'─'.repeat(36)}`)
  assert(rows.some((row) => row.includes(' running │')))
  assert(rows.some((row) => /\/receipt │/.test(row)))
  assert(rows.some((row) => /│╭─ Help ─+╮$/.test(row) && row.length === 120))
  const rules = rows.filter((row) => /^ {3}(sql )?─+ {2}│/.test(row)).map((row) => row.lastIndexOf('─', 82))
  assert.deepEqual(rules, [80, 80])
  app.close()
})

test('what is told is told in full, in as many lines as it takes, and is not yellow', async () => {
  const { app } = await stage(40, 12)
  for (const key of `/${'nonsense'.repeat(3)}\r`) app.press(key)
  const rows = app.render(40)
  const told = rows.map((row) => stripTerminalSequences(row).trim()).join(' ')
  assert.match(told, /There is no command \/(nonsense){3}: \/help lists them\. Nothing was sent\./)
  assert(!rows.some((row) => row.includes('\u001b[33m')))
  app.close()
})

test('a status line without room has no separators that separate nothing', async () => {
  const { app } = await stage(32, 12)
  assert.match(stripTerminalSequences(app.render(32).at(-1) ?? ''), / ● \/help *$/)
  app.close()
})

test('an approval that follows another one does not take the focus', async () => {
  const gates: OpenGate[] = []
  const { app, tell } = await stage(80, 24, { gates: () => Promise.resolve([...gates]) })
  const open = (callId: string): void => {
    const gate: Gate = { type: 'gate', callId, kind: 'approval', name: callId, args: '{}', prompt: '' }
    gates.splice(0, 1, { turn: turn('one', 'waiting'), gate, at: 0 })
    tell([{ type: 'entries', entries: [entry(gates.length + callId.length, gate, 'one')] }])
  }
  const asks = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(80).join('\n'))))
  open('first')
  await asks(/Run first\?[\s\S]*Tab enters/)
  app.press('\t')
  await asks(/Run first\?[\s\S]*Esc later/)
  open('second')
  await asks(/Run second\?[\s\S]*Tab enters/)
  app.close()
})

test('a file goes with the next message: named above the composer, taken away by Enter, back when it was not sent', async () => {
  const sent: (readonly Part[] | undefined)[] = []
  const { app } = await stage(80, 24, {
    send: ({ threadId = 'thread', files }) => {
      sent.push(files)
      if (files?.length === 1) return Promise.reject(new AppError('shutting_down', 'it is away'))
      return Promise.resolve({ threadId, turnId: 'sent', queued: false })
    },
  })
  const type = (text: string): void => {
    for (const key of text) app.press(key)
  }
  const shows = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(80).join('\n'))))
  for (const name of ['a.log', 'b.log']) {
    type(`/attach ${name}\r`)
    await shows(new RegExp(`⎘ ${name} {2}3 bytes`))
  }
  type('/attach\r')
  await shows(/─ Attached ─[\s\S]*Enter takes it away/)
  type('\r')
  await shows(/Message Atrium/)
  type('look at it\r')
  await shows(/⎘ b\.log[\s\S]*Not sent: it is away|Not sent: it is away[\s\S]*⎘ b\.log/)
  assert.deepEqual(sent.at(-1), [{ type: 'file', name: 'b.log', text: 'abc' }])
  app.close()
})

test('a thought is one line until it is unfolded', async () => {
  const { app, tell } = await stage(60, 24)
  const long = `First words.\n${'more of it '.repeat(10)}\n${'line\n'.repeat(20)}`
  tell([{ type: 'entries', entries: [entry(1, { type: 'reasoning', text: long }, 'one')] }])
  const shows = async (what: RegExp): Promise<void> =>
    until(() => what.test(stripTerminalSequences(app.render(60).join('\n'))))
  await shows(/▸ … Thought {2}First words\. more of it/)
  for (const key of ['\t', '\u001b[A', '\r']) app.press(key)
  await shows(/▾ … Thought *\n {3}│ First words\.\n[\s\S]*more lines, Enter shows all/)
  app.press('\r')
  await shows(/^(?![\s\S]*Enter shows all)/)
  app.close()
})

test('what is set in in a box stays so in all of its lines', () => {
  const list = createList({ title: 'Tools', text: () => ['read', `  ${'word '.repeat(20)}`] }, theme)
  const rows = list.render({ width: 40, height: 12 }).map((line) => stripTerminalSequences(line))
  const words = rows.filter((row) => row.includes('word'))
  assert(words.length > 2)
  for (const row of words) assert.match(row, /^│ {3}word/)
})

const days: readonly [costUsd: number | null, unpricedCalls: number, says: RegExp][] = [
  [0, 0, /^ m · 0 tokens {2,}/],
  [0.84, 0, /^ m · 0 tokens · \$0\.84 today /],
  [0.84, 2, /^ m · 0 tokens · at least \$0\.84 today /],
  [null, 2, /^ m · 0 tokens · cost unknown today /],
]
for (const [costUsd, unpricedCalls, says] of days) {
  test(`the status line tells what is known of the day, and nothing of a thread without a turn: ${says}`, async () => {
    const costToday = { costUsd, unpricedCalls }
    const status = { provider: 'p', model: 'm', skippedModels: [], skills: [], costToday, doors: [] }
    const { app } = await stage(120, 24, { status: () => Promise.resolve(status) })
    const line = (): string => app.render(120).map(stripTerminalSequences).at(-1) ?? ''
    await until(() => says.test(line()))
    app.close()
  })
}
