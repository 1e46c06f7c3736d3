// The greeting that an empty thread shows: where the service runs, and how to reach it.
import { visibleWidth } from '@earendil-works/pi-tui'
import { windowOf } from './box.ts'
import { piecesOf } from './pieces.ts'
import type { Theme } from './theme.ts'

/** A label of eight columns at the start of a line; the text after it is aligned below itself. */
const label = /^.{8} (?=\S)/

export interface Greeting {
  /** Exactly `height` lines. If there are more, the last line says how many. */
  render(width: number, height: number): string[]
  scroll(lines: number): void
  /** Scrolls by windows. */
  page(windows: number): void
}

export function createGreeting(
  { lines, location }: { readonly lines: () => readonly string[]; readonly location: string },
  { dim, bold, link }: Theme,
): Greeting {
  const plain = (text: string): string => text
  let from = 0
  let window = 1
  return {
    render(width, height) {
      const all = [
        ...wrapped('Every door opens into the same hall.', width, bold),
        ...wrapped(location, width, dim),
        '',
        ...lines().flatMap((line) => wrapped(line, width, plain, link)),
      ]
      window = Math.max(1, height - 1)
      const seen = windowOf(all, from, height)
      from = seen.from
      const below = all.length - from - height
      const shown = below > 0 && height > 1 ? [...seen.lines.slice(0, -1), dim(` ↓ ${below + 1} more`)] : seen.lines
      return [...shown, ...Array.from({ length: height - shown.length }, () => '')]
    },
    scroll(lines) {
      from = Math.max(0, from + lines)
    },
    page(windows) {
      from = Math.max(0, from + windows * window)
    },
  }
}

/**
 * Wraps a line at spaces. A word wider than the window, usually a URL, gets lines of its own from edge to edge, so that it
 * can be copied; in a terminal with hyperlinks each piece links to the whole URL.
 */
function wrapped(
  line: string,
  width: number,
  paint: (text: string) => string,
  link: (text: string, url: string) => string = (text) => text,
): string[] {
  const first = label.exec(line)?.[0] ?? ''
  const rows: string[] = []
  let row = ` ${first}`
  let empty = true
  const next = (): void => {
    rows.push(row.trimEnd())
    row = ' '.repeat(first.length + 1)
    empty = true
  }
  for (const [, gap = '', word = ''] of line.slice(first.length).matchAll(/( *)([^ ]+)/g)) {
    const url = /^https?:\/\//.test(word) ? word : undefined
    const shown = (piece: string): string => (url === undefined ? paint(piece) : link(paint(piece), url))
    const wide = visibleWidth(word)
    if (!empty && visibleWidth(row) + gap.length + wide > width) next()
    if (visibleWidth(row) + wide <= width) {
      row += `${empty ? '' : gap}${shown(word)}`
      empty = false
      continue
    }
    if (row.trim() !== '') rows.push(row.trimEnd())
    const pieces = piecesOf(word, width)
    rows.push(...pieces.slice(0, -1).map(shown))
    row = shown(pieces.at(-1) ?? '')
    empty = false
  }
  return row.trim() === '' ? rows : [...rows, row]
}
