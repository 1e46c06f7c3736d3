// Plants the faults of some source files one at a time and runs the tests that can notice.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attempt } from './attempt.ts'
import { type Cache, hash, openCache } from './cache.ts'
import { type Coverage, cover, isExecuted } from './coverage.ts'
import { type Fault, findFaults, plant } from './faults.ts'
import { isNoticed } from './notice.ts'
import { findTestFiles, type TestFile, testsFor } from './imports.ts'
import { openScratch } from '../scratch.ts'
import type { SharedServer } from './server.ts'
import type { TypeChecker } from './types.ts'

/**
 * `uncovered`: no test that was looked at executes the place. `unplanted`: tests execute it, but not from the source, so
 * that they ran without the fault. `refused`: no test notices, but the type checker does.
 */
export type Outcome = 'caught' | 'survived' | 'uncovered' | 'unplanted' | 'refused'
export type Result = { readonly fault: Fault; readonly outcome: Outcome; readonly tests: readonly string[] }

export type Work = {
  readonly root: string
  /** Source files, relative to the root. */
  readonly paths: readonly string[]
  /** How many tests run at once. */
  readonly processes: number
  /** At most so many faults of each room, the same ones for the same seed. */
  readonly sample: number
  readonly seed: string
  /**
   * At most so many of the tests that execute the place run for one fault, the nearest ones. Not by their time: a busy
   * machine must not choose.
   */
  readonly maxTests: number
  /** A test has at least so long, however quick it is as a rule. */
  readonly minTimeoutMs: number
  /** Also tests that start browsers and processes. */
  readonly withProcesses: boolean
  /** For tests on PostgreSQL. */
  readonly server: SharedServer
  readonly types: Pick<TypeChecker, 'refuses'>
  readonly tell: (line: string) => void
}

/** A test that passes as it is, and what it executes. */
type Candidate = { readonly test: TestFile; readonly coverage: Coverage }

/** Of each source file so many tests, the nearest ones, are asked what they execute. */
const maxCandidates = 12
/** The same for tests that use PostgreSQL: most of what they execute, others execute too. */
const maxServerCandidates = 6
/** A test file that takes longer as it is runs for no fault. Generous, for a busy machine. */
const maxTestMs = 180_000
const tellEveryMs = 15_000

export async function mutate(work: Work): Promise<Result[]> {
  const { root, paths, processes, minTimeoutMs, server, types, tell } = work
  const readSource = (path: string): string => readFileSync(join(root, path), 'utf8')
  const texts = new Map(paths.map((path) => [path, readSource(path)]))
  const faults = sampled(
    [...texts].flatMap(([path, text]) => findFaults(path, text)),
    work,
  )
  const tests = findTestFiles(root, work)
  const near = new Map(faults.map(({ path }) => [path, nearestTo(path, tests)]))
  const wanted = [...new Set([...near.values()].flat())]
  tell(`${faults.length} faults in ${paths.length} files; ${wanted.length} test files load them`)
  const cache = openCache(root)
  const covered = new Map<TestFile, Promise<Coverage | undefined>>()
  const coverageOf = (test: TestFile): Promise<Coverage | undefined> => {
    const known = covered.get(test) ?? coverOnce(test, work, cache)
    covered.set(test, known)
    return known
  }
  const known = new Map<string, Record<string, Outcome>>()
  for (const [path, text] of texts) known.set(path, (cache.read(path, hash([text])) ?? {}) as Record<string, Outcome>)
  const scratch = openScratch('mutate-run-')
  let [done, caught, toldAt] = [0, 0, Date.now()]

  const judge = async (fault: Fault, chosen: readonly Candidate[], planted: string): Promise<Outcome> => {
    writeFileSync(planted, plant(texts.get(fault.path) ?? '', fault))
    const taken = `${planted}.taken`
    rmSync(taken, { force: true })
    const planting = { place: pathToFileURL(join(root, fault.path)).href, text: planted }
    // What one process has compiled, the next one need not.
    const env = { NODE_COMPILE_CACHE: join(scratch.path, 'compiled') }
    for (const { test, coverage } of chosen) {
      const noticed = await isNoticed({
        expectedMs: coverage.ms,
        minTimeoutMs,
        withFault: (timeoutMs) =>
          withNeeds(test, server, (needs) =>
            attempt(test.path, { root, env: { ...env, ...needs }, timeoutMs, planting }),
          ),
        withoutFault: () =>
          withNeeds(test, server, (needs) => attempt(test.path, { root, env: needs, timeoutMs: maxTestMs })),
      })
      if (noticed && existsSync(taken)) return 'caught'
    }
    if (await types.refuses(fault.path, readFileSync(planted, 'utf8'))) return 'refused'
    if (chosen.length === 0) return 'uncovered'
    return existsSync(taken) ? 'survived' : 'unplanted'
  }

  try {
    return await inParallel(faults, processes, async (fault, slot) => {
      const chosen = await choose(fault, near.get(fault.path) ?? [], { coverageOf, maxTests: work.maxTests })
      const own = chosen.flatMap(({ test }) => [...test.loads.keys()].filter((path) => path.startsWith('test/')))
      const key = hash([`${fault.start} ${fault.end} ${fault.change}`, ...own, ...own.map(readSource)])
      const outcomes = known.get(fault.path) ?? {}
      const outcome = (outcomes[key] ??= await judge(fault, chosen, join(scratch.path, `${slot}.ts`)))
      cache.write(fault.path, hash([texts.get(fault.path) ?? '']), outcomes)
      done++
      if (outcome === 'caught') caught++
      if (Date.now() - toldAt > tellEveryMs) {
        toldAt = Date.now()
        tell(`${done} of ${faults.length} faults, ${caught} caught`)
      }
      return { fault, outcome, tests: chosen.map(({ test }) => test.path) }
    })
  } finally {
    scratch.remove()
  }
}

/** Runs a test with what it needs in its environment. */
function withNeeds<T>(
  { needsServer }: TestFile,
  server: SharedServer,
  run: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  return needsServer ? server.lend(run) : run({})
}

/** Those on PostgreSQL come last. */
function nearestTo(path: string, tests: readonly TestFile[]): TestFile[] {
  const all = testsFor(path, tests)
  const [quick, onServer] = [all.filter((test) => !test.needsServer), all.filter((test) => test.needsServer)]
  return [...quick.slice(0, maxCandidates), ...onServer.slice(0, maxServerCandidates)]
}

/** `src/net`, `src/doors/web`, `web/lib`. */
export function roomOf(path: string): string {
  const parts = path.split('/').slice(0, -1)
  return parts.slice(0, parts[1] === 'doors' ? 3 : 2).join('/')
}

/** By a hash of each fault: a change elsewhere leaves the choice as it was. */
function sampled(faults: readonly Fault[], { sample, seed }: Work): Fault[] {
  const order = ({ path, start, change }: Fault): string => hash([seed, path, String(start), change])
  return [...Map.groupBy(faults, ({ path }) => roomOf(path)).values()].flatMap((room) => {
    if (room.length <= sample) return room
    const picked = new Set(room.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, sample))
    return room.filter((fault) => picked.has(fault))
  })
}

/** What a test executes, known from an earlier run as long as no file that it loads has changed. */
async function coverOnce(test: TestFile, { root, tell, server }: Work, cache: Cache): Promise<Coverage | undefined> {
  const { path, loads } = test
  const key = hash([...loads.keys()].map((loaded) => readFileSync(join(root, loaded), 'utf8')))
  const known = cache.read(path, key) as Coverage | undefined
  const measure = (): Promise<Coverage> =>
    withNeeds(test, server, (env) => cover(path, { root, env, timeoutMs: maxTestMs }))
  let coverage = known ?? (await measure())
  // One failure may come from a busy machine.
  if (coverage.verdict === 'failed') coverage = await measure()
  if (!known && coverage.verdict === 'passed') cache.write(path, key, coverage)
  if (coverage.verdict === 'passed') return coverage
  const reason = coverage.verdict === 'late' ? `it takes over ${maxTestMs / 1_000} s` : 'it fails without a fault'
  tell(`left out, ${reason}: ${path}`)
  return undefined
}

/**
 * The tests for one fault: of those that execute its place the nearest, the quickest of them first. Then the nearest on
 * PostgreSQL: a fault that matters there alone is in code that the others load as well.
 */
async function choose(
  { path, start, shownAt = start }: Fault,
  near: readonly TestFile[],
  { coverageOf, maxTests }: { coverageOf: (test: TestFile) => Promise<Coverage | undefined>; maxTests: number },
): Promise<Candidate[]> {
  const executing = async (tests: readonly TestFile[]): Promise<Candidate[]> => {
    const chosen: Candidate[] = []
    for (const test of tests) {
      if (chosen.length === maxTests) break
      const coverage = await coverageOf(test)
      if (coverage && isExecuted(coverage, path, shownAt)) chosen.push({ test, coverage })
    }
    const [first, ...others] = chosen
    return first ? [first, ...others.toSorted((a, b) => a.coverage.ms - b.coverage.ms)] : []
  }
  const quick = await executing(near.filter(({ needsServer }) => !needsServer))
  return [...quick, ...(await executing(near.filter(({ needsServer }) => needsServer)))]
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
