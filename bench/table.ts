// A table as Markdown text, readable in a terminal too.

export type Table = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** What `--guard` compares with earlier runs: ratios to the floors of this run, by name; less is better. */
  readonly figures?: Readonly<Record<string, number>>
}

export function printTable(table: Table): string {
  return `${table.title}\n\n${printRows(table)}\n`
}

export function printRows({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string {
  const widths = columns.map((_, at) => Math.max(3, ...[columns, ...rows].map((row) => (row[at] ?? '').length)))
  // The first column has names, the others have numbers.
  const cell = (text: string, at: number): string =>
    at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)
  const line = (row: readonly string[]): string => `| ${row.map(cell).join(' | ')} |`
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`))
  return [line(columns), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}
