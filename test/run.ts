// What `npm test` runs: the short tests, or all of them with --long. Other flags go to `node --test`; any other word
// keeps only the test files whose path contains it. With --again a file that failed beside the others gets a second go
// alone, and what fails twice fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

const oldestNode = [24, 16] as const
const minuteMs = 60_000
/** How long one test may take, and all of them: a file that never ends has no deadline of its own. */
const deadlines = {
  short: { one: 4 * minuteMs, all: 20 * minuteMs },
  long: { one: 20 * minuteMs, all: 240 * minuteMs },
}
/** How many files may wait for something beside those that compute. */
const waitingFiles = 2
/** More files than these do not fail by bad luck. */
const maxAgain = 3

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
}

function findTests(root: string, long: boolean, words: readonly string[]): string[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .filter((path) => long || !path.endsWith('.long.test.ts'))
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word.replace(/^\.\//, ''))))
    .toSorted()
}

/** A key or a setting of the person at the keyboard must not change what the tests do, or cost money. */
async function cleanEnvironment(root: string): Promise<NodeJS.ProcessEnv> {
  const { names } = await import('#config/variables.ts')
  const kept = Object.entries(process.env).filter(([name]) => !(names as readonly string[]).includes(name))
  // Each file has a process of its own: what one has compiled, the next one need not.
  return { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'atrium'), ...Object.fromEntries(kept) }
}

async function run(args: readonly string[]): Promise<number> {
  if (!isNewEnough(process.versions.node)) {
    console.error(`The tests need Node ${oldestNode.join('.')} or newer, this is ${process.version}: use npm test.`)
    return 1
  }
  const root = join(import.meta.dirname, '..')
  const long = args.includes('--long')
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--long' && arg !== '--again')
  const words = args.filter((arg) => !arg.startsWith('-'))
  const tests = findTests(root, long, words)
  if (tests.length === 0) {
    console.error(`No test file matches ${words.join(' ') || 'test/**/*.test.ts'}${long ? '' : ' in short mode'}.`)
    return 1
  }
  // The tools and the browser app of the checkout as they are now: they may have changed since the installation.
  const { buildAll } = await import('../tools/build.ts')
  const { buildWeb } = await import('../tools/web.ts')
  await Promise.all([buildAll(), buildWeb(root)])
  const env = await cleanEnvironment(root)
  const deadline = long ? deadlines.long : deadlines.short
  // More than the cores: many tests wait for a browser, a process or a socket.
  const first = await runFiles(tests, { root, env, flags, deadline, atOnce: availableParallelism() + waitingFiles })
  if (first.code === 0 || first.failed.length === 0 || first.failed.length > maxAgain || !args.includes('--again'))
    return first.code
  console.error(`\nOnce more, alone: ${first.failed.join(' ')}`)
  const second = await runFiles(first.failed, { root, env, flags, deadline, atOnce: 1 })
  const verdict = second.code === 0 ? 'Unsteady, passed alone' : 'Failed twice'
  console.error(`\n${verdict}: ${(second.code === 0 ? first.failed : second.failed).join(' ')}`)
  return second.code
}

type Way = {
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  readonly flags: readonly string[]
  readonly deadline: { readonly one: number; readonly all: number }
  readonly atOnce: number
}

/** The exit code, and the files in which something failed. */
async function runFiles(
  files: readonly string[],
  { root, env, flags, deadline, atOnce }: Way,
): Promise<{ code: number; failed: string[] }> {
  const scratch = mkdtempSync(join(tmpdir(), 'atrium-failed-'))
  const list = join(scratch, 'files')
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--disable-warning=ExperimentalWarning',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${pathToFileURL(join(root, 'test', 'failed.ts')).href}`,
      `--test-reporter-destination=${list}`,
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${deadline.one}`,
      ...flags,
      ...files,
    ],
    { cwd: root, env, stdio: 'inherit' },
  )
  const late = setTimeout(() => {
    console.error(`The tests did not end within ${deadline.all / minuteMs} minutes.`)
    child.kill('SIGTERM')
  }, deadline.all)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    // Whoever was stopped had no say about the files that were still to come.
    if (code === null) return { code: 128 + (signal ? constants.signals[signal] : 0), failed: [] }
    const failed = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []
    return { code, failed: failed.map((path) => relative(root, path)) }
  } finally {
    clearTimeout(late)
    rmSync(scratch, { recursive: true, force: true })
  }
}

process.exitCode = await run(process.argv.slice(2))
