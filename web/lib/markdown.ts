// Reads Markdown into a tree of blocks, in time that grows with the length of the text alone. HTML is text. Pictures
// become links: loading one could leak data.
import { blocksIn } from './markdown-blocks.ts'
import { mayDefine } from './markdown-definitions.ts'
import { createReading, type Entries, type MarkdownLimits, type PendingText, type Reading } from './markdown-reading.ts'
import { spansOf } from './markdown-spans.ts'
import type { MarkdownBlock } from './markdown-tree.ts'

/** Characters of a text that are formatted. */
const maxFormatted = 100_000

/** How much of a text is to be read as Markdown: all of it, or whole lines up to a limit. */
export function formattedLength(text: string): number {
  if (text.length <= maxFormatted) return text.length
  const line = text.lastIndexOf('\n', maxFormatted)
  return line > maxFormatted / 2 ? line + 1 : maxFormatted
}

/** One text has at most so much; what lies beyond is plain. A browser takes up to 0.1 ms for each node. */
const defaultLimits: MarkdownLimits = { nodes: 4_000, formulas: 200, formulaChars: 20_000 }

const none: MarkdownLimits = { nodes: 0, formulas: 0, formulaChars: 0 }
const noShare: Share = { used: none, spans: none }

/** A share of the limits, and how much of it spans have. */
type Share = { readonly used: MarkdownLimits; readonly spans: MarkdownLimits }

/** A block of the text itself, with what is needed to read on from it. */
type Part = Share & {
  readonly block: MarkdownBlock
  /** Where it begins in the text. */
  readonly offset: number
  /** It follows a blank line. */
  readonly gap: boolean
  /** Where the last row of a table begins, or the last of several items of a list, and the share of those before it. */
  readonly last?: (Share & { readonly offset: number }) | undefined
}

export type MarkdownText = {
  readonly text: string
  readonly parts: readonly Part[]
  readonly definitions: ReadonlyMap<string, string>
}

/**
 * Reads a text. With the result for its beginning, as while it streams in, blocks that cannot change any more are taken
 * from there, and so are rows and items before the last one: they are the same objects.
 */
export function readMarkdown(text: string, before?: MarkdownText, limits = defaultLimits): MarkdownText {
  if (!before || !text.startsWith(before.text)) return readAll(text, limits)
  const at = resumeAt(before)
  const open = before.parts[at]
  const offset = open?.last?.offset ?? open?.offset ?? 0
  // A definition makes links of labels above it.
  if (!open || offset === 0 || mayDefine(text.slice(offset))) return readAll(text, limits)
  const kept = before.parts.slice(0, at)
  const { used, spans } = [...kept, ...(open.last ? [open.last] : [])].reduce<Share>(addShare, noShare)
  const reading = createReading(minus(minus(limits, used), minus(none, spans)))
  for (const [label, address] of before.definitions) reading.definitions.set(label, address)
  // A row is read below the head of its table.
  const head =
    open.last && open.block.type === 'table' ? /^[^\n]*\n[^\n]*\n/.exec(text.slice(open.offset, offset))?.[0] : ''
  const from = { offset: offset - (head?.length ?? 0), gap: open.gap }
  const parts = readParts(`${head}${text.slice(offset)}`, { ...from, spans }, reading)
  if (open.last) {
    const first = parts[0] && join(open, open.last, parts[0])
    if (!first) return readAll(text, limits)
    parts[0] = first
  }
  return { text, parts: [...kept, ...parts], definitions: before.definitions }
}

/** A table or list whose last row or item was read again, with what followed; undefined if it is something else now. */
function join(open: Part, before: NonNullable<Part['last']>, again: Part): Part | undefined {
  const block = joinedBlock(open.block, again.block)
  if (!block) return undefined
  const last = again.last ? { ...addShare(before, again.last), offset: again.last.offset } : before
  return { block, offset: open.offset, gap: open.gap, ...addShare(before, again), last }
}

function joinedBlock(open: MarkdownBlock, again: MarkdownBlock): MarkdownBlock | undefined {
  if (open.type === 'table' && again.type === 'table' && again.rows.length > 0)
    return { ...open, rows: [...open.rows.slice(0, -1), ...again.rows] }
  if (open.type === 'list' && again.type === 'list')
    return { ...open, loose: open.loose || again.loose, items: [...open.items.slice(0, -1), ...again.items] }
  return undefined
}

function readAll(text: string, limits: MarkdownLimits): MarkdownText {
  const reading = createReading(limits)
  return {
    text,
    parts: readParts(text, { offset: 0, gap: false, spans: none }, reading),
    definitions: reading.definitions,
  }
}

/** The part from which a longer text is read: those before it stay as they are whatever follows. */
function resumeAt({ text, parts }: MarkdownText): number {
  const end = parts.at(-1)
  let at = parts.findLastIndex(({ gap }) => gap)
  if ((end?.last || end?.block.type === 'plain') && !opensFormula.test(text.slice(parts[at]?.offset, end.offset)))
    return parts.length - 1
  // A list goes on after a blank line, so that the part after it may turn out to be its next item.
  while (at > 0 && parts[at - 1]?.block.type === 'list') {
    const list = at - 1
    if (parts[list]?.last) return list
    at = parts.findLastIndex(({ gap }, index) => gap && index <= list)
  }
  return Math.max(0, at)
}

/** A formula that may be closed by a later line, and then holds what is between. */
const opensFormula = /^[^\S\n\r\u2028\u2029]*(?:\$\$|\\\[)/m

/** Reads the parts of a text, which begins at an offset of the whole; `spans` is the share of the spans before it. */
function readParts(text: string, from: Pick<Part, 'offset' | 'gap' | 'spans'>, reading: Reading): Part[] {
  const raw = text.split('\n')
  const lines = raw.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const offsets = [from.offset]
  for (const line of raw) offsets.push((offsets.at(-1) ?? 0) + line.length + 1)
  const found: (Omit<Part, 'last' | 'spans'> & {
    readonly texts: readonly PendingText[]
    readonly entries: Entries | undefined
  })[] = []
  let left = { ...reading.left }
  for (const { block, line, entries, gap } of blocksIn(lines, reading)) {
    const used = minus(left, reading.left)
    left = { ...reading.left }
    const isGap = gap || (found.length === 0 && from.gap)
    found.push({ block, offset: offsets[line] ?? 0, gap: isGap, used, texts: reading.pending.splice(0), entries })
  }
  left = minus(left, from.spans)
  Object.assign(reading.left, left)
  // All definitions are known now.
  return found.map(({ texts, used, entries, ...part }) => {
    const leftAt = [left]
    for (const { text: own, into } of texts) {
      for (const span of spansOf(own, reading)) into.push(span)
      leftAt.push({ ...reading.left })
    }
    const spans = minus(left, reading.left)
    left = { ...reading.left }
    const own = { ...part, used: plus(used, spans), spans }
    if (!entries) return own
    const { first, last, line } = entries
    const before = minus(leftAt[first.texts] ?? left, leftAt[last.texts] ?? left)
    const share = { used: plus(minus(first.left, last.left), before), spans: before }
    return { ...own, last: { ...share, offset: offsets[line] ?? 0 } }
  })
}

function minus(one: MarkdownLimits, other: MarkdownLimits): MarkdownLimits {
  return {
    nodes: one.nodes - other.nodes,
    formulas: one.formulas - other.formulas,
    formulaChars: one.formulaChars - other.formulaChars,
  }
}

function plus(one: MarkdownLimits, other: MarkdownLimits): MarkdownLimits {
  return minus(one, minus(none, other))
}

function addShare(one: Share, other: Share): Share {
  return { used: plus(one.used, other.used), spans: plus(one.spans, other.spans) }
}
