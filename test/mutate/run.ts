// What `npm run mutate -- src/net` runs: faults planted in the files of some folders, those that no test notices, and a
// table of the rooms.
import { globSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildAll } from '../../tools/build.ts'
import { buildWeb } from '../../tools/web.ts'
import { describe } from './faults.ts'
import { mutate, type Result, roomOf } from './mutate.ts'

const root = join(import.meta.dirname, '..', '..')

function sourcesIn(path: string): string[] {
  const place = path.replace(/^\.\//, '').replace(/\/$/, '')
  if (!/^(src|web)\b/.test(place)) throw new Error(`${path} is not in src or web`)
  if (statSync(join(root, place)).isFile()) return [place]
  // Components are tested in a browser: no quick test loads a .tsx file.
  return globSync(`${place}/**/*.ts`, { cwd: root, exclude: ['web/dist/**'] }).toSorted()
}

function showSurvivors(results: readonly Result[]): void {
  for (const { fault, outcome, tests } of results) {
    if (outcome === 'caught') continue
    const { original, change } = describe(readFileSync(join(root, fault.path), 'utf8'), fault)
    const why = outcome === 'uncovered' ? 'no test gets here' : `${tests.length} test files passed`
    console.log(`${fault.path}:${fault.line}  (${why})\n    ${original}\n    ${change}`)
  }
}

function showRooms(results: readonly Result[]): void {
  const row = (name: string, of: readonly Result[]): string[] => {
    const count = (outcome: Result['outcome']): number => of.filter((result) => result.outcome === outcome).length
    const caught = count('caught')
    const percent = `${((100 * caught) / Math.max(1, of.length)).toFixed(1)} %`
    return [name, of.length, caught, of.length - caught, count('uncovered'), percent].map(String)
  }
  const rooms = Map.groupBy(results, ({ fault }) => roomOf(fault.path))
  const rows = [
    ['room', 'faults', 'caught', 'survived', 'of these without a test', 'percent'],
    ...[...rooms].map(([name, of]) => row(name, of)),
    ...(rooms.size > 1 ? [row('all', results)] : []),
  ]
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0))) ?? []
  for (const [name = '', ...cells] of rows) {
    console.log(
      [name.padEnd(widths[0] ?? 0), ...cells.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  '),
    )
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: String(availableParallelism()) },
    slow: { type: 'boolean', default: false },
  },
})
if (positionals.length === 0) {
  console.error('usage: npm run mutate -- [--sample N] [--seed S] [--processes N] [--slow] src/net …')
  process.exit(2)
}
const paths = [...new Set(positionals.flatMap(sourcesIn))]
// As before any test: what some of them use must be there.
await Promise.all([buildAll(), buildWeb(root)])
const startedAt = performance.now()
const results = await mutate({
  root,
  paths,
  processes: Number(values.processes),
  seed: values.seed,
  minTimeoutMs: 8_000,
  withProcesses: values.slow,
  tell: (line) => console.error(line),
  ...(values.sample !== undefined && { sample: Number(values.sample) }),
})
showSurvivors(results)
console.log()
showRooms(results)
console.log(`\n${Math.round((performance.now() - startedAt) / 1_000)} s`)
