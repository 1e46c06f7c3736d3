// bin/atrium in checkouts made for the purpose: where it is called from, which Node it takes, what passes through.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { lutimesSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Seen, launch, makeCheckout, makeNode, readTold, systemPath } from './launched-checkout.ts'

const envs = [
  [{}, 'real'],
  [{ PATH: '' }, undefined],
  [{ PATH: systemPath }, undefined],
] as const
for (const pinned of ['node/bin/node', '.bin/node'] as const) {
  test(`the pinned node_modules/${pinned} runs src/main.ts of the checkout, with an empty environment too`, (context) => {
    for (const [env, node] of envs) {
      const { root, launcher } = makeCheckout(context, pinned, node)
      const { status, stderr, seen } = launch(launcher, [], { env })
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
      assert.equal(seen?.node, node === 'real' ? process.execPath : join(root, 'node_modules', pinned))
      assert.equal(seen?.main, join(root, 'src', 'main.ts'))
    }
  })
}

test('arguments and the working folder arrive as they were', (context) => {
  const { folder, launcher } = makeCheckout(context, 'node/bin/node')
  const args = ['run', '-m', 'two  words', '', '*', '$HOME', "it's", '"', 'a\nb', '--help', '--', '-x']
  const { seen } = launch(launcher, args, { cwd: folder })
  assert.deepEqual(seen?.args, args)
  assert.equal(seen?.cwd, folder)
})

test('its flags let Node use the code that it has for its own files', (context) => {
  const { root, launcher } = makeCheckout(context, 'node/bin/node', 'real')
  writeFileSync(join(root, 'src', 'main.ts'), 'console.log(JSON.stringify(process.execArgv))')
  const flags = JSON.parse(spawnSync(launcher, { encoding: 'utf8' }).stdout) as string[]
  const probe = `
    require('node:http')
    const { getCacheUsage } = require('internal/test/binding').internalBinding('builtins')
    console.log(JSON.stringify([...getCacheUsage().compiledWithoutCache]))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-internals', ...flags, '-e', probe], {
    encoding: 'utf8',
  })
  assert.deepEqual(JSON.parse(stdout), [], stderr)
})

test('SIGUSR1 opens no debugger', async (context) => {
  const { root, launcher } = makeCheckout(context, 'node/bin/node', 'real')
  const main = `process.once('SIGUSR2', () => process.exit()); setInterval(() => {}, 1_000); console.log('here')`
  writeFileSync(join(root, 'src', 'main.ts'), main)
  const child = spawn(launcher)
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
  await once(child.stdout, 'data')
  child.kill('SIGUSR1')
  // Node tells of its debugger on standard error when it is asked for the first time.
  await sleep(200)
  child.kill('SIGUSR2')
  const [code] = (await once(child, 'close')) as [number | null]
  assert.deepEqual({ code, told }, { code: 0, told: '' })
})

test('it finds its checkout from any folder and through symlinks of any kind', (context) => {
  const { folder, root, launcher } = makeCheckout(context, 'node/bin/node')
  mkdirSync(join(folder, 'x', 'y'), { recursive: true })
  mkdirSync(join(folder, 'on path'))
  const link = (target: string, ...path: string[]) => symlinkSync(target, join(folder, ...path))
  link(launcher, 'absolute')
  link('../../a check out/bin/atrium', 'x', 'y', 'relative')
  link('x/y/relative', 'chain')
  link(join(folder, 'chain'), 'on path', 'atrium')
  link('a check out/bin', 'bins')
  link('x/y', 'short')
  const calls: [command: string, cwd: string][] = [
    ['./atrium', join(root, 'bin')],
    ['bin/atrium', root],
    ['../bin/atrium', join(root, 'src')],
    [join(folder, 'absolute'), '/'],
    ['./absolute', folder],
    ['x/y/relative', folder],
    ['./chain', folder],
    ['bins/atrium', folder],
    ['short/relative', folder],
    [join(folder, 'on path', 'atrium'), '/'],
  ]
  for (const [command, cwd] of calls) {
    const { stderr, seen } = launch(command, ['hi'], { cwd })
    assert.equal(stderr, '', command)
    assert.equal(seen?.main, join(root, 'src', 'main.ts'), command)
    assert.equal(seen?.cwd, cwd, command)
  }
  const named = (command: string, env: NodeJS.ProcessEnv, cwd: string) =>
    spawnSync('/bin/sh', ['-c', command], { cwd, env, encoding: 'utf8' }).stdout
  assert.match(named('atrium', { PATH: `${join(folder, 'on path')}:${systemPath}` }, '/'), /a check out\/src\/main\.ts/)
  assert.match(named('sh atrium', { PATH: systemPath }, join(root, 'bin')), /a check out\/src\/main\.ts/)
  assert.match(named('sh chain', { PATH: systemPath }, folder), /a check out\/src\/main\.ts/)
  const told = readTold(named('bin/atrium', { PATH: systemPath, CDPATH: '/usr' }, root))
  assert.deepEqual(
    [told?.node, told?.main],
    ['node_modules/node/bin/node', 'src/main.ts'].map((path) => join(root, path)),
  )
})

test('an old Node first on PATH does not matter beside the pinned one', (context) => {
  const { folder, root, launcher } = makeCheckout(context, 'node/bin/node')
  const env = { PATH: `${makeNode(folder, 'v20.20.2')}:${systemPath}` }
  assert.equal(launch(launcher, [], { env }).seen?.node, join(root, 'node_modules', 'node', 'bin', 'node'))
})

const choices: readonly [onPath: string[], taken: string | undefined][] = [
  [['v26.10.0'], 'v26.10.0'],
  [['v24.16.0'], 'v24.16.0'],
  [['v24.15.9'], undefined],
  [['v20.20.2'], undefined],
  [['v9.0.0'], undefined],
  [['v25.0.0'], 'v25.0.0'],
  [['v100.0.0'], 'v100.0.0'],
  [['nonsense'], undefined],
  [['v20.20.2', 'v24.17.1', 'v26.0.0'], 'v24.17.1'],
  [[], undefined],
]
for (const [onPath, taken] of choices) {
  test(`without a pinned Node, ${onPath.join(', ') || 'nothing'} on PATH: ${taken ?? 'a line that says what to do'}`, (context) => {
    const { folder, root, launcher } = makeCheckout(context)
    // No system folder: the machine's own Node must not take part.
    const env = { PATH: ['/nowhere', ...onPath.map((version) => makeNode(folder, version))].join(':') }
    const { status, stdout, stderr } = launch(launcher, ['a', 'b'], { env })
    if (taken) assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `took ${taken}\n`, stderr: '' })
    else {
      assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
      assert.match(stderr, /^atrium: [^\n]*npm ci in [^\n]*\n$/)
      assert(stderr.includes(root))
    }
  })
}

test('an empty entry of PATH is the working folder, and a star in one stands for itself', (context) => {
  const { folder, launcher } = makeCheckout(context)
  const cwd = makeNode(folder, 'v26.0.0')
  assert.equal(launch(launcher, [], { env: { PATH: ':/nowhere' }, cwd }).stdout, 'took v26.0.0\n')
  assert.equal(launch(launcher, [], { env: { PATH: `${dirname(cwd)}/*` }, cwd: '/' }).status, 1)
})

const [early, built, late] = [1_000, 2_000, 3_000]

/** A bundle made at `built` from what is older. */
function addBundle(root: string): void {
  const files = ['package.json', 'package-lock.json', 'tools/bundle.ts', 'src/commands/run.ts', 'dist/atrium/main.mjs']
  for (const file of files) mkdirSync(dirname(join(root, file)), { recursive: true })
  for (const file of files.slice(1)) writeFileSync(join(root, file), '')
  for (const path of [...files, 'src/main.ts', 'src/commands', 'src']) utimesSync(join(root, path), early, early)
  utimesSync(join(root, 'dist/atrium/main.mjs'), built, built)
}

const changes: readonly [what: string, change: (root: string) => void, runs: 'bundle' | 'sources'][] = [
  ['nothing', () => {}, 'bundle'],
  ['an edited source', (root) => utimesSync(join(root, 'src/commands/run.ts'), late, late), 'sources'],
  ['a removed source', (root) => rmSync(join(root, 'src/commands/run.ts')), 'sources'],
  ['an added source', (root) => writeFileSync(join(root, 'src/commands/new.ts'), ''), 'sources'],
  ['other packages', (root) => utimesSync(join(root, 'package-lock.json'), late, late), 'sources'],
  ['another package file', (root) => utimesSync(join(root, 'package.json'), late, late), 'sources'],
  ['another way to bundle', (root) => utimesSync(join(root, 'tools/bundle.ts'), late, late), 'sources'],
  ['an edited part of the bundler', (root) => writeFileSync(join(root, 'tools/light-pages.ts'), ''), 'sources'],
  ['a missing lock file', (root) => rmSync(join(root, 'package-lock.json')), 'sources'],
  ['a missing bundle', (root) => rmSync(join(root, 'dist/atrium/main.mjs')), 'sources'],
  [
    'sources behind a link',
    (root) => {
      renameSync(join(root, 'src'), join(root, 'elsewhere'))
      symlinkSync('elsewhere', join(root, 'src'))
      lutimesSync(join(root, 'src'), early, early)
      utimesSync(join(root, 'elsewhere/commands/run.ts'), late, late)
    },
    'sources',
  ],
]
for (const [what, change, runs] of changes) {
  test(`after the bundle was made, ${what}: the ${runs === 'bundle' ? 'bundle runs' : 'sources run'}`, (context) => {
    const { root, launcher } = makeCheckout(context, 'node/bin/node')
    addBundle(root)
    change(root)
    const { status, stderr, seen } = launch(launcher, ['a', 'b c'])
    assert.deepEqual({ status, stderr, args: seen?.args }, { status: 0, stderr: '', args: ['a', 'b c'] })
    assert.equal(seen?.main.endsWith('/main.mjs'), runs === 'bundle')
  })
}

test('where nothing can tell whether the bundle is fresh, the sources run', (context) => {
  const { root, launcher } = makeCheckout(context, 'node/bin/node')
  addBundle(root)
  const { status, stderr, seen } = launch(launcher, [], { env: { PATH: '' } })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  assert.equal(seen?.main, join(root, 'src', 'main.ts'))
})

/** An installed package: the bundle alone, and a link to the launcher in a folder of programs. */
function makePackage(context: TestContext) {
  const { folder, root, launcher } = makeCheckout(context)
  rmSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(root, 'dist', 'release'), { recursive: true })
  const cache = `console.log(process.env.NODE_COMPILE_CACHE ?? 'none')\n`
  writeFileSync(join(root, 'dist', 'release', 'main.mjs'), cache)
  const bin = join(folder, 'prefix', 'bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(launcher, join(bin, 'atrium'))
  return { folder, bin, linked: join(bin, 'atrium') }
}

test('a package runs its bundle on the Node of the PATH, with its compile cache in the home', (context) => {
  const { folder, linked } = makePackage(context)
  const node = makeNode(folder, 'v24.16.0')
  const taken = launch(linked, ['a'], { env: { PATH: `${makeNode(folder, 'v20.20.2')}:${node}:${systemPath}` } })
  assert.equal(taken.stdout, 'took v24.16.0\n')
  const showing = makeNode(folder, 'v26.0.0', 'echo "${NODE_COMPILE_CACHE:-none}"')
  const caches: readonly (readonly [env: Record<string, string>, cache: string])[] = [
    [{ HOME: '/home/ann' }, '/home/ann/.cache/atrium'],
    [{ HOME: '/home/ann', XDG_CACHE_HOME: '/var/cache' }, '/var/cache/atrium'],
    [{ HOME: '/home/ann', NODE_COMPILE_CACHE: '/own' }, '/own'],
    [{}, 'none'],
  ]
  const cacheOf = (env: Record<string, string>, bin: string): string =>
    launch(linked, [], { env: { PATH: `${bin}:${systemPath}`, ...env } }).stdout
  for (const [env, cache] of caches) assert.equal(cacheOf(env, showing), `${cache}\n`)
  assert.equal(cacheOf({ HOME: '/home/ann' }, dirname(process.execPath)), '/home/ann/.cache/atrium\n')
})

test('a package whose PATH has no Node takes the one beside its link, or says what to do', (context) => {
  const { folder, bin, linked } = makePackage(context)
  const PATH = makeNode(folder, 'v20.20.2')
  // The launcher itself needs `readlink`.
  symlinkSync('/usr/bin/readlink', join(PATH, 'readlink'))
  const without = launch(linked, [], { env: { PATH } })
  assert.deepEqual([without.status, without.stdout], [1, ''])
  assert.match(without.stderr, /^atrium: no Node 24\.16 or newer found; install one [^\n]*\n$/)
  renameSync(join(makeNode(folder, 'v26.1.0'), 'node'), join(bin, 'node'))
  assert.equal(launch(linked, [], { env: { PATH } }).stdout, 'took v26.1.0\n')
})

test('exit codes pass through', (context) => {
  const { launcher } = makeCheckout(context, 'node/bin/node')
  for (const code of [0, 1, 2, 42]) assert.equal(launch(launcher, ['exit', String(code)]).status, code)
})

test('warnings about experimental parts of Node are not shown', (context) => {
  const { launcher } = makeCheckout(context, 'node/bin/node', 'real')
  assert.equal(launch(launcher, ['warn']).stderr, '')
})

test('signals reach Node, which has taken the place of the launcher', async (context) => {
  const { launcher } = makeCheckout(context, 'node/bin/node', 'real')
  const child = spawn(launcher, ['wait'], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
  context.after(() => child.kill('SIGKILL'))
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  assert.equal((JSON.parse(chunk.toString()) as Seen).pid, child.pid)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [7, null])
})
