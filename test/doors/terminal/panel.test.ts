// The side panel by its lines and keys: what waits, the threads, the selection, and what a low window shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import type { Thread } from '#core/turn.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { createPanel, type PanelData, panelWidth } from '#doors/terminal/panel.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { keys, plain } from './drawn.ts'
import { turn } from './fake.ts'

const theme = createTheme({ colour: false, utf8: true })
const thread = (id: string, more: Partial<Thread> = {}): Thread => {
  return { ...turn('t', 'completed'), id, title: `Thread ${id}`, lastSeq: 0, updatedAt: 0, state: 'idle', ...more }
}
const gate = (name: string, threadId = 'other'): OpenGate => ({
  turn: turn('t', 'waiting', { threadId }),
  gate: { type: 'gate', callId: name, kind: 'approval', name, args: '{}', prompt: '' },
  at: 0,
})
const dataOf = (gates: number, threads: number, more: Partial<PanelData> = {}): PanelData => ({
  gates: Array.from({ length: gates }, (_, at) => gate(`g${at}`)),
  threads: Array.from({ length: threads }, (_, at) => thread(`t${at}`)),
  current: undefined,
  now: 120_000,
  sign: '*',
  ...more,
})
/** Each row in a word: `g0`, `t0`, the selected one in brackets. */
const brief = (lines: readonly string[]): string =>
  plain(lines)
    .map((line) => line.replace(/^(«?).*?\b([gt]\d+)\b.*?(»?)$/, (_, open, id) => (open ? `[${id}]` : String(id))))
    .join(' ')

test('what waits stands above the threads, each with its sign, cut to the width of the panel', () => {
  const panel = createPanel(theme)
  const threads = [
    thread('a', { title: 'Plans' }),
    thread('b', { state: 'running', door: 'telegram' }),
    thread('c', { state: 'failed' }),
    thread('d', { title: 'x'.repeat(50), state: 'running' }),
  ]
  const lines = panel.render(dataOf(0, 0, { gates: [gate('write', 'd')], threads, current: 'a' }), 20, false)
  assert.deepEqual(plain(lines), [
    'Waiting for you',
    `  >_ Run write?${' '.repeat(13)} 2 min`,
    '',
    'Threads',
    '▌ >_ Plans',
    `  <> Thread b${' '.repeat(20)}*`,
    `  >_ Thread c${' '.repeat(20)}▲`,
    `  >_ ${'x'.repeat(26)}… ●`,
  ])
  for (const line of lines) assert(visibleWidth(line) < panelWidth)
})

test('a panel without threads says so', () => {
  const panel = createPanel(theme)
  assert.deepEqual(plain(panel.render(dataOf(0, 0), 9, true)), ['Threads', 'No threads yet'])
  assert.deepEqual(plain(panel.render(dataOf(0, 0), 1, true)), ['Threads'])
})

test('of more than eight gates the rest is counted', () => {
  const panel = createPanel(theme)
  const names = 'g0 g1 g2 g3 g4 g5 g6 g7'
  assert.equal(brief(panel.render(dataOf(8, 1), 20, false)), `Waiting for you ${names}  Threads t0`)
  assert.equal(
    brief(panel.render(dataOf(10, 1), 20, false)),
    `Waiting for you ${names}   and 2 more: /waiting  Threads t0`,
  )
})

test('Up and Down go through gates and threads, stop at both ends, and Enter picks', () => {
  const panel = createPanel(theme)
  const data = dataOf(2, 2)
  const moves: readonly [key: string, lines: string][] = [
    [keys.up, '[g0] g1  Threads t0 t1'],
    [keys.down, 'g0 [g1]  Threads t0 t1'],
    [keys.down, 'g0 g1  Threads [t0] t1'],
    [keys.down, 'g0 g1  Threads t0 [t1]'],
    [keys.down, 'g0 g1  Threads t0 [t1]'],
    [keys.up, 'g0 g1  Threads [t0] t1'],
  ]
  for (const [key, lines] of moves) {
    assert.equal(panel.press(key, data), undefined)
    assert.equal(brief(panel.render(data, 20, true)), `Waiting for you ${lines}`)
  }
  assert.deepEqual(panel.press(keys.enter, data), { threadId: 't0' })
  assert.doesNotMatch(brief(panel.render(data, 20, false)), /\[/, 'the selection is not marked without the focus')
  panel.press(keys.up, data)
  assert.deepEqual(panel.press(keys.enter, data), { gate: data.gates[1] })
})

test('the threads scroll with the selection, and the selection stays within a list that got shorter', () => {
  const panel = createPanel(theme)
  const data = dataOf(1, 6)
  const rows: string[] = []
  for (let at = 0; at < 7; at++) {
    rows.push(brief(panel.render(data, 7, true)).replace(/^.*Threads /, ''))
    panel.press(keys.down, data)
  }
  assert.deepEqual(rows, [
    't0 t1 t2',
    '[t0] t1 t2',
    't0 [t1] t2',
    't0 t1 [t2]',
    't1 t2 [t3]',
    't2 t3 [t4]',
    't3 t4 [t5]',
  ])
  assert.equal(brief(panel.render(dataOf(0, 2), 9, true)), 'Threads t0 [t1]')
  assert.equal(brief(panel.render(dataOf(0, 0), 9, true)), 'Threads No threads yet')
  assert.equal(brief(panel.render(dataOf(0, 2), 9, true)), 'Threads [t0] t1')
})
