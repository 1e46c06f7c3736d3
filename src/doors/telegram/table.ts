// Tables of Markdown as plain lines whose columns stand below each other, for monospaced text.

/** Between two columns. */
const gap = '  '

/** The end of the table that begins at a line; undefined if none does. In a part of a table, each row has pipes at both ends. */
export function tableEnd(lines: readonly string[], from: number): number | undefined {
  const head = lines[from] ?? ''
  if (!head.includes('|')) return undefined
  const isWhole = isRule(lines[from + 1] ?? '') && cellsOf(lines[from + 1] ?? '').length === cellsOf(head).length
  let end = isWhole ? from + 2 : from
  while (end < lines.length && (isWhole ? (lines[end] ?? '').includes('|') : isRow(lines[end] ?? ''))) end++
  return end - from >= 2 ? end : undefined
}

/** The lines of a table in columns. Undefined if they would take over `spare` characters more than the source. */
export function alignedTable(source: readonly string[], spare: number): string[] | undefined {
  const ruled = isRule(source[1] ?? '')
  const rows = source.map((line) => cellsOf(line).map(plainCell))
  const right = ruled ? (rows[1] ?? []).map((cell) => /^-+:$/.test(cell)) : []
  const texts = ruled ? rows.toSpliced(1, 1) : rows
  const widths: number[] = []
  for (const row of texts) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  // Counted before it is made: one long cell widens every row.
  const rowChars = widths.reduce((sum, width) => sum + width + gap.length, 0)
  const size = source.reduce((sum, line) => sum + line.length + 1, 0)
  if (rowChars * source.length > size + spare) return undefined
  const line = (row: readonly string[]): string =>
    widths
      .map((width, at) => (right[at] ? (row[at] ?? '').padStart(width) : (row[at] ?? '').padEnd(width)))
      .join(gap)
      .trimEnd()
  const [head = [], ...body] = texts
  const rule = ruled ? [widths.map((width) => '-'.repeat(width)).join(gap)] : []
  return [line(head), ...rule, ...body.map(line)]
}

/** The line below the head. */
function isRule(line: string): boolean {
  return line.includes('-') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell))
}

function isRow(line: string): boolean {
  const row = line.trim()
  return row.length > 1 && row.startsWith('|') && row.endsWith('|')
}

function cellsOf(line: string): string[] {
  const row = line.trim()
  const from = row.startsWith('|') ? 1 : 0
  const to = row.length > 1 && row.endsWith('|') && !row.endsWith('\\|') ? -1 : undefined
  return row
    .slice(from, to)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}

/** Without the marks of code and bold, which monospaced text cannot show. */
function plainCell(cell: string): string {
  return cell.replaceAll('\\|', '|').replaceAll(/`([^`]+)`|\*\*(?!\s)([^*]+)(?<!\s)\*\*/g, '$1$2')
}
