// Alignment of table columns (`--:`, `:-:`), which the Markdown library leaves out: it sets every cell at the left.
import { sliceByColumn, stripTerminalSequences } from '@earendil-works/pi-tui'

type Align = 'left' | 'right' | 'center'

const delimiterCell = /^ *:?-+:? *$/

/**
 * Aligns the cells of drawn tables as their source asks. Tables inside lists and quotes stay as they are, and so do all
 * when it is not certain which table of the source is which.
 */
export function alignTables(lines: readonly string[], source: string): readonly string[] {
  const tops = lines.flatMap((line, at) => (line.startsWith('┌─') ? [at] : []))
  if (tops.length === 0) return lines
  const aligns = alignsIn(source)
  if (aligns.length !== tops.length) return lines
  const aligned = [...lines]
  for (const [index, top] of tops.entries()) {
    const columns = aligns[index] ?? []
    const widths = (lines[top] ?? '')
      .slice(1, -1)
      .split('┬')
      .map((part) => part.length)
    if (widths.length !== columns.length || columns.every((align) => align === 'left')) continue
    for (let at = top + 1; lines[at]?.startsWith('└') === false; at++) {
      const line = lines[at] ?? ''
      if (line.startsWith('│')) aligned[at] = alignRow(line, widths, columns)
    }
  }
  return aligned
}

function alignRow(line: string, widths: readonly number[], columns: readonly Align[]): string {
  let from = 1
  const cells = widths.map((width, index) => {
    const drawn = sliceByColumn(line, from, width)
    from += width + 1
    return alignCell(drawn, columns[index] ?? 'left')
  })
  return `│${cells.join('│')}│`
}

/** A drawn cell is a blank, its text, the padding, and a blank; styles may begin before the text and end behind the padding. */
function alignCell(drawn: string, align: Align): string {
  const plain = stripTerminalSequences(drawn)
  const padding = plain.length - plain.trimEnd().length - 1
  // A blank cell has no text whose end could be found.
  if (align === 'left' || padding <= 0 || plain.trim() === '') return drawn
  const begins = drawn.indexOf(' ') + 1
  const ends = drawn.lastIndexOf(' '.repeat(padding), drawn.length - 1 - padding)
  const left = align === 'right' ? padding : Math.floor(padding / 2)
  const text = drawn.slice(begins, ends)
  return `${drawn.slice(0, begins)}${' '.repeat(left)}${text}${' '.repeat(padding - left)}${drawn.slice(ends + padding)}`
}

/** The columns of each table in the text, outside code blocks. */
function alignsIn(source: string): Align[][] {
  const found: Align[][] = []
  let fence: string | undefined
  let before: readonly string[] = []
  for (const line of source.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    const cells = fence === undefined && line.includes('|') ? cellsIn(line) : []
    const delimits =
      cells.length > 0 && cells.length === before.length && cells.every((each) => delimiterCell.test(each))
    if (delimits) found.push(cells.map(alignOf))
    before = delimits ? [] : cells
  }
  return found
}

function cellsIn(line: string): string[] {
  return line.replaceAll(String.raw`\|`, ' ').trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
}

function alignOf(delimiter: string): Align {
  const mark = delimiter.trim()
  if (!mark.endsWith(':')) return 'left'
  return mark.startsWith(':') ? 'center' : 'right'
}
