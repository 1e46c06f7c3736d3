// Bundles the service into dist/atrium. The launcher runs that in place of the sources while none of them is newer: a
// start reads a few files instead of some three hundred, with no types to strip. Run by `npm ci` (prepare).
import { globSync, mkdirSync, readdirSync, readlinkSync, realpathSync, renameSync } from 'node:fs'
import { rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Packages that ours could ask for and that nothing here makes them ask for: found in node_modules if that is wrong. */
const unused = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
  'pg-native',
  'pino',
]
/**
 * What every start loads, in three pieces rather than eighty, each with all that it imports: what all commands share, then
 * the service, then its gateway. To find, read and link a file takes longer than what most of them hold.
 */
const pieces = [
  { name: 'base', test: /\/src\/commands\/report\.ts$/, priority: 3 },
  { name: 'service', test: /\/src\/commands\/serve-command\.ts$/, priority: 2 },
  { name: 'gateway', test: /\/src\/service\/gateway\.ts$/, priority: 1 },
]
const prefix = 'atrium-'

/** The entry file of a bundle that has every change of the sources; builds one where the bundle is older. */
export async function freshBundle(root: string): Promise<string> {
  const main = join(root, 'dist', 'atrium', 'main.mjs')
  if (!isFresh(root, main)) await buildBundle(root)
  return realpathSync(main)
}

/**
 * Builds the bundle of a checkout, in a folder of its own to which dist/atrium then points: whole or not at all. The one
 * before stays, since a service that runs from it has yet to load some of it.
 */
export async function buildBundle(root: string): Promise<void> {
  const dist = join(root, 'dist')
  const link = join(dist, 'atrium')
  const made = join(dist, `${prefix}${process.pid}-${Date.now()}`)
  mkdirSync(made, { recursive: true })
  try {
    const begun = statSync(made).mtime
    await bundle(root, made)
    // A source that was changed meanwhile may have been read before: it must count as newer.
    utimesSync(join(made, 'main.mjs'), begun, begun)
    const before = targetOf(link)
    symlinkSync(basename(made), `${made}.link`)
    renameSync(`${made}.link`, link)
    for (const name of readdirSync(dist)) {
      if (!name.startsWith(prefix) || name === basename(made) || name === before) continue
      rmSync(join(dist, name), { recursive: true, force: true })
    }
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

/** The same question as the launcher's. */
function isFresh(root: string, main: string): boolean {
  const made = statSync(main, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined) return false
  const sources = globSync(['src/**', 'package.json', 'package-lock.json', 'tools/bundle.ts'], { cwd: root })
  return sources.every((path) => statSync(join(root, path)).mtimeMs <= made)
}

async function bundle(root: string, folder: string): Promise<void> {
  // Only here: whoever imports this file need not have the bundler.
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    cwd: root,
    input: { main: join(root, 'src', 'main.ts') },
    platform: 'node',
    external: unused,
    plugins: [
      {
        name: 'narrow',
        generateBundle(_options, made) {
          for (const part of Object.values(made)) if (part.type === 'chunk') part.code = narrow(part.code)
        },
      },
    ],
    onLog(level, log, tell) {
      // It would be looked for at run time instead, in vain.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      tell(level, log)
    },
  })
  try {
    await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      // Names stay, for whoever reads a stack trace; without them a start would be no quicker.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      comments: { legal: false },
      codeSplitting: { groups: pieces },
    })
  } finally {
    await build.close()
  }
}

/** One letter beyond Latin-1 makes V8 keep all of a file's text at two bytes a letter: such letters become escapes. */
function narrow(code: string): string {
  return code.replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
