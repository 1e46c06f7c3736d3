// The line of Markdown that opens or closes a block of code.

export type Fence = { readonly fence: string; readonly language: string }

const minMarks = 3
const maxLanguageChars = 40

/** Reads a line as a fence; undefined for other lines. By hand: a pattern would try a long line again from every mark. */
export function fenceOf(line: string): Fence | undefined {
  let start = 0
  while (start < 3 && line[start] === ' ') start++
  const mark = line[start]
  if (mark !== '`' && mark !== '~') return undefined
  let end = start
  while (line[end] === mark) end++
  if (end - start < minMarks || line.includes('`', end)) return undefined
  const rest = line.slice(end).trimStart()
  const language = /^\S*/.exec(rest.slice(0, maxLanguageChars))?.[0] ?? ''
  return { fence: line.slice(start, end), language }
}
