// A border around lines, with a title at the top left and a short text at the top right.
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import type { Paint } from './theme.ts'

export type BoxLook = { readonly title: string; readonly corner?: string; readonly border: Paint }

/** Draws a box of this width around the lines. Longer lines are truncated. */
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

/** The lines that fit into `height`, starting at `from`. The returned `from` is clamped to the list. */
export function windowOf<T>(lines: readonly T[], from: number, height: number): { lines: T[]; from: number } {
  const first = Math.max(0, Math.min(from, lines.length - height))
  return { lines: lines.slice(first, first + height), from: first }
}
