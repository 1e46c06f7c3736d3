// The bundle in a copy of the checkout: what it serves, when the sources run instead, and the package that carries it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { buildAll } from '../tools/build.ts'
import { freshBundle } from '../tools/bundle.ts'
import { stageRelease } from '../tools/pack.ts'
import { atriumProcess, serve } from './atrium.ts'
import { newHome } from './new-home.ts'
import { startEmbedder } from './memory/embedder.ts'
import { scriptedEnv } from './scripted-env.ts'
import { respond, useAlone, weather, weatherInstalled } from './use-alone.ts'

const checkout = join(import.meta.dirname, '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-bundle-')))
const copy = join(folder, 'checkout')
const launcher = [join(copy, 'bin', 'atrium')] as const
const home = newHome()

before(async () => {
  await buildAll()
  for (const name of ['bin', 'package.json', 'package-lock.json', 'src', 'tools']) {
    cpSync(join(checkout, name), join(copy, name), { recursive: true, preserveTimestamps: true })
  }
  const packages = readdirSync(join(checkout, 'node_modules')).filter((name) => !name.startsWith('.'))
  mkdirSync(join(copy, 'node_modules'))
  for (const name of packages) {
    const [from, to] = [join(checkout, 'node_modules', name), join(copy, 'node_modules', name)]
    symlinkSync(from, to)
  }
})
after(() => {
  rmSync(folder, { recursive: true, force: true })
  home.remove()
})

const said = 'A self-hosted agent: chat in the terminal'
const edited = 'Edited a moment ago.'

/** Which text of the command line's help is run: that of the bundle, or that of a source changed since. */
async function help(): Promise<string> {
  const { code, stdout } = await atriumProcess(home.path, ['--help'], { program: launcher })
  assert.equal(code, 0)
  return stdout.includes(edited) ? edited : stdout.includes(said) ? said : stdout
}

const longAgo = new Date(0)

/** Changes the text of the help in its source; `at` is when that will have been. */
function edit(from: string, to: string, at: Date): void {
  const path = join(copy, 'src', 'commands', 'program.ts')
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  utimesSync(path, at, at)
}

test('without a bundle the sources run', async () => {
  assert(!existsSync(join(copy, 'dist')))
  edit(said, edited, new Date())
  assert.equal(await help(), edited)
  edit(edited, said, longAgo)
})

/** Puts the bundle of the checkout where a build of the copy would, beside an older one: the sources are the same. */
async function copyBundle(): Promise<string> {
  const bundle = dirname(await freshBundle(checkout))
  const dist = join(copy, 'dist')
  const main = join(dist, basename(bundle), 'main.mjs')
  cpSync(bundle, dirname(main), { recursive: true })
  const now = new Date()
  utimesSync(main, now, now)
  symlinkSync(basename(bundle), join(dist, 'atrium'))
  mkdirSync(join(dist, 'atrium-older'))
  return main
}

test('a bundle runs until a source is edited, and again once it is built anew; a service from before goes on', async () => {
  const first = await copyBundle()
  edit(said, edited, longAgo)
  assert.equal(await help(), said, 'nothing is newer than the bundle')
  assert.equal(await freshBundle(copy), first)
  edit(edited, edited, new Date())
  assert.equal(await help(), edited)
  edit(edited, edited, longAgo)
  // No source can have a part in this.
  const main = join(copy, 'src', 'main.ts')
  const source = readFileSync(main, 'utf8')
  writeFileSync(main, 'throw new Error("a source ran")')
  utimesSync(main, longAgo, longAgo)
  const service = await serve(home.path, scriptedEnv(home.path, weather), launcher)
  try {
    // A bundler may drop what only serves to throw.
    assert.equal((await fetch(`${service.url}/api/%zz`)).status, 401)
    // The sandbox is not loaded yet: the bundle that this service was started from must still be there.
    writeFileSync(main, source)
    assert.notEqual(await freshBundle(copy), first)
    await weatherInstalled(home.path, service)
    assert.match(await respond(home.path, service, 'what is the weather?'), /It said: .*'city' must not be empty/)
  } finally {
    assert.equal(await service.stop(), 0)
  }
  edit(edited, said, longAgo)
  assert.equal(await help(), edited)
})

test('the bundle finds the extension that compares vectors', async (t) => {
  const { baseUrl } = await startEmbedder(t)
  const env = { EMBEDDING_PROVIDER: 'openai-compatible', EMBEDDING_MODEL: 'concepts', EMBEDDING_BASE_URL: baseUrl }
  const { stdout } = await atriumProcess(home.path, ['doctor'], { program: launcher, env })
  assert.match(stdout, /embedding: .* makes vectors of/)
})

/** What the package must have, beside its code. */
const carried = [
  'LICENSE',
  'README.md',
  'bin/atrium',
  'dist/release/main.mjs',
  'dist/release/bundle-loader.mjs',
  'dist/release/sqlite-thread.mjs',
  'dist/release/worker-thread.mjs',
  'dist/release/worker-process.mjs',
  'dist/release/builder-child.mjs',
  'dist/release/transpile-child.mjs',
  'dist/release/wasm-tools.mjs',
  'dist/release/licenses.txt',
  'dist/release/commit.txt',
  'package.json',
  'src/sandbox/child/child.ts',
  'src/sandbox/wit/tool.wit',
  'tools/host.d.ts',
  'tools/prelude.ts',
  'tools/weather/capabilities.json',
  'tools/weather/dist/weather.json',
  'tools/weather/dist/weather.wasm',
  'web/dist/index.html',
]
const maxPackedBytes = 25_000_000
const maxUnpackedBytes = 60_000_000

test('the package runs alone: its page, a component, a page that is read, a tool that is built', async () => {
  for (const name of ['LICENSE', 'README.md', 'web/dist'])
    cpSync(join(checkout, name), join(copy, name), { recursive: true })
  await stageRelease(copy)
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: copy })
  const [packed] = JSON.parse(stdout) as {
    filename: string
    size: number
    unpackedSize: number
    files: { path: string }[]
  }[]
  const paths = packed?.files.map(({ path }) => path) ?? []
  assert.deepEqual(
    carried.filter((path) => !paths.includes(path)),
    [],
  )
  const known = /^(dist\/release|web\/dist|src\/sandbox\/(child|wit)|tools\/weather\/dist)\//
  assert.deepEqual(
    paths.filter((path) => !known.test(path) && !carried.includes(path)),
    [],
  )
  assert((packed?.size ?? Infinity) < maxPackedBytes && (packed?.unpackedSize ?? Infinity) < maxUnpackedBytes)
  assert.match(
    readFileSync(join(copy, 'dist', 'release', 'licenses.txt'), 'utf8'),
    /^fastify [\d.]+ \(MIT\)\n\n.*Copyright/ms,
  )

  const root = join(folder, 'installed', 'node_modules', 'atrium')
  mkdirSync(root, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', root, '--strip-components=1'])
  await useAlone(home.path, [join(root, 'bin', 'atrium')], dirname(process.execPath))
})

test('a start reads a few files, and none of what only some services or later requests need', () => {
  const bundle = join(copy, 'dist', 'atrium')
  const files = readdirSync(bundle)
  const read = new Map<string, string>()
  const load = (name: string): void => {
    if (read.has(name)) return
    const text = readFileSync(join(bundle, name), 'utf8')
    read.set(name, text)
    for (const [, next = ''] of text.matchAll(/\b__load\("([\w.-]+)"\)/g)) load(next)
  }
  for (const name of ['main.mjs', 'bundle-loader.mjs']) load(name)
  for (const name of files) if (/^(serve|gateway)-/.test(name)) load(name)
  assert(read.size >= 6 && read.size <= 10, [...read.keys()].join(' '))
  const text = [...read.values()].join('')
  assert.match(text, /is ready/)
  assert.match(text, /there is no \$\{path\} here/, 'the gateway is among them')
  const rest = files.filter((name) => !read.has(name)).map((name) => readFileSync(join(bundle, name), 'utf8'))
  const [sockets, tokens, postgres] = ['permessage-deflate', 'jwtVerify', 'readyForQuery']
  for (const late of [sockets, tokens, postgres, 'function toJSONSchema', 'UND_ERR_', '"node:child_process"']) {
    assert(!text.includes(late), `${late} is read at the start`)
    assert(rest.join('').includes(late), `${late} is nowhere`)
  }
})

test('bundles do not pile up', () => {
  const [link, ...kept] = readdirSync(join(copy, 'dist'))
    .filter((name) => name !== 'release')
    .toSorted()
  assert.equal(link, 'atrium')
  assert.equal(kept.length, 2, 'the bundle and the one before it')
})

test('a bundle that cannot be written is no fault of the installation: the sources run', async () => {
  rmSync(join(copy, 'dist'), { recursive: true })
  writeFileSync(join(copy, 'dist'), 'in the way')
  const prepare = join(copy, 'tools', 'prepare.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [prepare], { cwd: dirname(prepare) })
  assert.match(stdout, /^the bundle was not built, so [^\n]*EEXIST/m)
  assert.equal(await help(), said)
})
