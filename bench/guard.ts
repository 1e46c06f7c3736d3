// `npm run bench -- --guard`: compares the figures of this run with the recorded ones, which the last landing wrote.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixed } from './suite.ts'
import type { Table } from './table.ts'

const file = join(import.meta.dirname, 'figures.json')
/** More than a tenth worse fails. */
const maxRatio = 1.1

/** Ratios to floors of the same run, by name. Less is better for all of them. */
export type Figures = Readonly<Record<string, number>>

export function figuresIn(tables: readonly Table[]): Figures {
  return Object.assign({}, ...tables.map(({ figures }) => figures))
}

/** Writes the figures of this run over those recorded before. Figures of suites that did not run stay. */
export function record(figures: Figures): void {
  const all = Object.entries({ ...recorded(), ...figures }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), (_key, value) => rounded(value), 2)}\n`)
}

export function recorded(): Figures {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** A table of the figures beside the recorded ones, and the names of those that are worse. */
export function guard(figures: Figures, before: Figures): { readonly table: Table; readonly worse: readonly string[] } {
  const rows = Object.entries(figures).map(([name, now]) => ({ name, now, last: before[name] }))
  const worse = rows.filter(({ now, last }) => last !== undefined && !(now <= last * maxRatio))
  const table: Table = {
    title: 'Ratios to the floors, beside the recorded ones',
    columns: ['', 'now', 'recorded', 'change'],
    rows: rows.map(({ name, now, last }) => [
      name,
      fixed(now, 2),
      last === undefined ? '-' : fixed(last, 2),
      last === undefined ? 'new' : `${fixed((now / last - 1) * 100, 0)} %`,
    ]),
  }
  return { table, worse: worse.map(({ name }) => name) }
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}
