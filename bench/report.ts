// `npm run bench -- --report`: the tables of a run as a page of the documentation.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommit } from '#lib/commit.ts'
import { readVersion } from '#lib/version.ts'
import { printRows, type Table } from './table.ts'

const file = join(import.meta.dirname, '../docs/benchmarks.md')

export type Run = { readonly machine: string; readonly at: Date; readonly tables: readonly Table[] }

export function writeReport(run: Run): void {
  writeFileSync(file, reportOf(run, `${readVersion()}, commit ${readCommit() ?? 'unknown'}`))
}

export function reportOf({ machine, at, tables }: Run, version: string): string {
  const sections = tables.map((table) => `## ${table.title}\n\n${printRows(table)}\n`)
  return `# Benchmarks

Written by \`npm run bench -- --report\`: do not edit. [Performance](performance.md) says what is measured and how to read it.

- ${machine}
- Atrium ${version}
- ${at.toISOString().slice(0, 10)}

All processes of a run share these cores: the measured one, the mock model, the database server and the clients. *spread* is half
of the range of the rounds; *a core/s* is how many turns a second fill one core.

${sections.join('\n')}`
}
