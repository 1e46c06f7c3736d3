// Plants the faults of some source files one at a time and runs the tests that can notice.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attempt } from './attempt.ts'
import { openCache } from './cache.ts'
import { type Coverage, cover, isExecuted } from './coverage.ts'
import { type Fault, findFaults, plant } from './faults.ts'
import { findTestFiles, type TestFile, testsFor } from './imports.ts'

/** `uncovered`: no test that was looked at executes the place. */
export type Outcome = 'caught' | 'survived' | 'uncovered'
export type Result = { readonly fault: Fault; readonly outcome: Outcome; readonly tests: readonly string[] }

export type Work = {
  readonly root: string
  /** Source files, relative to the root. */
  readonly paths: readonly string[]
  /** How many tests run at once. */
  readonly processes: number
  /** At most so many faults of each room, the same ones for the same seed. */
  readonly sample?: number
  readonly seed: string
  /** A test has at least so long, however quick it is as a rule. */
  readonly minTimeoutMs: number
  /** Also tests that start browsers and processes. */
  readonly withProcesses: boolean
  readonly tell: (line: string) => void
}

/** Of each source file so many tests, the nearest ones, are asked what they execute. */
const maxCandidates = 24
/** So many of those that execute the place run for one fault, and no more once they take this long together. */
const maxTests = 6
const maxFaultMs = 10_000
/** A test file that takes longer as it is runs for no fault. */
const maxTestMs = 15_000
/** A fault that makes a test so much slower is caught: it may never end. */
const slower = 5
const tellEveryMs = 15_000

export async function mutate(work: Work): Promise<Result[]> {
  const { root, paths, tell } = work
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const faults = sampled(
    [...texts].flatMap(([path, text]) => findFaults(path, text)),
    work,
  )
  const tests = findTestFiles(root, work)
  const candidates = new Map(
    [...new Set(faults.map(({ path }) => path))].map((path) => [path, testsFor(path, tests).slice(0, maxCandidates)]),
  )
  const wanted = [...new Set([...candidates.values()].flat())]
  tell(`${faults.length} faults in ${paths.length} files; ${wanted.length} test files load them`)
  const coverage = await coverAll(wanted, work)
  const scratch = mkdtempSync(join(tmpdir(), 'mutate-run-'))
  const cache = openCache(root)
  let [done, caught, toldAt] = [0, 0, Date.now()]
  try {
    return await inParallel(faults, work.processes, async (fault, slot) => {
      const text = texts.get(fault.path) ?? ''
      const chosen = choose(fault, candidates.get(fault.path) ?? [], coverage)
      const key = hash([`${fault.start} ${fault.end} ${fault.change}`, ...chosen.map((test) => ownHash(root, test))])
      const known = cache.result(fault.path, hash([text]), key)
      const outcome = known ?? (await judge(fault, { ...work, text, chosen, coverage, scratch, slot }))
      if (!known) cache.keepResult(fault.path, hash([text]), key, outcome)
      done++
      if (outcome === 'caught') caught++
      if (Date.now() - toldAt > tellEveryMs) {
        toldAt = Date.now()
        tell(`${done} of ${faults.length} faults, ${caught} caught`)
      }
      return { fault, outcome, tests: chosen.map(({ path }) => path) }
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** `src/net`, `src/doors/web`, `web/lib`. */
export function roomOf(path: string): string {
  const parts = path.split('/').slice(0, -1)
  return parts.slice(0, parts[1] === 'doors' ? 3 : 2).join('/')
}

/** By a hash of each fault: a change elsewhere leaves the choice as it was. */
function sampled(faults: readonly Fault[], { sample, seed }: Work): Fault[] {
  if (sample === undefined) return [...faults]
  const rooms = Map.groupBy(faults, ({ path }) => roomOf(path))
  const order = ({ path, start, change }: Fault): string => hash([seed, path, String(start), change])
  return [...rooms.values()].flatMap((room) => {
    const picked = new Set(room.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, sample))
    return room.filter((fault) => picked.has(fault))
  })
}

/** What each test executes. Known from an earlier run as long as no file that it loads has changed. */
async function coverAll(tests: readonly TestFile[], { root, processes, tell }: Work): Promise<Map<TestFile, Coverage>> {
  const cache = openCache(root)
  const covered = await inParallel(tests, processes, async (test) => {
    const key = hash([...test.loads.keys()].map((path) => readFileSync(join(root, path), 'utf8')))
    const known = cache.coverage(test.path, key)
    if (known) return known
    const found = await cover(test.path, { root, timeoutMs: maxTestMs })
    cache.keepCoverage(test.path, key, found)
    return found
  })
  tests.forEach((test, at) => {
    if (covered[at]?.verdict === 'failed') tell(`left out, it fails without a fault: ${test.path}`)
    if (covered[at]?.verdict === 'late') tell(`left out, it takes over ${maxTestMs / 1_000} s: ${test.path}`)
  })
  return new Map(tests.flatMap((test, at) => (covered[at] ? [[test, covered[at]]] : [])))
}

/** The tests for one fault: of those that execute its place the nearest, the quickest of them first. */
function choose(fault: Fault, candidates: readonly TestFile[], coverage: ReadonlyMap<TestFile, Coverage>): TestFile[] {
  const msOf = (test: TestFile): number => coverage.get(test)?.ms ?? 0
  const able = candidates.filter((test) => isExecuted(coverage.get(test)?.executed[fault.path], fault.start))
  let totalMs = 0
  const [first, ...others] = able.slice(0, maxTests).filter((test, at) => {
    totalMs += msOf(test)
    return at === 0 || totalMs <= maxFaultMs
  })
  return first ? [first, ...others.toSorted((a, b) => msOf(a) - msOf(b))] : []
}

type Trial = Work & {
  readonly text: string
  readonly chosen: readonly TestFile[]
  readonly coverage: ReadonlyMap<TestFile, Coverage>
  readonly scratch: string
  readonly slot: number
}

async function judge(fault: Fault, trial: Trial): Promise<Outcome> {
  const { root, minTimeoutMs, text, chosen, coverage, scratch, slot } = trial
  const planted = join(scratch, `${slot}.ts`)
  writeFileSync(planted, plant(text, fault))
  const env = {
    MUTATE_URL: pathToFileURL(join(root, fault.path)).href,
    MUTATE_TEXT: planted,
    // What one process has compiled, the next one need not.
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
  }
  for (const test of chosen) {
    const timeoutMs = Math.max(minTimeoutMs, slower * (coverage.get(test)?.ms ?? 0))
    if ((await attempt(test.path, { root, env, timeoutMs })).verdict !== 'passed') return 'caught'
  }
  return chosen.length > 0 ? 'survived' : 'uncovered'
}

/** The test file and what it loads of the other files in test/. */
function ownHash(root: string, { path, loads }: TestFile): string {
  const own = [...loads.keys()].filter((loaded) => loaded.startsWith('test/'))
  return hash([path, ...own.map((loaded) => readFileSync(join(root, loaded), 'utf8'))])
}

function hash(parts: readonly string[]): string {
  const made = createHash('sha256')
  for (const part of parts) made.update(`${part.length} ${part}`)
  return made.digest('base64url').slice(0, 22)
}

/** `slot` is a number below `atOnce` that no other running job has. */
async function inParallel<T, R>(
  jobs: readonly T[],
  atOnce: number,
  run: (job: T, slot: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const rest = jobs.entries()
  const work = async (slot: number): Promise<void> => {
    for (const [at, job] of rest) results[at] = await run(job, slot)
  }
  await Promise.all(Array.from({ length: atOnce }, (_, slot) => work(slot)))
  return results
}
