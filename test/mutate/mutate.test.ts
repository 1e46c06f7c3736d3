// Faults planted in a small project: one that its test notices, one that changes nothing, one that no test gets to.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { mutate, type Result } from './mutate.ts'

const limits = `/** Not wider than the screen. */
export function fit(width: number, screen: number): number {
  return width > screen ? screen : width
}
export async function count(turns: number, step: number): Promise<number> {
  let left = turns
  while (left !== step) left -= await slowly(step)
  return left
}
export function unused(width: number): boolean {
  return width === screen
}
import { slowly } from './slowly.ts'
`
/** A loop with it that never ends leaves the processor to others. */
const slowly = `import { setTimeout } from 'node:timers/promises'
export const slowly = (value: number): Promise<number> => setTimeout(5, value)
`
const limitsTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, fit } from '../src/screen/limits.ts'
test('a width fits', () => assert.deepEqual([79, 80, 81].map((width) => fit(width, 80)), [79, 80, 80]))
test('counting ends', async () => assert.equal(await count(6, 2), 2))
`

function project(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'mutate-project-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const every = { 'package.json': '{"type":"module"}', 'src/screen/slowly.ts': slowly }
  for (const [path, text] of Object.entries({ ...every, ...files })) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

async function run(
  root: string,
  { sample = Infinity, paths = ['src/screen/limits.ts'] } = {},
): Promise<{ results: Result[]; told: string[] }> {
  const told: string[] = []
  const results = await mutate({
    root,
    paths,
    processes: 2,
    sample,
    seed: '1',
    maxTests: 6,
    minTimeoutMs: 1_000,
    withProcesses: false,
    server: { lend: (use) => use({ TEST_POSTGRES: 'lent' }), close: async () => {} },
    types: { refuses: (_, text) => Promise.resolve(text.includes('lines[0]\n')) },
    tell: (line) => told.push(line),
  })
  return { results, told }
}

test('a fault is caught, survives or is covered by no test', async (t) => {
  const root = project(t, {
    'src/screen/limits.ts': limits,
    'test/limits.test.ts': limitsTest,
    'test/failing.test.ts': limitsTest.replaceAll('80', '70'),
    'test/process.test.ts': `${limitsTest}import 'node:child_process'\n`,
    'test/server.test.ts': `${limitsTest}import './server.ts'\n`,
    'test/server.ts': `import 'node:child_process'\n`,
  })
  const { results, told } = await run(root)
  const outcomes = results.map(({ fault, outcome }) => `${fault.line} ${fault.change} ${outcome}`)
  assert.deepEqual(outcomes, [
    '3 true caught',
    '3 false caught',
    // At the edge both sides are the same: no test can notice.
    '3 width >= screen survived',
    '7 false caught',
    '7 left === step caught',
    // Never ends.
    '7 left += await slowly(step) caught',
    '11 width !== screen uncovered',
  ])
  assert.deepEqual(told.slice(0, 2), [
    '7 faults in 1 files; 2 test files load them',
    'left out, it fails without a fault: test/failing.test.ts',
  ])
  assert.deepEqual(results[0]?.tests, ['test/limits.test.ts'])
})

/** Code that no process gets by an import of its own. */
const started = `import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
const inCheckout = (...names: string[]) => join(import.meta.dirname, '..', '..', ...names)
export async function inThread() {
  const thread = new Worker(inCheckout('src', 'screen', 'thread.ts'), { env: {}, execArgv: [] })
  const [answer] = await once(thread, 'message')
  await thread.terminate()
  return answer
}
export async function inProcess() {
  const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@"', process.execPath, inCheckout('src', 'screen', 'child.ts')], {
    env: {},
    stdio: 'ignore',
  })
  return (await once(child, 'exit'))[0]
}
export const asText = () => runInThisContext(readFileSync(inCheckout('src', 'screen', 'script.ts'), 'utf8'))
export const unseen = () => execFileSync(process.execPath, [inCheckout('src', 'screen', 'unseen.ts')], { env: {} })
`
const startedTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asText, inProcess, inThread, unseen } from '../src/screen/started.ts'
test('each answers', async () => {
  assert.equal(String(unseen()), '')
  assert.deepEqual([await inThread(), await inProcess(), asText()], [0, 0, 0])
})
`

test('a fault reaches threads and processes without an environment, and a script that is read', async (t) => {
  const root = project(t, {
    'src/screen/started.ts': started,
    'src/screen/thread.ts': `import { parentPort } from 'node:worker_threads'\nparentPort!.postMessage(0)\n`,
    'src/screen/child.ts': 'process.exitCode = Number(0)\n',
    'src/screen/script.ts': 'Number(0)\n',
    'src/screen/unseen.ts': 'process.exitCode = Number(0)\n',
    'test/started.test.ts': startedTest,
  })
  const paths = ['thread', 'child', 'script', 'unseen'].map((name) => `src/screen/${name}.ts`)
  const { results } = await run(root, { paths })
  assert.deepEqual(
    results.map(({ fault, outcome }) => `${fault.path} ${fault.change} ${outcome}`),
    [
      'src/screen/thread.ts 1 caught',
      'src/screen/child.ts 1 caught',
      'src/screen/script.ts 1 caught',
      // Started in a way that is not followed.
      'src/screen/unseen.ts 1 unplanted',
    ],
  )
})

test('what is known is not run again until a file changes, and a sample is the same each time', async (t) => {
  const root = project(t, { 'src/screen/limits.ts': limits, 'test/limits.test.ts': limitsTest })
  const [first, again] = [await run(root, { sample: 2 }), await run(root, { sample: 2 })]
  assert.equal(first.results.length, 2)
  assert.deepEqual(again.results, first.results)
  writeFileSync(join(root, 'test/limits.test.ts'), limitsTest.replaceAll('80', '70'))
  const changed = await run(root, { sample: 2 })
  assert.deepEqual(changed.told.slice(1), ['left out, it fails without a fault: test/limits.test.ts'])
  assert(changed.results.every(({ outcome }) => outcome === 'uncovered'))
})

test('a test on PostgreSQL gets the server of the run, and judges what the others leave', async (t) => {
  const steps = `export const up = (from: number, by: number): number => from + by
export const down = (from: number, by: number): number => from - by
`
  const stepsTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { down, up } from '../src/screen/steps.ts'
`
  const onServer = `import { url } from './postgres.ts'\ntest('it is there', () => assert.equal(url, 'lent'))\n`
  const root = project(t, {
    'src/screen/steps.ts': steps,
    'test/up.test.ts': `${stepsTest}test('up', () => assert.equal(up(4, 2), 6))\n`,
    'test/down.test.ts': `${stepsTest}${onServer}test('down', () => assert.equal(down(4, 2), 2))\n`,
    'test/postgres.ts': `import 'node:child_process'\nexport const url = process.env['TEST_POSTGRES']\n`,
  })
  const { results } = await run(root, { paths: ['src/screen/steps.ts'] })
  assert.deepEqual(
    results.map(({ fault, outcome, tests }) => [fault.line, outcome, ...tests]),
    [
      [1, 'caught', 'test/up.test.ts'],
      [2, 'caught', 'test/down.test.ts'],
    ],
  )
})

const fallbacks = `export const first = (lines: readonly string[]): string => lines[0] ?? ''
export const last = (lines: readonly string[]): string => lines.at(-1) ?? ''
export const named = (line?: string): string => line ?? ''
`
const fallbacksTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { first, last, named } from '../src/screen/fallbacks.ts'
test('of some and of none', () => assert.deepEqual([first(['a']), last([]), named('c')], ['a', '', 'c']))
`

test('a fault that only the type checker notices is told apart, and a fallback is judged where it is used', async (t) => {
  const root = project(t, { 'src/screen/fallbacks.ts': fallbacks, 'test/fallbacks.test.ts': fallbacksTest })
  const { results } = await run(root, { paths: ['src/screen/fallbacks.ts'] })
  assert.deepEqual(
    results.filter(({ fault }) => fault.shownAt !== undefined).map(({ fault, outcome }) => `${fault.line} ${outcome}`),
    ['1 refused', '2 caught', '3 uncovered'],
  )
})
