// A reply and a call as they are drawn while they go on: the same as the whole one, wrapped, by the clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { piecesOf } from '#doors/terminal/pieces.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { mixedReply } from './drawn.ts'

const theme = createTheme({ colour: true, utf8: true })
const drawingAt = (now: () => number) => createDrawing(theme, () => '*', now)

test('a reply that is being said looks, when all is said, like the whole one', () => {
  for (const width of [20, 40, 78, 96]) {
    const drawing = drawingAt(() => 0)
    const whole = drawing.lines({ type: 'reply', id: 'w', text: mixedReply, whole: true }, undefined, width)
    let last: readonly string[] = []
    for (let end = 1; end <= mixedReply.length; end += 3) {
      const said = mixedReply.slice(0, Math.min(mixedReply.length, end + 2))
      last = drawing.lines({ type: 'reply', id: 's', text: said, whole: false }, undefined, width)
      for (const line of last) assert(visibleWidth(line) <= width, `${visibleWidth(line)} > ${width}: ${line}`)
    }
    const plain = (lines: readonly string[]): string[] =>
      lines.map((line) => stripTerminalSequences(line).replace('█', '').trimEnd())
    assert.deepEqual(plain(last), plain(whole))
  }
})

test('words wrap at blanks, code where it must, with a sign', () => {
  const drawing = drawingAt(() => 0)
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
  const drawing = drawingAt(() => 0)
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

test('a call that runs tells for how long, by the clock and not by its drawing', () => {
  let now = 1_000
  const drawing = drawingAt(() => now)
  const call = { type: 'call', id: 'c', name: 'read', args: '{}', state: 'running', fold: 'line', begun: 700 } as const
  const drawn = (): string => stripTerminalSequences(drawing.lines(call, undefined, 40).join('\n'))
  assert.match(drawn(), /\* read +0\.3 s$/)
  now = 15_700
  assert.match(drawn(), /\* read +15 s$/)
})

test('letters that take two columns are cut between, not through', () => {
  assert.deepEqual(piecesOf('日本語abc', 4), ['日本', '語ab', 'c'])
})
