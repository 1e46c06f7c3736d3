// A frame around lines, with a title above and a word at its right.
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'

type Paint = (text: string) => string

export type BoxLook = { readonly title: string; readonly corner?: string; readonly border: Paint }

/** The lines in a frame of this width; none of them is wider than its inside. */
export function boxed(lines: readonly string[], width: number, { title, corner = '', border }: BoxLook): string[] {
  const inside = width - 4
  const head = truncateToWidth(title, Math.max(1, inside - 2), '…')
  const end = corner !== '' && visibleWidth(head) + visibleWidth(corner) + 5 <= inside ? ` ${corner} ──` : ''
  const rule = Math.max(0, width - 4 - visibleWidth(head) - 1 - visibleWidth(end))
  return [
    `${border('╭─ ')}${head}${border(` ${'─'.repeat(rule)}${end}╮`)}`,
    ...lines.map((line) => `${border('│')} ${truncateToWidth(line, inside, '…', true)} ${border('│')}`),
    border(`╰${'─'.repeat(width - 2)}╯`),
  ]
}

/** As many of the lines as fit, from a row on; `from` is the first that is shown. */
export function windowOf<T>(lines: readonly T[], from: number, height: number): { lines: T[]; from: number } {
  const first = Math.max(0, Math.min(from, lines.length - height))
  return { lines: lines.slice(first, first + height), from: first }
}
