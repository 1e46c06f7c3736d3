// The rows of the screen: how the room is shared out, and what header, rules, status line, notice and hint say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUsage } from '#core/turn.ts'
import type { Gate } from '#core/item.ts'
import { createFit, drawFrame, type Parts, type View } from '#doors/terminal/frame.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'
import { turn } from './fake.ts'
import { fake } from '../../fake.ts'

const theme = createTheme({ colour: false, utf8: true })
const coloured = createTheme({ colour: true, utf8: true })
const rowsOf = (name: string, count: number): string[] =>
  Array.from({ length: Math.max(0, count) }, (_, at) => (at === 0 ? name : '.'))

/** Each part says its name, its size and whether it has the focus, in as many rows as it gets. */
const parts = fake<Parts>({
  theme,
  transcript: { render: (width: number, height: number, focused: boolean) => rowsOf(`T${width} ${focused}`, height) },
  greeting: { render: (width: number, height: number) => rowsOf(`G${width}`, height) },
  composer: {
    render: (width: number, { focused, hint }: { focused: boolean; hint: string }) => [`C${width} ${focused} ${hint}`],
  },
  offers: { render: (width: number, rows: number) => [`O${width} ${rows}`] },
  panel: { render: (_: unknown, height: number, focused: boolean) => rowsOf(`P ${focused}`, Math.min(3, height)) },
  fit: createFit(theme),
})

const box = (name: string, rows: number, more: object = {}) => ({
  render: ({ width, height }: { width: number; height: number }, focused?: boolean) =>
    rowsOf(`${name} ${width}x${height}${focused === undefined ? '' : ` ${focused}`}`, Math.min(rows, height)),
  ...more,
})
const gate: Gate = { type: 'gate', callId: 'g', kind: 'approval', name: 'write', args: '{}', prompt: '' }
const asksHere = { turn: turn('one', 'waiting'), gate, at: 0 }
const here = asksHere.turn.threadId
const panelData = { gates: [], threads: [], current: here, now: 0, sign: '*' }

const costNothing = { costUsd: 0, unpricedCalls: 0 }
const status = { provider: 'p', model: 'm', skippedModels: [], skills: [], costToday: costNothing, doors: [] }

function viewOf(more: object = {}): View {
  return {
    title: 'A thread',
    location: 'at home',
    focus: 'transcript',
    notice: undefined,
    runsFor: undefined,
    waiting: 0,
    awayFor: undefined,
    status,
    usage: noUsage,
    blank: false,
    panelData,
    dialog: undefined,
    files: [],
    list: undefined,
    ...more,
  }
}
const drawn = (more: object, width: number, rows: number): string[] =>
  plain(drawFrame(viewOf(more), parts, width, rows))

test('a narrow terminal has header, transcript and composer over the whole width, and the status last', () => {
  assert.deepEqual(drawn({}, 60, 9), [
    ' ▣ Atrium  A thread',
    '─'.repeat(60),
    'T60 true',
    '.',
    '.',
    '.',
    'C60 false Message Atrium',
    '─'.repeat(60),
    ` m · 0 tokens${' '.repeat(28)}● connected  /help`,
  ])
})

test('from 110 columns on there is a panel of 36 beside the transcript', () => {
  assert.equal(drawn({}, 109, 10)[2], 'T109 true')
  const rows = drawn({}, 110, 10)
  assert.equal(rows[1], `${'─'.repeat(73)}┬${'─'.repeat(36)}`)
  assert.equal(rows[2], `${'T73 true'.padEnd(73)}│ P false`)
  assert.equal(rows[7], `${'─'.repeat(73)}┴${'─'.repeat(36)}`)
  assert.equal(rows[8], 'C110 false Message Atrium')
  assert.match(rows[9] ?? '', /● connected · \/help$/)
  assert.match(drawn({ focus: 'panel' }, 110, 10)[2] ?? '', /^T73 false .*│ P true$/)
})

test('a thread without a message shows the greeting', () => {
  assert.equal(drawn({ blank: true }, 60, 9)[2], 'G60')
})

test('the composer has the focus alone, and only then are there offers, in the rows that a box would leave', () => {
  const rows = drawn({ focus: 'composer' }, 60, 12)
  assert.deepEqual(rows.slice(8, 10), ['O60 4', 'C60 true Message Atrium'])
  assert.equal(rows[2], 'T60 false')
})

test('a terminal narrower than 20 columns shows the left part of one with 20', () => {
  assert.equal(drawn({}, 12, 8)[1], '─'.repeat(12))
  assert.equal(drawn({}, 12, 8)[2], 'T20 true')
})

const boxes: readonly [rows: number, room: number, box: number, transcript: number][] = [
  // The transcript keeps two rows where the box still gets eight.
  [20, 15, 13, 2],
  [15, 10, 8, 2],
  [14, 9, 8, 1],
  [13, 8, 8, 0],
  // Below that the box has all of the room.
  [12, 7, 7, 0],
  [10, 5, 5, 0],
]
for (const [rows, room, height, left] of boxes) {
  test(`of ${room} rows an open box gets at most ${height}`, () => {
    const shown = drawn({ dialog: box('D', 99, { gate: asksHere }), focus: 'dialog' }, 60, rows)
    assert.equal(shown[2 + left], `D 60x${height} true`)
    assert.equal(shown[2], left > 0 ? 'T60 false' : `D 60x${height} true`)
    assert.equal(shown.length, rows)
  })
}

test('a small box leaves the rest to the transcript; a list covers a dialog', () => {
  const dialog = box('D', 3, { gate: asksHere })
  assert.deepEqual(drawn({ dialog }, 60, 11).slice(2, 8), ['T60 true', '.', '.', 'D 60x6 false', '.', '.'])
  const both = drawn({ dialog, list: box('L', 3, { title: 'Tools' }) }, 60, 11).join('\n')
  assert.match(both, /L 60x/)
  assert.doesNotMatch(both, /D 60x/)
})

test('in a wide terminal the help stands in the panel, below its lists and a blank row; other lists do not', () => {
  const rows = drawn({ list: box('L', 4, { title: 'Help' }) }, 110, 20)
  const side = rows.slice(2, 17).map((row) => row.slice(74))
  assert.deepEqual(side.slice(0, 8), [' P false', ' .', ' .', '', 'L 36x13', '.', '.', '.'])
  assert.equal(rows[2]?.slice(0, 8), 'T73 true')
  const tools = drawn({ list: box('L', 4, { title: 'Tools' }) }, 110, 20)
  assert(tools.some((row) => row.startsWith('L 73x')))
  assert.match(drawn({ list: box('L', 4, { title: 'Help' }) }, 60, 20).join('\n'), /L 60x/)
})

test('the header says who waits and, where there is room, where this is', () => {
  assert.equal(drawn({ title: undefined }, 60, 8)[0], ' ▣ Atrium  New thread')
  assert.match(drawn({ waiting: 2 }, 60, 8)[0] ?? '', /^ ▣ Atrium {2}A thread +● 2 waiting$/)
  assert.match(drawn({ waiting: 1 }, 110, 8)[0] ?? '', /^ ▣ Atrium {2}A thread +at home {2}● 1 waiting$/)
  assert.doesNotMatch(drawn({}, 109, 8)[0] ?? '', /at home|waiting/)
  assert.match(drawn({ title: 'x'.repeat(90) }, 60, 8)[0] ?? '', /x…$/)
})

const rules: readonly [more: object, colour: string, letter: string][] = [
  [{}, '2', '─'],
  [{ runsFor: 0 }, '36', '─'],
  [{ runsFor: 0, panelData: { ...panelData, gates: [asksHere] } }, '33', '─'],
  [{ panelData: { ...panelData, gates: [asksHere], current: 'other' } }, '2', '─'],
  [{ awayFor: 0, panelData: { ...panelData, gates: [asksHere] } }, '31', '┄'],
]
for (const [more, colour, letter] of rules) {
  test(`the rule is of ${letter} in colour ${colour} with ${Object.keys(more).join(' and ') || 'nothing to say'}`, () => {
    const [, rule = ''] = drawFrame(viewOf(more), { ...parts, theme: coloured, fit: createFit(coloured) }, 30, 8)
    assert.equal(rule.startsWith(`\u001b[${colour}m${letter.repeat(30)}`), true, JSON.stringify(rule))
  })
}

const waitsHere = { panelData: { ...panelData, gates: [asksHere] } }
const used = { usage: { ...noUsage, inputTokens: 1_000, outputTokens: 1, costUsd: 0.5 } }
const statuses: readonly [name: string, more: object, width: number, line: string | RegExp][] = [
  ['an unknown model', { status: undefined }, 60, /^ … · 0 tokens +● connected {2}\/help$/],
  ['what the thread has used', used, 60, /^ m · 1,001 tokens · \$0\.500 +● connected {2}\/help$/],
  ['an unknown cost without tokens', { usage: { ...noUsage, costUsd: null } }, 60, /^ m · 0 tokens · cost unknown /],
  ['a free model', { usage: { ...noUsage, inputTokens: 1 } }, 60, /^ m · 1 token · free /],
  ['a turn', { runsFor: 65_000 }, 80, /^ m · 0 tokens +\* working 1 min 05 s, Esc stops · ● connected {2}\/help$/],
  ['a turn in little room', { runsFor: 5_000 }, 54, /^ m · 0 tokens +\* working 5 s · ● connected {2}\/help$/],
  ['a turn in less', { runsFor: 5_000 }, 40, /^ m · 0 tokens +\* working · ● \/help$/],
  ['a turn in hardly any', { runsFor: 5_000 }, 28, /^ m +\* working · ● \/help$/],
  ['a question', waitsHere, 80, /^ m · 0 tokens +● waiting for you · ● connected {2}\/help$/],
  ['a question in little room', waitsHere, 44, /^ m · 0 tokens +● connected {2}\/help$/],
  ['a lost connection', { awayFor: 3_000 }, 60, /^ m · 0 tokens +○ reconnecting 3 s {2}\/help$/],
  [
    'a lost connection in little room',
    { awayFor: 3_000, runsFor: 1 },
    44,
    /^ m · 0 tokens +○ reconnecting 3 s {2}\/help$/,
  ],
  ['no room', { status: { ...status, model: 'a-long-name' } }, 24, /^ a-long.*● \/help$/],
]
for (const [name, more, width, line] of statuses) {
  test(`the status line with ${name}`, () => {
    assert.match(drawn(more, width, 8).at(-1) ?? '', new RegExp(line))
  })
}

test('the day goes before the thread where there is no room for both', () => {
  const dear = { ...status, costToday: { costUsd: 2, unpricedCalls: 0 } }
  assert.match(drawn({ ...used, status: dear }, 80, 8).at(-1) ?? '', /^ m · 1,001 tokens · \$0\.500 · today \$2\.00 +●/)
  assert.match(drawn({ ...used, status: dear }, 50, 8).at(-1) ?? '', /^ m · 1,001 tokens · \$0\.500 +● connected/)
})

test('a cost that is unknown for the thread and for the day is said once', () => {
  const unpriced = { ...status, costToday: { costUsd: null, unpricedCalls: 2 } }
  const usage = { ...used.usage, costUsd: null }
  const line = drawn({ usage, status: unpriced }, 80, 8).at(-1) ?? ''
  assert.match(line, /^ m · 1,001 tokens · cost unknown +● connected/)
})

test('a notice has at most four lines, and the last of a longer one is cut', () => {
  const noticeOf = (words: number): string[] => {
    const notice = Array.from({ length: words }, (_, at) => `word${at}`).join(' ')
    return drawn({ notice }, 22, 14).filter((row) => row.includes('word'))
  }
  assert.deepEqual(noticeOf(2), [' word0 word1'])
  assert.deepEqual(noticeOf(12), [
    ' word0 word1 word2',
    ' word3 word4 word5',
    ' word6 word7 word8',
    ' word9 word10 word11',
  ])
  assert.equal(noticeOf(13).length, 4)
  assert.match(noticeOf(13)[3] ?? '', /…$/)
})

const dialogOf = (open: object) => ({ dialog: box('D', 3, { gate: open }) })
const hints: readonly [more: object, hint: RegExp][] = [
  [{}, /Message Atrium$/],
  [dialogOf(asksHere), /it waits until the request is answered$/],
  [{ ...dialogOf(asksHere), panelData: { ...panelData, current: 'other' } }, /Message Atrium$/],
  [{ ...dialogOf(asksHere), awayFor: 0 }, /what you write stays here$/],
]
for (const [more, hint] of hints) {
  test(`the composer of a view with ${Object.keys(more).join(' and ') || 'nothing else'} says ${hint}`, () => {
    assert.match(drawn(more, 90, 12).find((row) => row.startsWith('C90')) ?? '', hint)
  })
}

test('a line is measured once for each width and use, and a full cache starts again', () => {
  let cuts = 0
  const fit = createFit({
    ...theme,
    fit: (line) => {
      cuts++
      return line
    },
  })
  const cutTwice = (): number => {
    const before = cuts
    for (let time = 0; time < 2; time++) assert.equal(fit.cut('long line', 4), 'long\u001b[0m')
    return cuts - before
  }
  assert.deepEqual([cutTwice(), cutTwice()], [1, 0])
  assert.equal(fit.cut('long line', 5).slice(0, 5), 'long ')
  assert.equal(fit.padded('ab', 4), 'ab  ')
  for (let at = 0; at < 2_000; at++) fit.cut(`line ${at}`, 4)
  assert.equal(cutTwice(), 1)
})
