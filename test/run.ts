// Runs the tests (`npm test`): the short ones, or all with --long. Other flags go to `node --test`; any other word keeps
// only the test files whose path contains it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { useRunFolder } from './run-folder.ts'
import type { RunServer } from './run-server.ts'

const oldestNode = [24, 16] as const
const minuteMs = 60_000
/** How long one test may take, and all of them: a file that never ends has no deadline of its own. */
const deadlines = {
  short: { one: 4 * minuteMs, all: 20 * minuteMs },
  long: { one: 20 * minuteMs, all: 240 * minuteMs },
}
/** How many processes share a core: many tests wait. With two, a quarter of the time no test had anything to compute. */
const processesPerCore = 4

/**
 * The test files of a folder and those below it share a process: what they import is loaded once. Tests leave nothing
 * behind in the process: no globals, no variables of the environment, no mocks. Below these folders each folder has a
 * process of its own.
 */
const parentFolders = ['doors', 'web']
const tracking = 'test/test-tracking.ts'
/** Files that change their process for good, or need one in which the page was never used: each has its own. */
const alone = ['test/web/lib/page.test.ts', 'test/web/store/shell.test.ts', 'test/web/store/threads.test.ts']
/** Folders whose files are dealt to several processes: in one they would take longer than everything else. */
const dealt: Readonly<Record<string, number>> = { web: 3, commands: 2, store: 2 }
/** Processes whose tests use PostgreSQL: where there are several they share a server. */
const onPostgres = ['backup', 'memory', 'missions', 'reach', 'replicas', 'store', 'store-1']
/** Processes that take the longest start first; the others fill up the end. */
const longest = [
  'web',
  'web-1',
  'web-2',
  'root',
  'commands',
  'commands-1',
  'store',
  'store-1',
  'sandbox',
  'doors-web',
  'doors-terminal',
  'replicas',
  'memory',
  'proof',
  'tools',
  'safety',
  'mcp',
  'backup',
  'doors-responses',
  'doors-telegram',
  'http',
]

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

/** The process of a test file: a name that the files which share one have in common. */
function processOf(path: string): string {
  if (alone.some((each) => path.startsWith(each))) return relative('test', path).replaceAll('/', '-')
  const [first = '', second] = relative('test', dirname(path)).split('/')
  if (second !== undefined && parentFolders.includes(first)) return `${first}-${second}`
  return first === '' ? 'root' : first
}

type Process = [name: string, files: string[]]

/** The files of a process, or of those among which they are dealt: the largest first, each to the one that has the least. */
function deal(root: string, name: string, files: readonly string[]): Process[] {
  const hands = Array.from({ length: dealt[name] ?? 1 }, () => ({ files: [] as string[], bytes: 0 }))
  const sizes = files.map((path) => ({ path, bytes: statSync(join(root, path)).size }))
  for (const { path, bytes } of sizes.toSorted((one, other) => other.bytes - one.bytes)) {
    const least = hands.reduce((one, other) => (other.bytes < one.bytes ? other : one))
    least.files.push(path)
    least.bytes += bytes
  }
  const used = hands.filter((hand) => hand.files.length > 0)
  return used.map((hand, at) => [at === 0 ? name : `${name}-${at}`, hand.files.toSorted()])
}

/**
 * Puts the test files of each process into one file in `into`, in which each is a suite with hooks of its own. Node runs
 * them in the order of their names.
 */
function groupTests(root: string, processes: readonly Process[], into: string): string[] {
  const urlOf = (path: string): string => pathToFileURL(join(root, path)).href
  return processes.map(([name, files]) => {
    if (processes.length === 1 && files.length === 1) return files[0] ?? ''
    const lines = [
      `import { after, describe } from 'node:test'`,
      // Ends the processes that tests leave behind: after all files, not after the first that imports it.
      `import '${urlOf('test/atrium.ts')}'`,
      `import { endTracking } from '${urlOf(tracking)}'`,
      `import { checkClock } from '${urlOf('test/kept-clock.ts')}'`,
      'const loading = []',
      'const load = (url) => { const file = import(url); loading.push(file); return file }',
      ...files.map((path) => `describe('${path}', () => { after(checkClock); return load('${urlOf(path)}') })`),
      'Promise.allSettled(loading).then(() => setImmediate(endTracking))',
    ]
    const place = longest.indexOf(name)
    const order = String(place < 0 ? longest.length : place).padStart(2, '0')
    const group = join(into, `${order}-${name}.test.mjs`)
    writeFileSync(group, lines.join('\n'))
    return group
  })
}

/** The server of those processes that would start one each. If it fails they do, and say what the fault is. */
async function shareServer(processes: readonly Process[]): Promise<RunServer | undefined> {
  if (processes.filter(([name]) => onPostgres.includes(name)).length < 2) return undefined
  const { startRunServer } = await import('./run-server.ts')
  return startRunServer().catch(() => undefined)
}

/** A key or a setting of the person at the keyboard must not change what the tests do, or cost money. */
async function cleanEnvironment(root: string): Promise<NodeJS.ProcessEnv> {
  const { variableNames } = await import('#config/variables.ts')
  const kept = Object.entries(process.env).filter(([name]) => !(variableNames as readonly string[]).includes(name))
  // What one process of the tests has compiled, the next one need not.
  return { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'atrium'), ...Object.fromEntries(kept) }
}

async function run(args: readonly string[]): Promise<number> {
  if (!isNewEnough(process.versions.node)) {
    console.error(`The tests need Node ${oldestNode.join('.')} or newer, this is ${process.version}: use npm test.`)
    return 1
  }
  const root = join(import.meta.dirname, '..')
  const long = args.includes('--long')
  const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--long')
  const words = args.filter((arg) => !arg.startsWith('-'))
  const tests = findTests(root, long, words)
  if (tests.length === 0) {
    console.error(`No test file matches ${words.join(' ') || 'test/**/*.test.ts'}${long ? '' : ' in short mode'}.`)
    return 1
  }
  const temporary = useRunFolder()
  // The tools, the browser app and the bundle of the checkout as they are now: they may have changed since the installation.
  const { buildAll } = await import('../tools/build.ts')
  const { freshBundle } = await import('../tools/bundle.ts')
  const { buildWeb } = await import('../tools/web.ts')
  const processes = [...Map.groupBy(tests, processOf)].flatMap(([name, files]) => deal(root, name, files))
  const [main, server] = await Promise.all([freshBundle(root), shareServer(processes), buildAll(), buildWeb(root)])
  const deadline = long ? deadlines.long : deadlines.short
  const groups = mkdtempSync(join(root, 'dist', 'tests-'))
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--disable-warning=ExperimentalWarning',
      `--import=${pathToFileURL(join(root, tracking)).href}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      // More than the cores: many tests wait for a browser, a process or a socket.
      `--test-concurrency=${availableParallelism() * processesPerCore}`,
      `--test-timeout=${deadline.one}`,
      ...flags,
      ...groupTests(root, processes, groups),
    ],
    { cwd: root, env: { ...(await cleanEnvironment(root)), ...server?.env, TEST_MAIN: main }, stdio: 'inherit' },
  )
  const late = flags.includes('--watch')
    ? undefined
    : setTimeout(() => {
        console.error(`The tests did not end within ${deadline.all / minuteMs} minutes.`)
        child.kill('SIGTERM')
      }, deadline.all)
  server?.leaveSignals()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearTimeout(late)
  rmSync(groups, { recursive: true, force: true })
  await server?.remove()
  temporary?.remove()
  return code ?? 128 + (signal ? constants.signals[signal] : 0)
}

process.exitCode = await run(process.argv.slice(2))
