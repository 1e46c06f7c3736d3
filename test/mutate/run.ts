// What `npm run mutate -- src/net` runs: faults planted in the files of some folders, those that no test notices, and a
// table of the rooms.
import { globSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { checkNumbers, readFlags, refuseFlags } from '../../tools/flags.ts'
import type { Outcome, Result } from './mutate.ts'

const root = join(import.meta.dirname, '..', '..')
const usage = 'npm run mutate -- [--sample N] [--seed S] [--tests N] [--processes N] [--slow] src/net …'

function sourcesIn(path: string): string[] {
  const place = path.replace(/^\.\//, '').replace(/\/$/, '')
  const found = /^(src|web)\b/.test(place) ? statSync(join(root, place), { throwIfNoEntry: false }) : undefined
  if (!found) refuseFlags(usage, `${path} is no file or folder in src or web`)
  if (found.isFile()) return [place]
  // Components are tested in a browser: no quick test loads a .tsx file.
  return globSync(`${place}/**/*.ts`, { cwd: root, exclude: ['web/dist/**'] }).toSorted()
}

function showSurvivors(results: readonly Result[]): void {
  for (const { fault, outcome, tests } of results) {
    if (outcome === 'caught' || outcome === 'refused') continue
    const { original, change } = describe(readFileSync(join(root, fault.path), 'utf8'), fault)
    const why = {
      survived: `${tests.length} test files passed`,
      uncovered: 'no test gets here',
      unplanted: 'not planted',
    }
    console.log(`${fault.path}:${fault.line}  (${why[outcome]})\n    ${original}\n    ${change}`)
  }
}

function showRooms(results: readonly Result[]): void {
  const rooms = Map.groupBy(results, ({ fault }) => roomOf(fault.path))
  const rows = [...rooms, ...(rooms.size > 1 ? [['all', results] as const] : [])].map(([room, of]) => {
    const count = (wanted: Outcome): number => of.filter(({ outcome }) => outcome === wanted).length
    const [caught, survived, uncovered] = [count('caught'), count('survived'), count('uncovered')]
    const planted = caught + survived + uncovered
    return [
      room,
      {
        faults: planted,
        caught,
        survived: survived + uncovered,
        'of these without a test': uncovered,
        percent: Math.round((1_000 * caught) / planted) / 10,
        'not planted': count('unplanted'),
        'refused by types': count('refused'),
      },
    ]
  })
  console.table(Object.fromEntries(rows))
}

const { values, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '6' },
    processes: { type: 'string', default: String(availableParallelism()) },
    slow: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})
if (positionals.length === 0) refuseFlags(usage, 'name a folder or a file')
checkNumbers(usage, { sample: values.sample, tests: values.tests, processes: values.processes }, Number.MIN_VALUE)
const paths = [...new Set(positionals.flatMap(sourcesIn))]
// Only now: to load all this takes longer than to refuse a flag.
const [{ buildAll }, { buildWeb }, { describe }, { mutate, roomOf }, { shareServer }, { openTypeChecker }] =
  await Promise.all([
    import('../../tools/build.ts'),
    import('../../tools/web.ts'),
    import('./faults.ts'),
    import('./mutate.ts'),
    import('./server.ts'),
    import('./types.ts'),
  ])
// As before any test: what some of them use must be there.
await Promise.all([buildAll(), buildWeb(root)])
// By way of the exit, where the tests that run are ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const startedAt = performance.now()
const [server, types] = [shareServer(), openTypeChecker(root)]
const work = {
  root,
  paths,
  processes: Number(values.processes),
  sample: Number(values.sample),
  seed: values.seed,
  maxTests: Number(values.tests),
  minTimeoutMs: 15_000,
  withProcesses: values.slow,
  server,
  types,
  tell: (line: string) => console.error(line),
}
let results: Result[] = []
try {
  results = await mutate(work)
} finally {
  types.close()
  await server.close()
}
showSurvivors(results)
showRooms(results)
console.log(`${Math.round((performance.now() - startedAt) / 1_000)} s`)
