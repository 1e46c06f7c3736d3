// Reads Markdown into a tree of blocks, in time that grows with the length of the text alone. HTML is text. Pictures
// become links: loading one could leak data.
import { blocksIn } from './markdown-blocks.ts'
import { createReading, type MarkdownLimits, type PendingText, type Reading } from './markdown-reading.ts'
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

/** A block of the text itself, with what is needed to read on from it. */
type Part = {
  readonly block: MarkdownBlock
  /** Where it begins in the text. */
  readonly offset: number
  /** It follows a blank line. */
  readonly gap: boolean
  /** Its share of the limits. */
  readonly used: MarkdownLimits
}

export type MarkdownText = {
  readonly text: string
  readonly parts: readonly Part[]
  readonly definitions: ReadonlyMap<string, string>
}

/**
 * Reads a text. With the result for its beginning, as while it streams in, blocks that cannot change any more are taken
 * from there: they are the same objects.
 */
export function readMarkdown(text: string, before?: MarkdownText, limits = defaultLimits): MarkdownText {
  const firm = before && text.startsWith(before.text) ? firmCount(before.parts) : 0
  const offset = before?.parts[firm]?.offset ?? 0
  // A definition makes links of labels above it.
  if (!before || firm === 0 || definition.test(text.slice(offset))) return readAll(text, limits)
  const kept = before.parts.slice(0, firm)
  const reading = createReading(kept.reduce((left, { used }) => minus(left, used), limits))
  for (const [label, address] of before.definitions) reading.definitions.set(label, address)
  const parts = readParts(text, { offset, gap: true }, reading)
  return { text, parts: [...kept, ...parts], definitions: before.definitions }
}

function readAll(text: string, limits: MarkdownLimits): MarkdownText {
  const reading = createReading(limits)
  return { text, parts: readParts(text, { offset: 0, gap: false }, reading), definitions: reading.definitions }
}

/** A line that may define a label, also one in a quote or a list. */
const definition = /^[ >*+\d.)-]{0,40}\[[^\]\n]{1,200}\]:/m

/** How many parts stay as they are whatever follows: those before the last blank line that is not within a list. */
function firmCount(parts: readonly Part[]): number {
  let count = parts.findLastIndex(({ gap }) => gap)
  // A list goes on after a blank line, so that the part after it may turn out to be its next item.
  while (count > 0 && parts[count - 1]?.block.type === 'list') {
    const list = count - 1
    count = parts.findLastIndex(({ gap }, at) => gap && at <= list)
  }
  return Math.max(0, count)
}

function readParts(text: string, from: { offset: number; gap: boolean }, reading: Reading): Part[] {
  const raw = text.slice(from.offset).split('\n')
  const lines = raw.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const found: (Part & { readonly texts: readonly PendingText[] })[] = []
  let offset = from.offset
  let line = 0
  let left = { ...reading.left }
  for (const next of blocksIn(lines, reading)) {
    for (; line < next.line; line++) offset += (raw[line]?.length ?? 0) + 1
    const gap = next.gap || (found.length === 0 && from.gap)
    const used = minus(left, reading.left)
    left = { ...reading.left }
    found.push({ block: next.block, offset, gap, used, texts: reading.pending.splice(0) })
  }
  // All definitions are known now.
  return found.map(({ texts, used, ...part }) => {
    for (const { text: own, into } of texts) for (const span of spansOf(own, reading)) into.push(span)
    const all = minus(used, minus(reading.left, left))
    left = { ...reading.left }
    return { ...part, used: all }
  })
}

function minus(one: MarkdownLimits, other: MarkdownLimits): MarkdownLimits {
  return {
    nodes: one.nodes - other.nodes,
    formulas: one.formulas - other.formulas,
    formulaChars: one.formulaChars - other.formulaChars,
  }
}
