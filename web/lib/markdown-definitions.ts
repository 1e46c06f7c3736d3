// Reads footnotes and the lines that define what labels link to.
import { interrupts, isBlank } from './markdown-lines.ts'
import { labelOf, type Reading, spansLater } from './markdown-reading.ts'
import type { MarkdownBlock } from './markdown-tree.ts'

const maxDefinitions = 1_000

/** `[^label]: text`, up to a blank line or the next footnote. */
export function readNote(
  lines: readonly string[],
  from: number,
  reading: Reading,
): { block: MarkdownBlock; next: number } | undefined {
  const [, label, first = ''] = noteStart.exec(lines[from] ?? '') ?? []
  if (label === undefined || reading.definitions.size >= maxDefinitions) return undefined
  const text = [first]
  let at = from + 1
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (isBlank(line) || noteStart.test(line) || interrupts(line, true)) break
    text.push(line.trimStart())
  }
  reading.definitions.set(`^${labelOf(label)}`, '')
  return { block: { type: 'note', label, spans: spansLater(reading, text.join('\n').trimEnd()) }, next: at }
}

const noteStart = /^ {0,3}\[\^([^\]\s[^]{1,40})\]:[ \t]*(.*)$/

/** `[label]: address`: not shown. */
export function readDefinition(
  lines: readonly string[],
  at: number,
  { definitions }: Reading,
): { next: number } | undefined {
  const found = definition.exec(lines[at] ?? '')
  const [, label = '', bracketed, bare = ''] = found ?? []
  if (!found || definitions.size >= maxDefinitions) return undefined
  const name = labelOf(label)
  if (!definitions.has(name)) definitions.set(name, bracketed ?? bare)
  return { next: at + 1 }
}

const definition =
  /^ {0,3}\[([^\]\\[^][^\]\\[]{0,199})\]:[ \t]*(?:<([^<>]{1,2000})>|([^\s<]\S{0,1999}))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*$/

/** A line of the text may define a label, also one in a quote, a list or a task. */
export function mayDefine(text: string): boolean {
  return /^(?:[ \t>*+\d.)-]|\[[ xX]\]){0,200}\[[^\]\n]{1,200}\]:/m.test(text)
}
