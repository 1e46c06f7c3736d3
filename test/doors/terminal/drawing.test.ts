// The lines of a block at a given width: calls by state and fold, thoughts, receipts, messages, notes, replies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { noUsage } from '#core/turn.ts'
import type { Block, Call, Took } from '#doors/terminal/block.ts'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'

const theme = createTheme({ colour: false, utf8: true })
const drawing = () =>
  createDrawing(
    theme,
    () => '*',
    () => 5_000,
  )
function drawn(block: Block, width: number, before?: Block): string[] {
  const lines = drawing().lines(block, before, width)
  for (const line of lines) assert(visibleWidth(line) <= width, line)
  return plain(lines)
}
const linesOf = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n')
const call = (more: Partial<Call> = {}): Call => ({
  type: 'call',
  id: 'c',
  name: 'read',
  args: '{"path":"a.md","n":3}',
  state: 'done',
  fold: 'line',
  ms: 300,
  ...more,
})

const widths: readonly [width: number, line: string][] = [
  [20, ' ▸ ✓ read  a…  0.3 s'],
  [71, ` ▸ ✓ read  a.md · 3${' '.repeat(46)}0.3 s`],
  // From here on names are padded, so that arguments align.
  [72, ` ▸ ✓ read              a.md · 3${' '.repeat(35)}0.3 s`],
  [120, ` ▸ ✓ read              a.md · 3${' '.repeat(83)}0.3 s`],
]
for (const [width, line] of widths) {
  test(`a call in ${width} columns is one line, with its time at the end`, () => {
    assert.deepEqual(drawn(call(), width), [line])
  })
}

const states: readonly [more: Partial<Call>, line: RegExp][] = [
  [{ state: 'waiting' }, /^ ▸ ● read {2}a\.md · 3 +waiting$/],
  [{ state: 'denied' }, /^ ▸ ✕ read {2}a\.md · 3 +denied$/],
  [{ state: 'failed' }, /^ ▸ ▲ read {2}a\.md · 3 +failed$/],
  [{ state: 'failed', result: `${'x'.repeat(50)}\nmore` }, /^ ▸ ▲ read {2}a\.md · 3 +x{31}…$/],
  [{ state: 'failed', result: 'first\nsecond' }, /^ ▸ ▲ read {2}a\.md · 3 +first$/],
  [{ state: 'running' }, /^ ▸ \* read {2}a\.md · 3 +running$/],
  [{ state: 'running', begun: 3_000, progress: '75 %' }, /^ ▸ \* read {2}75 % +2\.0 s$/],
  [{ state: 'running', begun: 6_000 }, /^ ▸ \* read {2}a\.md · 3 +0 ms$/],
  [{ progress: '75 %' }, /^ ▸ ✓ read {2}a\.md · 3 +0\.3 s$/],
  [{ name: 'a\u001b[31mb' }, /^ ▸ ✓ a\S+b {2}a\.md · 3 +0\.3 s$/],
]
for (const [more, line] of states) {
  test(`a call with ${JSON.stringify(more).slice(0, 60)} is drawn as ${line}`, () => {
    const [only = '', ...others] = drawn(call(more), 60)
    assert.match(only, line)
    assert.deepEqual(others, [])
  })
}

test('a call without a time has none', () => {
  const { ms: _, ...timeless } = call()
  assert.deepEqual(drawn(timeless, 60), [' ▸ ✓ read  a.md · 3'])
})

const call1 = [' ▾ ✓ read  a.md · 3               0.3 s', '   │ Arguments', '   │   path  a.md', '   │   n     3']
const framed = (text: string, indent = '  '): string[] => text.split('\n').map((line) => `   │ ${indent}${line}`)
const unfolded: readonly [name: string, more: Partial<Call>, lines: readonly string[]][] = [
  ['no result', { fold: 'part' }, []],
  [
    'a result of twelve lines',
    { fold: 'part', result: linesOf(12), size: 85 },
    ['   │ Result, 85 bytes', ...framed(linesOf(12))],
  ],
  [
    'a result of thirteen lines',
    { fold: 'part', result: linesOf(13), size: 93 },
    ['   │ Result, 93 bytes', ...framed(linesOf(12)), '   │   … 1 more line, Enter shows all'],
  ],
  [
    'all of a result',
    { fold: 'all', result: linesOf(13), size: linesOf(13).length },
    ['   │ Result, 93 bytes', ...framed(linesOf(13))],
  ],
  [
    'a result that is longer than what is kept of it',
    { fold: 'all', result: linesOf(2), size: 9_000 },
    ['   │ Result, 8.8 KB', ...framed(linesOf(2)), '   │   … the first 13 characters'],
  ],
  [
    'a result with a tab, from outside',
    { fold: 'part', result: 'ab\tc', size: 4, origin: 'web' },
    ['   │ Result, 4 bytes, from outside: rea…', '   │   ab    c'],
  ],
]
for (const [name, more, lines] of unfolded) {
  test(`an unfolded call shows its arguments, and ${name}`, () => {
    assert.deepEqual(drawn(call(more), 40), [...call1, ...lines])
  })
}

const thought = (text: string, fold: 'line' | 'part' | 'all'): Block => ({ type: 'thought', id: 't', text, fold })
const thoughts: readonly [block: Block, lines: readonly string[]][] = [
  [thought(' a\nb  c ', 'line'), [' ▸ … Thought  a b c']],
  [thought('x'.repeat(50), 'line'), [` ▸ … Thought  ${'x'.repeat(25)}…`]],
  [thought(' a\n\tb  c ', 'part'), [' ▾ … Thought', '   │ a', '   │     b  c']],
  [thought(linesOf(12), 'part'), [' ▾ … Thought', ...framed(linesOf(12), '')]],
  [thought(linesOf(14), 'part'), [' ▾ … Thought', ...framed(linesOf(12), ''), '   │ … 2 more lines, Enter shows all']],
  [thought(linesOf(14), 'all'), [' ▾ … Thought', ...framed(linesOf(14), '')]],
]
for (const [block, lines] of thoughts) {
  test(`a thought: ${JSON.stringify(block).slice(0, 70)}`, () => {
    assert.deepEqual(drawn(block, 40), lines)
  })
}

test('an unfolded thought is wrapped within the width of prose', () => {
  const lines = drawn(thought('word '.repeat(40), 'all'), 120).slice(1)
  assert.deepEqual(
    lines.map((line) => line.length - '   │ '.length),
    [89, 89, 19],
  )
})

const receipt = (more: Partial<Took> = {}): Block => {
  const usage = { ...noUsage, inputTokens: 3, outputTokens: 4, costUsd: 0.02 }
  return { type: 'receipt', id: 'r', took: { tools: 1, hosts: ['a', 'b'], usage, from: 1_000, to: 3_000, ...more } }
}
const receipts: readonly [block: Block, width: number, line: string][] = [
  [receipt(), 20, '   1 tool · 2 hosts…'],
  [receipt(), 54, '   1 tool · 2 hosts · 7 tokens · $0.020 · 2.0 s'],
  [receipt(), 58, '   1 tool · 2 hosts · 7 tokens · $0.020 · 2.0 s  /receipt'],
  [receipt(), 57, '   1 tool · 2 hosts · 7 tokens · $0.020 · 2.0 s'],
  [receipt(), 120, `   1 tool · 2 hosts · 7 tokens · $0.020 · 2.0 s${' '.repeat(40)}/receipt`],
  [receipt({ tools: 0, hosts: [], usage: noUsage }), 40, '   0 tokens · 2.0 s            /receipt'],
  [receipt({ tools: 0, usage: { ...noUsage, costUsd: null } }), 50, '   2 hosts · 0 tokens · cost unknown · 2.0 s'],
]
for (const [block, width, line] of receipts) {
  test(`a receipt in ${width} columns: ${line}`, () => {
    assert.deepEqual(drawn(block, width), [line])
  })
}

test('a message has a bar; of more than forty lines the rest is counted', () => {
  const own = (text: string, queued = false): Block => {
    return { type: 'you', id: 'y', turnId: 't', text, queued, files: [{ name: 'a'.repeat(30), size: 3 }] }
  }
  const file = '   ⎘ aaaaaaaaaaaaaaaaaa…'
  assert.deepEqual(drawn(own('a\tb one two three go'), 24), [' ▌ a    b one two three', ' ▌ go', file])
  const barred = linesOf(40)
    .split('\n')
    .map((line) => ` ▌ ${line}`)
  assert.deepEqual(drawn(own(linesOf(40)), 24), [...barred, file])
  assert.deepEqual(drawn(own(linesOf(41)), 24), [...barred, ' ▌ … 1 more line', file])
  assert.deepEqual(drawn(own('x', true), 80).slice(0, 2), [
    ' ▌ x',
    ' ▌ queued: it is sent when the turn before it has ended',
  ])
  assert.deepEqual(drawn(own('x', true), 40).slice(0, 3), [
    ' ▌ x',
    ' ▌ queued: it is sent when the turn',
    ' ▌ before it has ended',
  ])
})

test('a note that tells a failure has a sign', () => {
  const note = (failed: boolean): Block => ({ type: 'note', id: 'n', text: 'one two three four', failed })
  assert.deepEqual(drawn(note(true), 20), [' ▲ one two three', ' four'])
  assert.deepEqual(drawn(note(false), 20), [' one two three four'])
  assert.deepEqual(drawn(note(false), 19), [' one two three', ' four'])
})

test('prose is at most 96 columns wide, and begins in the second', () => {
  const lines = drawn({ type: 'reply', id: 'r', text: 'word '.repeat(30).trim(), whole: true }, 120)
  assert.deepEqual(
    lines.map((line) => line.length),
    [95, 55],
  )
  assert(lines.every((line) => line.startsWith(' word')))
})

test('a reply that is being written ends with a cursor where there is room for one', () => {
  const reply = (text: string): Block => ({ type: 'reply', id: 'r', text, whole: false })
  assert.deepEqual(drawn(reply('word word word wor'), 20), [' word word word wor█'])
  assert.deepEqual(drawn(reply('word word word word'), 20), [' word word word word'])
  assert.deepEqual(drawn(reply('a\ud83d'), 20), [' a█'], 'half of a letter waits for its other half')
  assert.deepEqual(drawn(reply(''), 20), [' █'])
})

test('paragraphs of a reply that is being written stay when it grows, and go with another reply or width', () => {
  const drawer = drawing()
  const reply = (id: string, text: string, width = 30): string[] =>
    plain(drawer.lines({ type: 'reply', id, text, whole: false }, undefined, width))
  const rule = `   ${'─'.repeat(25)}`
  assert.deepEqual(reply('r', 'one\n\ntwo'), [' one', '', ' two█'])
  const code = 'one\n\ntwo\n\n```\nx\n\ny\n```\n\nthree'
  const expected = [' one', '', ' two', '', rule, '   x', '', '   y', rule, '', ' three█']
  assert.deepEqual(reply('r', code), expected)
  assert.deepEqual(reply('r', code), expected)
  assert.deepEqual(reply('s', 'four\n\nfive'), [' four', '', ' five█'])
  assert.deepEqual(reply('s', 'four\n\nfive six', 8), [' four', '', ' five', ' six█'])
  assert.deepEqual(reply('s', 'four', 8), [' four█'], 'it began anew')
})

test('an empty line stands before a block, but not between calls and thoughts, nor before a receipt', () => {
  const reply: Block = { type: 'reply', id: 'r', text: 'x', whole: true }
  const gaps: readonly [before: Block | undefined, block: Block, gap: boolean][] = [
    [undefined, reply, false],
    [reply, reply, true],
    [reply, call(), true],
    [call(), reply, true],
    [call(), call(), false],
    [call(), thought('x', 'line'), false],
    [thought('x', 'line'), call(), false],
    [reply, receipt(), false],
    [receipt(), reply, true],
  ]
  for (const [before, block, gap] of gaps)
    assert.equal(drawn(block, 40, before)[0] === '', gap, `${before?.type} ${block.type}`)
})

test('a block is drawn once for a width and its place, but a running call each time', () => {
  let turns = 0
  const drawer = createDrawing(
    theme,
    () => String(turns++),
    () => 0,
  )
  const done = call()
  assert.equal(drawer.lines(done, undefined, 40), drawer.lines(done, undefined, 40))
  assert.equal(plain(drawer.lines(done, undefined, 41))[0]?.length, 40)
  assert.equal(drawer.lines(done, { type: 'reply', id: 'r', text: 'x', whole: true }, 41).length, 2)
  const running = call({ state: 'running' })
  assert.notEqual(drawer.lines(running, undefined, 40)[0], drawer.lines(running, undefined, 40)[0])
})

test('a run of calls is one line, cut to the width', () => {
  const drawer = drawing()
  const head = { tools: 2, ms: 2_000, open: false }
  assert.deepEqual(plain([drawer.runLine(head, 40)]), [' ▸ ✓ 2 tools, 2.0 s'])
  assert.deepEqual(plain([drawer.runLine({ ...head, open: true }, 12)]), [' ▾ ✓ 2 tool…'])
})
