// The block that a line of Markdown begins. Each function reads its line once or a bounded number of times.

export type Fence = { readonly char: string; readonly length: number; readonly indent: number; readonly info: string }

export type Marker = {
  readonly indent: number
  /** The character of a bullet, or the one after a number: markers of one list have the same. */
  readonly kind: string
  readonly number: number | undefined
  /** The column at which the item's text begins. */
  readonly width: number
  readonly rest: string
}

export function isBlank(line: string): boolean {
  return line.trim() === ''
}

/** The number of leading spaces. Tabs must be expanded before. */
export function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ') at++
  return at
}

/** Replaces leading tabs by spaces, up to columns of four. The line begins at `column`. */
export function expandTabs(line: string, column = 0): string {
  const leading = /^[ \t]*/.exec(line)?.[0] ?? ''
  if (!leading.includes('\t')) return line
  let end = column
  for (const char of leading) end += char === '\t' ? 4 - (end % 4) : 1
  return ' '.repeat(end - column) + line.slice(leading.length)
}

/** Drops up to `count` columns of leading spaces and tabs. What a tab takes beyond them stays as spaces. */
export function dropColumns(line: string, count: number, column: number): string {
  let end = column
  let at = 0
  for (; end < column + count && /[ \t]/.test(line[at] ?? ''); at++) end += line[at] === '\t' ? 4 - (end % 4) : 1
  return ' '.repeat(Math.max(0, end - column - count)) + line.slice(at)
}

export function fenceOf(line: string): Fence | undefined {
  const found = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line)
  if (!found) return undefined
  const [, indent = '', run = '', info = ''] = found
  const char = run.charAt(0)
  if (char === '`' && info.includes('`')) return undefined
  return { char, length: run.length, indent: indent.length, info: info.trim() }
}

export function closesFence(line: string, { char, length }: Fence): boolean {
  const found = fenceOf(line)
  return found !== undefined && found.char === char && found.length >= length && found.info === ''
}

export function headingOf(line: string): { depth: number; text: string } | undefined {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line)
  if (!marks) return undefined
  const text = line.slice(marks[0].length).trim()
  let end = text.length
  while (text[end - 1] === '#') end--
  const closed = end < text.length && (end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t')
  return { depth: marks[1]?.length ?? 1, text: closed ? text.slice(0, end).trimEnd() : text }
}

/** The depth of the heading that this line makes of the paragraph above it. */
export function underlineOf(line: string): 1 | 2 | undefined {
  if (indentOf(line) > 3) return undefined
  const marks = line.trim()
  if (/^=+$/.test(marks)) return 1
  return /^-+$/.test(marks) ? 2 : undefined
}

export function isRule(line: string): boolean {
  if (indentOf(line) > 3) return false
  const marks = line.replaceAll(/[ \t]/g, '')
  const char = marks.charAt(0)
  if (marks.length < 3 || (char !== '-' && char !== '*' && char !== '_')) return false
  for (const each of marks) if (each !== char) return false
  return true
}

/** The text of a quoted line. */
export function quotedIn(line: string): string | undefined {
  const mark = /^ {0,3}> ?/.exec(line)
  return mark ? line.slice(mark[0].length) : undefined
}

export function markerOf(line: string): Marker | undefined {
  const found = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/.exec(line)
  if (!found || isRule(line)) return undefined
  const [all, { length: indent } = '', mark = ''] = found
  const after = expandTabs(line.slice(all.length))
  const spaces = indentOf(after)
  const empty = spaces === after.length
  // Five spaces and more are one space and an indented code block.
  const padding = empty || spaces > 4 ? 1 : spaces
  const number = mark.length > 1 ? Number(mark.slice(0, -1)) : undefined
  return { indent, kind: mark.slice(-1), number, width: all.length + padding, rest: empty ? '' : after.slice(padding) }
}

/** This line ends the paragraph above it. `contained`: quotes and lists may begin here. */
export function interrupts(line: string, contained: boolean): boolean {
  const first = /^ {0,3}(\S)/.exec(line)?.[1]
  if (first === undefined) return false
  if (first === '#') return headingOf(line) !== undefined
  if (first === '`' || first === '~') return fenceOf(line) !== undefined
  if (contained && first === '>') return true
  if (isRule(line)) return true
  const marker = contained ? markerOf(line) : undefined
  return marker !== undefined && marker.rest !== '' && (marker.number === undefined || marker.number === 1)
}
