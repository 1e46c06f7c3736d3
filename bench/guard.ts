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

/** `cores` are those of the machine: a turn may be 2.1 floors on one and 1.8 on another. */
type Recorded = { readonly cores: string; readonly figures: Figures }

/** Writes the figures of this run over those recorded before. Figures of suites that did not run stay, if they are of the same cores. */
export function record({ cores, figures }: Recorded): void {
  const before = read()
  const all = { ...(before.cores === cores && before.figures), ...figures }
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify({ cores, figures: sorted }, (_key, value) => rounded(value), 2)}\n`)
}

/** The recorded figures. Throws if they are of other cores. */
export function recorded(cores: string): Figures {
  const before = read()
  if (before.cores === cores) return before.figures
  throw new Error(
    `bench/figures.json is of other cores (${before.cores}), whose ratios differ: run --record on the commit before first`,
  )
}

function read(): Recorded {
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
