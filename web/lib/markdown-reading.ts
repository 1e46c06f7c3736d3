// State and limits of reading one Markdown text.
import type { Span } from './markdown-tree.ts'

/** Limits for one text. What lies beyond them is shown as plain text. */
export type MarkdownLimits = {
  /** Blocks, list items, cells and spans. */
  readonly nodes: number
  readonly formulas: number
  /** Characters in all formulas together. */
  readonly formulaChars: number
}

export type PendingText = { readonly text: string; readonly into: Span[] }

export type Reading = {
  /** Addresses by label, from lines such as `[label]: https://example.com`. */
  readonly definitions: Map<string, string>
  /** Texts to be read into spans once all definitions are known. */
  readonly pending: PendingText[]
  /** The rest of the limits. */
  readonly left: { -readonly [Name in keyof MarkdownLimits]: MarkdownLimits[Name] }
}

/** A point of a reading: how many texts were pending, and what was left of the limits. */
export type Mark = { readonly texts: number; readonly left: MarkdownLimits }

/** Where the first and the last row or item of a block begin. */
export type Entries = { readonly first: Mark; readonly last: Mark; readonly line: number }

export function markOf({ pending, left }: Reading): Mark {
  return { texts: pending.length, left: { ...left } }
}

/** Characters in one formula: typesetting takes more than linear time. */
export const maxFormulaLength = 2_000

export function createReading(limits: MarkdownLimits): Reading {
  return { definitions: new Map(), pending: [], left: { ...limits } }
}

/** Spans that are filled in once the whole text has been seen. */
export function spansLater({ pending }: Reading, text: string): Span[] {
  const into: Span[] = []
  pending.push({ text, into })
  return into
}

/** Takes a formula off the limits; false if it does not fit. */
export function takeFormula({ left }: Reading, length: number): boolean {
  if (length > maxFormulaLength || length > left.formulaChars || left.formulas <= 0) return false
  left.formulas--
  left.formulaChars -= length
  return true
}

/** Labels of definitions are compared without regard to case and spaces. */
export function labelOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
