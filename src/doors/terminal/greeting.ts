// What a thread that has nothing in it shows: where this is, and how to reach it.
import { visibleWidth } from '@earendil-works/pi-tui'
import { windowOf } from './box.ts'
import { piecesOf } from './pieces.ts'
import type { Theme } from './theme.ts'

/** A word in the width of a label begins a line, and what follows it stands below each other. */
const label = /^.{8} (?=\S)/

export interface Greeting {
  /** So many lines of this width; where there are more, the last one says so. */
  render(width: number, height: number): string[]
  scroll(lines: number): void
  /** The same by windows. */
  page(windows: number): void
}

export function createGreeting(
  { greeting, place }: { readonly greeting: readonly string[]; readonly place: string },
  { dim, bold, link }: Theme,
): Greeting {
  const plain = (text: string): string => text
  let from = 0
  let window = 1
  return {
    render(width, height) {
      const all = [
        ...laid('Every door opens into the same hall.', width, bold),
        ...laid(place, width, dim),
        '',
        ...greeting.flatMap((line) => laid(line, width, plain, link)),
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
 * A line in a width, broken at blanks. A word that is wider than that, an address above all, has lines of its own from
 * edge to edge, so that it can be copied; in a terminal that knows links each piece leads to the whole of it.
 */
function laid(
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
