// Alignment of table columns (`--:`, `:-:`), which the Markdown library leaves out: it sets every cell at the left.
import { sliceByColumn, stripTerminalSequences } from '@earendil-works/pi-tui'

type Align = 'left' | 'right' | 'center'

const delimiterCell = /^ *:?-+:? *$/
/** The upper edge of a drawn table, behind the signs of lists and the edges of quotes. */
const drawnTop = /^((?:[ │]|- |\d+\. |\[[ x]\] )*)┌([─┬]+)┐$/
/** The signs of lists and quotes at the start of a line of the source. */
const signs = /^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s|\[[ x]\]\s)+/

/**
 * Aligns the cells of drawn tables as their source asks, inside lists and quotes too. All stay as they are when it is not
 * certain which table of the source is which.
 */
export function alignTables(lines: readonly string[], source: string): readonly string[] {
  const tops = lines.flatMap((line, at) => {
    const [, before, edge] = (line.includes('┌─') && drawnTop.exec(stripTerminalSequences(line))) || []
    return edge === undefined
      ? []
      : [{ at, from: before?.length ?? 0, widths: edge.split('┬').map(({ length }) => length) }]
  })
  if (tops.length === 0) return lines
  const aligns = alignsIn(source)
  if (aligns.length !== tops.length) return lines
  const aligned = [...lines]
  for (const [index, { at: top, from, widths }] of tops.entries()) {
    const columns = aligns[index] ?? []
    if (widths.length !== columns.length || columns.every((align) => align === 'left')) continue
    for (let at = top + 1; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const edge = stripTerminalSequences(line)[from]
      if (edge === '│') aligned[at] = alignRow(line, { from, widths, columns })
      else if (edge !== '├') break
    }
  }
  return aligned
}

type Row = { readonly from: number; readonly widths: readonly number[]; readonly columns: readonly Align[] }

function alignRow(line: string, { from, widths, columns }: Row): string {
  let at = from + 1
  const cells = widths.map((width, index) => {
    const drawn = sliceByColumn(line, at, width)
    at += width + 1
    return alignCell(drawn, columns[index] ?? 'left')
  })
  // Up to the left edge and from the right one on, with the styles that begin and end there.
  return `${sliceByColumn(line, 0, from + 1)}${cells.join('│')}${line.slice(line.lastIndexOf('│'))}`
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

/** The columns of each table in the text, outside code blocks; none of a box that is drawn in the text itself. */
function alignsIn(source: string): Align[][] {
  const found: Align[][] = []
  let fence: string | undefined
  /** How many cells the line before has, with its first sign as that of a list or as a part of a cell. */
  let before: readonly number[] = []
  for (const line of source.split('\n')) {
    const text = line.replace(signs, '')
    const mark = /^(`{3,}|~{3,})/.exec(text)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    if (text.startsWith('┌─')) found.push([])
    const cells = fence === undefined && line.includes('|') ? cellsIn(line.replace(/^[\s>]+/, '')) : []
    const delimits = before.includes(cells.length) && cells.every((each) => delimiterCell.test(each))
    if (delimits) found.push(cells.map(alignOf))
    before = delimits || cells.length === 0 ? [] : [cells.length, cellsIn(text).length]
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
