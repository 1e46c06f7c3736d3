// `npm run bench -- --report`: the tables of a run as a page of the documentation.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printRows, type Table } from './table.ts'

const file = join(import.meta.dirname, '../docs/benchmarks.md')

export type Run = {
  readonly machine: string
  /** Of Atrium, with its commit. */
  readonly version: string
  readonly at: Date
  readonly tables: readonly Table[]
}

/** Writes the page. A run of some suites replaces their tables and keeps the others. */
export function writeReport(run: Run, { keepsOthers }: { keepsOthers: boolean }): void {
  const before = keepsOthers && existsSync(file) ? readFileSync(file, 'utf8') : ''
  writeFileSync(file, reportOf(run, before))
}

/** `before` is the page as it is: its other sections stay. */
export function reportOf({ machine, version, at, tables }: Run, before = ''): string {
  const source = `Atrium ${version}, ${at.toISOString().slice(0, 10)}, on ${machine}.`
  const made = tables.map((table) => [table.title, `${source}\n\n${printRows(table)}`] as const)
  const sections = [...new Map([...sectionsOf(before), ...made])].map(([title, text]) => `## ${title}\n\n${text}\n`)
  return `# Benchmarks

Written by \`npm run bench -- --report\`: do not edit. [Performance](performance.md) says what is measured and how to read it.

All processes of a run share the cores of its machine: the measured one, the mock model, the database server and the clients.
*spread* is half of the range of the rounds; *a core/s* is how many turns a second fill one core.

${sections.join('\n')}`
}

/** The sections of a page by their titles. */
function sectionsOf(page: string): [title: string, text: string][] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n')
      return [section.slice(0, end), section.slice(end).trim()]
    })
}
