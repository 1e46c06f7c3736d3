// Drawn lines as plain text, and the keys as a terminal sends them: for tables of what a part of the screen draws.
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
