// The dialog of a gate by its lines and keys: sizes, scrolling, the selected answer, the first half second.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import type { Gate } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { createDialog, type DialogParts } from '#doors/terminal/dialog.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plainQuestion } from '#safety/gate-question.ts'
import { gateMs } from '#turns/gate-answers.ts'
import { inside, keys, plain } from './drawn.ts'
import { turn } from './fake.ts'

const theme = createTheme({ colour: false, utf8: true })
const tall = { width: 80, height: 20 }

/** A gate that asks to create a file of this content. */
const writes = (content: string, more: Partial<Gate> = {}): Gate => ({
  type: 'gate',
  callId: 'c',
  kind: 'approval',
  name: 'write',
  args: '{"path":"a.md"}',
  prompt: '',
  asks: {
    question: { ...plainQuestion('write'), text: 'Create a.md?' },
    preview: { type: 'document', path: 'a.md', content },
    reach: { type: 'path', path: 'a.md', in: 'workspace' },
  },
  ...more,
})

const opened = (gate: Gate, of: Partial<Turn> = {}, parts: Partial<DialogParts> = {}) =>
  createDialog({ turn: turn('one', 'waiting', of), gate, at: 0 }, { theme, now: () => 0, asked: true, ...parts })

const twelve = Array.from({ length: 12 }, (_, at) => `line ${at}`).join('\n')

test('question, preview, facts and answers stand in this order, with the time left at the top', () => {
  const gate = writes('x', { reason: 'it writes', secrets: ['a', 'b'] })
  assert.deepEqual(plain(opened(gate).render({ width: 66, height: 9 }, false)), [
    '╭─ ● Waiting for you ───────────────────────── expires in 24 h ──╮',
    '│ Create a.md?  Nothing has happened yet.                        │',
    '│ x                                                              │',
    '│ Signs in with a, b. Asked: it writes                           │',
    '│   Allow once      Allow for…      Deny…             Tab enters │',
    '╰────────────────────────────────────────────────────────────────╯',
  ])
})

const facts: readonly [more: Partial<Gate>, line: string][] = [
  [{}, 'x'],
  [{ secrets: [] }, 'x'],
  [{ secrets: ['a'] }, 'Signs in with a.'],
  [{ reason: 'it writes' }, 'Asked: it writes'],
]
for (const [more, line] of facts) {
  test(`the line above the answers, with ${JSON.stringify(more)}, is: ${line}`, () => {
    assert.equal(inside(opened(writes('x', more)).render(tall, true)).at(-2), line)
  })
}

test('a turn of another door is shown with its sign, and a gate says for how long it stays open', () => {
  const top = (of: Partial<Turn>, now: number): string | undefined =>
    plain(opened(writes('x'), of, { now: () => now }).render({ width: 50, height: 9 }, true))[0]
  assert.match(top({}, gateMs - 90_000) ?? '', /^╭─ ● Waiting for you ─+ expires in 2 min ──╮$/)
  assert.match(top({ door: 'telegram' }, gateMs) ?? '', /^╭─ ● Waiting for you <> ─+ expires in 1 min ──╮$/)
})

test('Enter before an answer is chosen says what to press, until one is', () => {
  const dialog = opened(writes('x'))
  const foot = (focused: boolean): string => inside(dialog.render(tall, focused)).at(-1) ?? ''
  assert.equal(dialog.press(keys.enter), undefined)
  assert.match(foot(true), /Deny… +←→ choose, then Enter$/)
  assert.match(foot(false), /Tab enters$/)
  dialog.press(keys.right)
  assert.match(foot(true), /←→ choose {2}Esc later$/)
  assert.deepEqual(dialog.press(keys.enter), { callId: 'c', decision: 'allow' })
})

test('the selected answer is marked only while the dialog has the focus', () => {
  const dialog = opened(writes('x'))
  const foot = (focused: boolean): string | undefined => inside(dialog.render(tall, focused)).at(-1)
  const row = '  Allow once      Allow for…      Deny…  '
  assert.equal(foot(true), `${row}${' '.repeat(15)}←→ choose  Esc later`)
  assert.equal(foot(false), `${row}${' '.repeat(25)}Tab enters`)
  const moves: readonly [key: string, row: string][] = [
    [keys.right, '«[ Allow once ]»    Allow for…      Deny…  '],
    [keys.right, '  Allow once    «[ Allow for… ]»    Deny…  '],
    [keys.right, '  Allow once      Allow for…    «[ Deny… ]»'],
    [keys.right, '  Allow once      Allow for…    «[ Deny… ]»'],
    [keys.left, '  Allow once    «[ Allow for… ]»    Deny…  '],
    [keys.left, '«[ Allow once ]»    Allow for…      Deny…  '],
    [keys.left, '«[ Allow once ]»    Allow for…      Deny…  '],
  ]
  for (const [key, marked] of moves) {
    assert.equal(dialog.press(key), undefined)
    assert.equal(foot(true)?.slice(0, marked.length), marked)
    assert.equal(foot(false), `${row}${' '.repeat(25)}Tab enters`)
  }
})

const feet: readonly [width: number, foot: readonly string[]][] = [
  [120, [`  Allow once      Allow for…      Deny…  ${' '.repeat(65)}Tab enters`]],
  [57, ['  Allow once      Allow for…      Deny…    Tab enters']],
  [56, ['  Allow once      Allow for…      Deny…', 'Tab enters']],
  [45, ['  Allow once      Allow for…      Deny…', 'Tab enters']],
  [44, [' Allow once   Allow for…   Deny…', 'Tab enters']],
  [36, [' Allow once   Allow for…   Deny…', 'Tab enters']],
  [34, [' Allow once   Allow for…   De…', 'Tab enters']],
  [20, [' Allow once   A…', 'Tab enters']],
]
for (const [width, foot] of feet) {
  test(`the answers of a dialog that is ${width} columns wide`, () => {
    const lines = opened(writes('x')).render({ width, height: 12 }, false)
    for (const line of lines) assert.equal(visibleWidth(line), width)
    assert.deepEqual(inside(lines).slice(-foot.length), foot)
  })
}

const sizes: readonly [height: number, lines: readonly string[]][] = [
  [3, []],
  [4, ['answers']],
  [5, ['85 characters, line 1 of 13; ↑↓ shows the rest', 'answers']],
  // Too low for the question and two lines: both scroll.
  [6, ['question', '85 characters, line 1 of 13; ↑↓ shows the rest', 'answers']],
  [7, ['question', 'line 0', '85 characters, line 1 of 12; ↑↓ shows the rest', 'answers']],
  [8, ['question', 'line 0', 'line 1', '85 characters, line 1 of 12; ↑↓ shows the rest', 'answers']],
  [16, ['question', ...twelve.split('\n').slice(0, 10), '85 characters, line 1 of 12; ↑↓ shows the rest', 'answers']],
  [17, ['question', ...twelve.split('\n'), 'answers']],
  [30, ['question', ...twelve.split('\n'), 'answers']],
]
for (const [height, lines] of sizes) {
  test(`in ${height} lines the answers stay in sight, and the rest scrolls above them`, () => {
    const drawn = opened(writes(twelve)).render({ width: 60, height }, true)
    assert.equal(drawn.length, Math.min(height, 17))
    const words = inside(drawn).map((line) =>
      line.replace(/^Create a.md\?.*/, 'question').replace(/^ +Allow once .*/, 'answers'),
    )
    assert.deepEqual(words, [...lines, '←→ choose  Esc later'])
  })
}

test('Up and Down scroll the preview from its first line to its last', () => {
  const dialog = opened(writes(twelve))
  const shown = (): string =>
    inside(dialog.render({ width: 60, height: 9 }, true))
      .slice(1, -2)
      .join(' ')
      .replaceAll(/line (?=\d+ )|85 characters, line |; ↑↓.*/g, '')
  assert.equal(shown(), '0 1 2 1 of 12')
  dialog.press(keys.up)
  dialog.press(keys.down)
  assert.equal(shown(), '1 2 3 2 of 12')
  dialog.press(keys.down)
  assert.equal(shown(), '2 3 4 3 of 12')
  dialog.press(keys.up)
  assert.equal(shown(), '1 2 3 2 of 12')
  for (let at = 0; at < 20; at++) {
    dialog.press(keys.down)
    dialog.render({ width: 60, height: 9 }, true)
  }
  assert.equal(shown(), '9 10 11 10 of 12')
  dialog.press(keys.up)
  assert.equal(shown(), '8 9 10 9 of 12')
})

test('the size of the preview is left out where only its position has room', () => {
  const more = (width: number): string | undefined =>
    inside(opened(writes(twelve)).render({ width, height: 9 }, true)).find((line) => line.includes('of 12'))
  assert.equal(more(50), '85 characters, line 1 of 12; ↑↓ shows the rest')
  assert.equal(more(49), 'line 1 of 12; ↑↓ shows the rest')
})

test('the arrows are offered for scrolling only while they scroll', () => {
  const dialog = opened(writes(twelve))
  const position = (): string =>
    inside(dialog.render({ width: 60, height: 12 }, true)).find((line) => line.includes('of 12')) ?? ''
  const offered: boolean[] = []
  for (const presses of [[], [keys.right, keys.right, keys.enter], [keys.escape], [keys.right, keys.enter]]) {
    for (const key of presses) dialog.press(key)
    offered.push(position().includes('↑↓'))
  }
  assert.deepEqual(offered, [true, false, true, false])
  assert.match(position(), /line 1 of 12$/)
})

test('the preview is wrapped for each width, and its tabs are spaces', () => {
  const dialog = opened(writes('a\tb one two three four five six seven eight'))
  const body = (width: number): string[] => inside(dialog.render({ width, height: 20 }, true)).slice(1, -2)
  assert.deepEqual(body(50), ['a    b one two three four five six seven eight'])
  assert.deepEqual(body(46).slice(-2), ['a    b one two three four five six seven', 'eight'])
  assert.deepEqual(body(50), ['a    b one two three four five six seven eight'])
})

test('a dialog that opened by itself takes no answer for half a second; Esc and the arrows for scrolling work', () => {
  let now = 1_000
  const dialog = opened(writes(twelve), {}, { now: () => now, asked: false })
  const marked = (): boolean => plain(dialog.render({ width: 60, height: 9 }, true)).some((line) => line.includes('«'))
  now = 1_499
  for (const key of [keys.right, keys.enter, keys.left, keys.enter]) assert.equal(dialog.press(key), undefined)
  assert.equal(marked(), false)
  dialog.press(keys.down)
  assert.equal(inside(dialog.render({ width: 60, height: 9 }, true))[1], 'line 1')
  assert.equal(dialog.press(keys.escape), 'later')
  now = 1_500
  dialog.press(keys.right)
  assert.equal(marked(), true)
  assert.deepEqual(dialog.press(keys.enter), { callId: 'c', decision: 'allow' })
})

test('a dialog that the person opened takes an answer at once', () => {
  const dialog = opened(writes('x'), {}, { now: () => 1_000 })
  assert.equal(dialog.press(keys.enter), undefined, 'nothing is selected')
  dialog.press(keys.right)
  assert.deepEqual(dialog.press(keys.enter), { callId: 'c', decision: 'allow' })
})

test('a tool that asks each time can only be allowed once: the dialog says so until the next key', () => {
  const dialog = opened(writes('x', { once: true }))
  for (const key of [keys.right, keys.right, keys.enter]) assert.equal(dialog.press(key), undefined)
  assert.equal(inside(dialog.render(tall, true)).at(-1), '▲ write asks each time: this can only be allowed once.')
  dialog.press(keys.right)
  assert.match(inside(dialog.render(tall, true)).at(-1) ?? '', /«\[ Deny… \]»/)
  dialog.press(keys.enter)
  assert.deepEqual(inside(dialog.render(tall, true)).slice(-2), [
    'Word to the agent (may be empty), Enter denies:',
    '> « »',
  ])
})

test('only an answer that cannot be given is dim', () => {
  const coloured = createTheme({ colour: true, utf8: true })
  const isDim = (gate: Gate): boolean[] => {
    const foot = opened(gate, {}, { theme: coloured }).render(tall, false).at(-2) ?? ''
    return ['Allow once', 'Allow for…', 'Deny…', 'Answer', 'Decline']
      .filter((label) => foot.includes(label))
      .map((label) => foot.includes(coloured.dim(`  ${label}  `)))
  }
  assert.deepEqual(isDim(writes('x')), [false, false, false])
  assert.deepEqual(isDim(writes('x', { once: true })), [false, true, false])
  const input = { type: 'form', server: 'desk', message: 'Which?', fields: [] } as const
  assert.deepEqual(isDim(writes('x', { kind: 'input', once: true, input })), [false, false])
})

test('a refused answer is told, and the answers come back with the next key', () => {
  const dialog = opened(writes('x'))
  for (const key of [keys.left, keys.enter]) dialog.press(key)
  dialog.refuse('It is too late.')
  assert.equal(inside(dialog.render(tall, true)).at(-1), '▲ It is too late.')
  assert.equal(dialog.press(keys.escape), 'later')
  assert.match(inside(dialog.render(tall, true)).at(-1) ?? '', /«\[ Deny… \]»/)
})

test('a sign-in has no answers: it is done elsewhere', () => {
  const credential = { tool: 'issues', secret: 'token', title: 'GitHub', command: 'atrium tool auth issues' }
  const dialog = opened({
    type: 'gate',
    callId: 'c',
    kind: 'credential',
    name: 'issues',
    args: '{}',
    prompt: '',
    credential,
  })
  assert.deepEqual(inside(dialog.render(tall, true)).slice(-2), ['  atrium tool auth issues', 'Esc later'])
  const pressed = [keys.right, keys.enter, keys.left, keys.left, keys.enter]
  for (const key of pressed) assert.equal(dialog.press(key), undefined)
  assert.equal(dialog.press(keys.escape), 'later')
})

test('a form without fields is answered at once; Esc leaves the fields of another one', () => {
  const form = (fields: readonly { type: 'text'; name: string }[]) =>
    opened(
      writes('', { kind: 'input', input: { type: 'form', server: 'desk', message: 'Which?', fields: [...fields] } }),
    )
  const empty = form([])
  empty.press(keys.right)
  assert.deepEqual(empty.press(keys.enter), { callId: 'c', decision: 'allow', values: {} })
  const dialog = form([{ type: 'text', name: 'note' }])
  for (const key of [keys.right, keys.enter]) assert.equal(dialog.press(key), undefined)
  assert.doesNotMatch(plain(dialog.render(tall, true)).join('\n'), /Decline/)
  assert.equal(dialog.press(keys.escape), undefined)
  assert.match(inside(dialog.render(tall, true)).at(-1) ?? '', /«\[ Answer \]» +Decline/)
})

test('the form of "Allow for…" moves within its options, and Esc goes back to the answers', () => {
  const dialog = opened(writes('x'))
  for (const key of [keys.right, keys.right, keys.enter]) dialog.press(key)
  const shown = (): string => inside(dialog.render(tall, true)).slice(2).join('\n')
  assert.match(shown(), /^« 1 hour »   1 day {4}until revoked {4}←→ how long {2}↑↓ for what\n\[ \] also/)
  const last = (): string | undefined => inside(dialog.render(tall, true)).at(-1)
  const spans: readonly [key: string, end: string][] = [
    [keys.left, 'for 1 hour'],
    [keys.right, 'for 1 day'],
    [keys.right, 'until revoked'],
    [keys.right, 'until revoked'],
    [keys.left, 'for 1 day'],
    [keys.left, 'for 1 hour'],
  ]
  for (const [key, end] of spans) {
    assert.equal(dialog.press(key), undefined)
    assert.equal(last()?.split(', ').at(-1), end)
  }
  const whats: readonly [key: string, what: string][] = [
    [keys.up, 'write with ./a.md'],
    [keys.down, 'every write'],
    [keys.down, 'every write'],
    [keys.up, 'write with ./a.md'],
  ]
  for (const [key, what] of whats) {
    dialog.press(key)
    assert.equal(last(), `Enter: allow ${what}, for 1 hour`)
  }
  for (const box of ['[x]', '[ ]']) {
    dialog.press(' ')
    assert(shown().includes(`${box} also when the turn has read untrusted content  Space`))
  }
  assert.equal(dialog.press(keys.escape), undefined)
  assert.match(last() ?? '', /«\[ Allow for… \]»/)
})
