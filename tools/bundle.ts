// Bundles the service into dist/atrium. The launcher runs the bundle unless a source is newer: a start then reads a few
// files instead of some three hundred, and need not strip types. Run by `npm ci` (postprepare).
import { copyFileSync, globSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputChunk, Plugin } from 'rolldown'
import { createLicenseList } from './licenses.ts'
import { lightFastify } from './light-fastify.ts'
import { lightPrices } from './light-prices.ts'
import { lightUndici } from './light-undici.ts'
import { makeVersion } from './place.ts'
import { entryOf, refuseCircles, scriptOf } from './script-chunks.ts'

/** Optional packages of our dependencies that this project never uses. If one is used after all, node_modules has it. */
const unused = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
  'pg-native',
  'pino',
]
/**
 * The code that every start loads, in three chunks rather than eighty: what all commands share, the service, and its
 * gateway, each with its imports; and the doors of the gateway, each in one. Finding, reading and linking a file takes
 * longer than running most of them.
 */
const pieces = [
  { name: 'base', test: /\/src\/commands\/report\.ts$/, priority: 5 },
  { name: 'service', test: /\/src\/commands\/serve-command\.ts$/, priority: 4 },
  { name: 'gateway', test: /\/src\/service\/gateway\.ts$/, priority: 3 },
  { name: 'api', test: /\/src\/service\/api-families\.ts$/, priority: 2 },
  { name: 'web', test: /\/src\/service\/web-families\.ts$/, priority: 1 },
]
/** Warnings about code that works as it is. */
const quiet = ['EVAL', 'INEFFECTIVE_DYNAMIC_IMPORT', 'MODULE_LEVEL_DIRECTIVE']

/** The entry file of an up-to-date bundle. Builds a new one if a source is newer. */
export async function freshBundle(root: string): Promise<string> {
  const main = join(root, 'dist', 'atrium', 'main.mjs')
  if (!isFresh(root, main)) await buildBundle(root)
  return realpathSync(main)
}

/** Builds the bundle of a checkout. dist/atrium leads to it: whole or not at all. */
export async function buildBundle(root: string): Promise<void> {
  await makeVersion(join(root, 'dist'), 'atrium', async (folder) => {
    const begun = statSync(folder).mtime
    await bundle(root, folder)
    // A source that changed during the build may have been read before: it must count as newer.
    utimesSync(join(folder, 'main.mjs'), begun, begun)
  })
}

/** The same check as in the launcher (bin/atrium). */
function isFresh(root: string, main: string): boolean {
  const made = statSync(main, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined) return false
  const sources = globSync(['src/**', 'package.json', 'package-lock.json', 'tools/*.ts'], { cwd: root })
  return sources.every((path) => statSync(join(root, path)).mtimeMs <= made)
}

/** The service, and the scripts that it starts in threads and processes of their own: they share no code with it. */
async function bundle(root: string, folder: string): Promise<void> {
  const transpiler = join(root, 'node_modules', '@bytecodealliance', 'jco-transpile')
  const licenses = createLicenseList()
  const shared = { root, folder, plugins: [licenses.plugin] }
  await bundleOne({ ...shared, name: 'main', file: join(root, 'src', 'main.ts'), groups: pieces, scripts: true })
  await bundleOne({ ...shared, name: 'bundle-loader', file: join(root, 'src', 'lib', 'bundle-loader.ts') })
  for (const name of ['worker-thread', 'worker-process']) {
    await bundleOne({ ...shared, name, file: join(root, 'src', 'tools', `${name}.ts`) })
  }
  await bundleOne({ ...shared, name: 'sqlite-thread', file: join(root, 'src', 'store', 'sqlite-thread.ts') })
  await bundleOne({ ...shared, name: 'builder-child', file: join(root, 'src', 'sandbox', 'build', 'builder-child.ts') })
  const child = join(root, 'src', 'sandbox', 'build', 'transpile-child.ts')
  await bundleOne({ ...shared, name: 'transpile-child', file: child, whole: true })
  await bundleOne({ ...shared, name: 'wasm-tools', file: join(transpiler, 'dist', 'wasm-tools.js'), whole: true })
  // Both read the compiled half of their code beside their script.
  for (const name of globSync('*.wasm', { cwd: join(transpiler, 'vendor') })) {
    copyFileSync(join(transpiler, 'vendor', name), join(folder, name))
  }
  copyFileSync(join(transpiler, 'package.json'), join(folder, 'transpiler.json'))
  writeFileSync(join(folder, 'licenses.txt'), licenses.text())
}

type Build = {
  readonly root: string
  readonly folder: string
  readonly name: string
  readonly file: string
  readonly plugins: readonly Plugin[]
  readonly groups?: typeof pieces
  /** All but the entry become scripts, which a start loads with the code that V8 has compiled of them before. */
  readonly scripts?: boolean
  /** One file: a confined process may read no other. */
  readonly whole?: boolean
}

async function bundleOne({
  root,
  folder,
  name,
  file,
  plugins,
  groups = [],
  scripts = false,
  whole = false,
}: Build): Promise<void> {
  // Imported here, so that this file can be imported without the bundler installed.
  const { rolldown } = await import('rolldown')
  const build = await rolldown({
    cwd: root,
    input: { [name]: file },
    platform: 'node',
    external: unused,
    plugins: [
      lightFastify,
      lightPrices,
      lightUndici,
      browserShim,
      ...plugins,
      {
        name: 'narrow',
        generateBundle(_options, made) {
          const chunks = Object.values(made).filter((part) => part.type === 'chunk')
          if (scripts) refuseCircles(chunks)
          for (const chunk of chunks) chunk.code = narrow(scripts ? scriptText(chunk) : chunk.code)
        },
      },
    ],
    onLog(level, log, print) {
      // The import would fail at run time instead.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      if (!quiet.includes(log.code ?? '')) print(level, log)
    },
  })
  try {
    await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: `[name]-[hash].${scripts ? 'js' : 'mjs'}`,
      // Names stay, for readable stack traces; removing them would not make a start quicker.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      comments: { legal: false },
      codeSplitting: whole ? false : { groups },
    })
  } finally {
    await build.close()
  }
}

/** The transpiler gets the browser build of its WASI, which needs no threads and no native file access. */
const browserShim: Plugin = {
  name: 'browser-shim',
  resolveId: {
    filter: { id: /^@bytecodealliance\/preview2-shim\// },
    async handler(name, importer) {
      const found = await this.resolve(name, importer, { skipSelf: true })
      return found && { ...found, id: found.id.replace('/dist/nodejs/', '/dist/browser/') }
    },
  },
}

const scriptText = (chunk: OutputChunk): string => (chunk.isEntry ? entryOf(chunk) : scriptOf(chunk))

/** Escapes characters beyond ASCII: one beyond Latin-1 makes V8 store the whole file with two bytes per character. */
function narrow(code: string): string {
  return code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
