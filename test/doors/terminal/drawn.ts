// Drawn lines as plain text, the keys as a terminal sends them, and a reply of every kind: for tests of what is drawn.
import { stripTerminalSequences } from '@earendil-works/pi-tui'

export const keys = {
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  delete: '\u001b[3~',
  backspace: '\u007f',
  tab: '\t',
  shiftTab: '\u001b[Z',
  enter: '\r',
  escape: '\u001b',
} as const

/** The lines without styles, and without the blanks at their ends. The selected part stands between « and ». */
export function plain(lines: readonly string[]): string[] {
  return lines.map((line) =>
    stripTerminalSequences(line.replaceAll('\u001b[7m', '«').replaceAll('\u001b[27m', '»')).trimEnd(),
  )
}

/** The words of a drawn box, without its border. */
export function inside(lines: readonly string[]): string[] {
  return plain(lines)
    .slice(1, -1)
    .map((line) => line.replace(/^│ /, '').replace(/ *│$/, ''))
}

/** A reply with a table, code, a list and wide letters. */
export const mixedReply = `Here:

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
