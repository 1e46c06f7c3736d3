// Reads lines of Markdown into blocks. Quotes and lists are read line by line, then their content in the same way, down
// to a bounded depth: the work grows with the length of the text alone.
import { readDefinition, readNote } from './markdown-definitions.ts'
import {
  closesFence,
  dropColumns,
  expandTabs,
  type Fence,
  fenceOf,
  headingOf,
  indentOf,
  interrupts,
  isBlank,
  isRule,
  markerOf,
  quotedIn,
  underlineOf,
} from './markdown-lines.ts'
import { type Entries, markOf, maxFormulaLength, type Reading, spansLater, takeFormula } from './markdown-reading.ts'
import { isTable, readTable } from './markdown-table.ts'
import type { ListItem, MarkdownBlock } from './markdown-tree.ts'

/** Quotes and lists inside one another. Deeper ones are text. */
const maxDepth = 12
/** Characters of a paragraph. A longer one is plain: a browser lays all lines of a paragraph out at once. */
const maxParagraph = 20_000

export type FoundBlock = {
  readonly block: MarkdownBlock
  /** The line at which it begins. */
  readonly line: number
  /** It follows a blank line. */
  readonly gap: boolean
  readonly entries?: Entries | undefined
}

/** The result of a reader: the block, if the lines make one, and the line after it. */
type Read = { readonly block?: MarkdownBlock; readonly next: number; readonly entries?: Entries }

type Lines = {
  /** Their leading tabs are spaces. */
  readonly lines: readonly string[]
  /** As they were written: code keeps its tabs. */
  readonly source: readonly string[]
  /** The column at which they begin in the text. */
  readonly column: number
  readonly reading: Reading
  readonly depth: number
  /** Characters before each line. */
  readonly offsets: readonly number[]
  /** The next line at or after this one that satisfies a condition; the number of lines if there is none. */
  readonly nextBlank: (at: number) => number
  readonly nextDollars: (at: number) => number
  readonly nextBracket: (at: number) => number
}

/** Yields the blocks of some lines, which begin at `column`. Their texts are in `reading.pending`. */
export function* blocksIn(
  source: readonly string[],
  reading: Reading,
  { depth = 0, column = 0 } = {},
): Generator<FoundBlock> {
  const lines = source.map((line) => expandTabs(line, column))
  const own: Lines = {
    lines,
    source,
    column,
    reading,
    depth,
    offsets: offsetsOf(lines),
    nextBlank: finder(lines, isBlank),
    nextDollars: finder(lines, (line) => line.includes('$$')),
    nextBracket: finder(lines, (line) => line.includes('\\]')),
  }
  let gap = false
  let at = 0
  while (at < lines.length) {
    if (isBlank(lines[at] ?? '')) {
      gap = true
      at++
      continue
    }
    if (reading.left.nodes <= 0) {
      yield { block: { type: 'plain', text: lines.slice(at).join('\n') }, line: at, gap }
      return
    }
    const { block, next, entries } = readBlock(own, at)
    if (block) {
      // Code is drawn with its language and a button.
      reading.left.nodes -= block.type === 'code' ? 8 : 1
      yield { block, line: at, gap, entries }
      gap = false
    }
    at = next
  }
}

function readBlock(own: Lines, at: number): Read {
  const line = own.lines[at] ?? ''
  if (indentOf(line) > 3) return readIndented(own, at)
  const fence = fenceOf(line)
  if (fence) return readFence(own, at, fence)
  const heading = headingOf(line)
  if (heading) {
    const { depth, text } = heading
    return { block: { type: 'heading', depth, spans: spansLater(own.reading, text) }, next: at + 1 }
  }
  if (isRule(line)) return { block: { type: 'rule' }, next: at + 1 }
  return (
    readMath(own, at) ??
    (own.depth < maxDepth ? (readQuote(own, at) ?? readList(own, at)) : undefined) ??
    readTable(own.lines, at, own.reading) ??
    readNote(own.lines, at, own.reading) ??
    readDefinition(own.lines, at, own.reading) ??
    readParagraph(own, at)
  )
}

function readIndented({ lines }: Lines, from: number): Read {
  let at = from
  let next = from
  while (at < lines.length) {
    const line = lines[at] ?? ''
    at++
    if (isBlank(line)) continue
    if (indentOf(line) < 4) break
    next = at
  }
  const text = lines.slice(from, next).map((line) => line.slice(4))
  return { block: { type: 'code', language: '', text: text.join('\n') }, next }
}

/** A fence that is not closed reaches to the end. */
function readFence({ lines, source, column }: Lines, from: number, fence: Fence): Read {
  let at = from + 1
  while (at < lines.length && !closesFence(lines[at] ?? '', fence)) at++
  const text = source.slice(from + 1, at).map((line) => dropColumns(line, fence.indent, column))
  const language = /^[^\s`]*/.exec(fence.info)?.[0] ?? ''
  return { block: { type: 'code', language, text: text.join('\n') }, next: at + 1 }
}

/** A formula on lines of its own. Without its end, or beyond the limits, its lines are text. */
function readMath(own: Lines, from: number): Read | undefined {
  const { lines, reading } = own
  const end = formulaEnd(own, from)
  if (end === undefined) return undefined
  const text = lines
    .slice(from, end + 1)
    .join('\n')
    .trim()
    .slice(2, -2)
    .trim()
  if (text === '' || !takeFormula(reading, text.length)) return undefined
  return { block: { type: 'math', text }, next: end + 1 }
}

/** The last line of the formula that begins at a line: the first one with its closing marks, which must end it. */
function formulaEnd({ lines, offsets, ...own }: Lines, from: number): number | undefined {
  const first = (lines[from] ?? '').trim()
  const marks = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\]' : undefined
  if (marks === undefined) return undefined
  const closed = first.indexOf(marks, 2)
  if (closed >= 0) return closed === first.length - 2 ? from : undefined
  const end = (marks === '$$' ? own.nextDollars : own.nextBracket)(from + 1)
  if (end >= own.nextBlank(from) || (offsets[end] ?? 0) - (offsets[from] ?? 0) > maxFormulaLength) return undefined
  const last = (lines[end] ?? '').trimEnd()
  return last.indexOf(marks) === last.length - 2 ? end : undefined
}

function readQuote({ lines, reading, depth }: Lines, from: number): Read | undefined {
  const inside: string[] = []
  const paragraph = createLazy()
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const text = quotedIn(line) ?? (paragraph.takes(line) ? line : undefined)
    if (text === undefined) break
    inside.push(text)
    paragraph.saw(expandTabs(text))
  }
  if (inside.length === 0) return undefined
  const blocks = [...blocksIn(inside, reading, { depth: depth + 1 })].map(({ block }) => block)
  return { block: { type: 'quote', blocks }, next: at }
}

function readList(own: Lines, from: number): Read | undefined {
  const first = markerOf(own.lines[from] ?? '')
  if (!first) return undefined
  const items: ListItem[] = []
  let loose = false
  let at = from
  let next = from
  const begin = markOf(own.reading)
  let entries: Entries | undefined
  while (own.reading.left.nodes > 0) {
    const marker = markerOf(own.lines[at] ?? '')
    if (marker?.kind !== first.kind) break
    if (at > from) entries = { first: begin, last: markOf(own.reading), line: at }
    // A blank line stood between this item and the one before.
    if (at > next) loose = true
    own.reading.left.nodes--
    const item = readItem(own, at)
    if (item.gap) loose = true
    items.push(item.item)
    next = item.next
    at = item.next
    while (at < own.lines.length && isBlank(own.lines[at] ?? '')) at++
  }
  const start = first.number === undefined ? {} : { start: first.number }
  return { block: { type: 'list', ...start, loose, items }, next, ...(entries && { entries }) }
}

type ReadItem = { readonly item: ListItem; readonly gap: boolean; readonly next: number }

function readItem({ lines, source, column, reading, depth }: Lines, from: number): ReadItem {
  const { width = 0, rest = '' } = markerOf(lines[from] ?? '') ?? {}
  const task = /^\[([ xX])\](?=[ \t])/.exec(rest)
  const inside = [task ? rest.slice(3).trimStart() : rest]
  const paragraph = createLazy()
  paragraph.saw(inside[0] ?? '')
  let next = from + 1
  // An item that begins with two blank lines is empty.
  const isEmpty = isBlank(rest) && isBlank(lines[next] ?? '')
  for (let at = next; at < lines.length && !isEmpty; at++) {
    const line = lines[at] ?? ''
    const belongs = isBlank(line) || indentOf(line) >= width
    if (!belongs && !paragraph.takes(line)) break
    inside.push(belongs ? dropColumns(source[at] ?? '', width, column) : line)
    paragraph.saw(belongs ? line.slice(width) : line)
    if (!isBlank(line)) next = at + 1
  }
  const found = [...blocksIn(inside.slice(0, next - from), reading, { depth: depth + 1, column: column + width })]
  const item = { ...(task && { checked: task[1] !== ' ' }), blocks: found.map(({ block }) => block) }
  return { item, gap: found.some(({ gap }, at) => gap && at > 0), next }
}

function readParagraph(own: Lines, from: number): Read {
  const { lines, reading, depth } = own
  const text = [(lines[from] ?? '').trimStart()]
  let at = from + 1
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isBlank(line)) break
    const heading = underlineOf(line)
    if (heading) {
      const spans = spansLater(reading, text.join('\n').trimEnd())
      return { block: { type: 'heading', depth: heading, spans }, next: at + 1 }
    }
    if (interrupts(line, depth < maxDepth) || formulaEnd(own, at) !== undefined || isTable(lines, at)) break
    text.push(line.trimStart())
  }
  const whole = text.join('\n').trimEnd()
  if (whole.length > maxParagraph) return { block: { type: 'plain', text: whole }, next: at }
  return { block: { type: 'paragraph', spans: spansLater(reading, whole) }, next: at }
}

/** Finds the next line that satisfies a condition. Each line is tested once: calls must not go back. */
function finder(lines: readonly string[], fits: (line: string) => boolean): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) for (found = from; found < lines.length && !fits(lines[found] ?? ''); ) found++
    return found
  }
}

function offsetsOf(lines: readonly string[]): number[] {
  let sum = 0
  return lines.map((line) => {
    const offset = sum
    sum += line.length + 1
    return offset
  })
}

/** Knows whether a paragraph is open at the end of a quote or an item: a line without the marks may continue it. */
function createLazy(): { saw(line: string): void; takes(line: string): boolean } {
  let fence: Fence | undefined
  let open = false
  return {
    saw(line) {
      if (fence) {
        if (closesFence(line, fence)) fence = undefined
        return
      }
      fence = fenceOf(line.trimStart())
      open = !fence && !isBlank(line) && (open || indentOf(line) < 4) && !headingOf(line) && !isRule(line)
    },
    takes: (line) => open && !isBlank(line) && !interrupts(line, true) && !markerOf(line),
  }
}
