// Reads a table of Markdown: a line of names, a line of dashes, then rows.
import { interrupts, isBlank } from './markdown-lines.ts'
import { type Entries, markOf, type Reading, spansLater } from './markdown-reading.ts'
import type { Align, MarkdownBlock } from './markdown-tree.ts'

/** A table with more columns is text. */
const maxColumns = 64

/** A table begins at this line. */
export function isTable(lines: readonly string[], at: number): boolean {
  return alignsOf(lines, at) !== undefined
}

export function readTable(
  lines: readonly string[],
  from: number,
  reading: Reading,
): { block: MarkdownBlock; next: number; entries?: Entries } | undefined {
  const aligns = alignsOf(lines, from)
  if (!aligns) return undefined
  const row = (line: string) => {
    const cells = cellsOf(line).slice(0, aligns.length)
    reading.left.nodes -= cells.length
    return cells.map((cell) => spansLater(reading, cell))
  }
  const head = row(lines[from] ?? '')
  const rows = []
  const first = markOf(reading)
  let last = first
  let at = from + 2
  for (; at < lines.length && reading.left.nodes > 0; at++) {
    const line = lines[at] ?? ''
    if (isBlank(line) || interrupts(line, true)) break
    last = markOf(reading)
    rows.push(row(line))
  }
  const block: MarkdownBlock = { type: 'table', aligns, head, rows }
  return { block, next: at, ...(rows.length > 0 && { entries: { first, last, line: at - 1 } }) }
}

/** The alignments in the line of dashes below a line of names; undefined where there is no table. */
function alignsOf(lines: readonly string[], at: number): Align[] | undefined {
  const below = lines[at + 1] ?? ''
  if (!below.includes('-') || !/^[ \t|:-]+$/.test(below) || !lines[at]?.includes('|')) return undefined
  const cells = cellsOf(below)
  if (cells.length > maxColumns || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined
  if (cellsOf(lines[at] ?? '').length !== cells.length) return undefined
  return cells.map((cell) => {
    const right = cell.endsWith(':')
    if (cell.startsWith(':')) return right ? 'center' : 'left'
    return right ? 'right' : undefined
  })
}

/** Splits a row at each `|` that is not escaped. */
function cellsOf(line: string): string[] {
  const text = line.trim()
  const cells: string[] = []
  let from = text.startsWith('|') ? 1 : 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '|') {
      cells.push(text.slice(from, at))
      from = at + 1
    }
  }
  if (from < text.length) cells.push(text.slice(from))
  return cells.map((cell) => cell.replaceAll('\\|', '|').trim())
}
