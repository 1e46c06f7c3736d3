// The loader of the bundle in processes of its own, with scripts beside it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { openScratch } from '../scratch.ts'

/** Has a function that is called, and one that is not. The first says `word`. */
const scriptSaying = (word: string): string =>
  `(function(load,loadLater,meta){"use strict";
  function called(){return "${word} by a function"}
  function uncalled(){return "never heard"}
  return{called,uncalled,meta}})`

function prepare(t: TestContext) {
  const scratch = openScratch('atrium-loader-')
  t.after(() => scratch.remove())
  const [folder, cache] = [scratch.path, join(scratch.path, 'cache')]
  copyFileSync(join(import.meta.dirname, '../../src/lib/bundle-loader.ts'), join(folder, 'bundle-loader.ts'))
  const main = join(folder, 'main.ts')
  writeFileSync(
    main,
    `import { load, loadLater } from './bundle-loader.ts'
    const { called } = load('said.js') as { called: () => string }
    console.log(called(), (await loadLater('said.js')).called === called)`,
  )
  const say = (word: string): void => writeFileSync(join(folder, 'said.js'), scriptSaying(word))
  say('Said')
  const codes = (): string[] =>
    existsSync(cache)
      ? readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('said.js'))
      : []
  return {
    folder,
    cache,
    say,
    codes,
    code: (): string => join(cache, codes()[0] ?? ''),
    run: async (...args: string[]): Promise<string> => {
      const env = { NODE_COMPILE_CACHE: cache }
      const flags = ['--disable-warning=ExperimentalWarning', main]
      const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...args], { env })
      return stdout
    },
  }
}

test('the code of a script is kept with the functions that were called, and used again', async (t) => {
  const { run, codes, code } = prepare(t)
  assert.equal(await run('serve'), 'Said by a function true\n')
  assert.deepEqual(codes().length, 1)
  const kept = readFileSync(code(), 'latin1')
  assert(kept.includes('Said by a function'))
  assert(!kept.includes('never heard'))
  const { mtimeMs, ino } = statSync(code())
  assert.equal(await run('serve'), 'Said by a function true\n')
  assert.deepEqual([statSync(code()).mtimeMs, statSync(code()).ino], [mtimeMs, ino])
})

test('a script finds packages and its own place as a module does', async (t) => {
  const { folder, run } = prepare(t)
  const print = 'const{resolve,...place}=meta;console.log(JSON.stringify([resolve("zod/x.js"),place]))'
  const code = `(function(load,loadLater,meta){"use strict";const called=()=>{${print};return ""};return{called}})`
  writeFileSync(join(folder, 'said.js'), code)
  mkdirSync(join(folder, 'node_modules', 'zod'), { recursive: true })
  writeFileSync(join(folder, 'node_modules', 'zod', 'x.js'), '')
  const filename = join(folder, 'said.js')
  const place = { dirname: folder, filename, url: pathToFileURL(filename).href }
  const found = pathToFileURL(join(folder, 'node_modules', 'zod', 'x.js')).href
  assert.deepEqual(JSON.parse((await run()).split('\n')[0] ?? ''), [found, place])
})

test('a script that is gone fails as a module does', async (t) => {
  const { folder, run } = prepare(t)
  rmSync(join(folder, 'said.js'))
  await assert.rejects(run(), /Cannot find module '.*said\.js'[^]*ERR_MODULE_NOT_FOUND/)
})

test('a service and a command each keep their own', async (t) => {
  const { run, codes } = prepare(t)
  for (const args of [['serve'], [], ['status']]) await run(...args)
  assert.deepEqual(
    new Set(codes().map((name) => basename(name))),
    new Set(['said.js.command.code', 'said.js.service.code']),
  )
})

test('code of another text of the same length is not run', async (t) => {
  const { run, say } = prepare(t)
  await run()
  say('Told')
  assert.equal(await run(), 'Told by a function true\n')
  assert.equal(await run(), 'Told by a function true\n')
})

const damages: readonly [what: string, damage: (bytes: Buffer) => Buffer][] = [
  ['changed', (bytes) => bytes.map((byte, at) => (at === bytes.length - 40 ? byte ^ 1 : byte)) as Buffer],
  ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['three bytes long', () => Buffer.alloc(3)],
]
for (const [what, damage] of damages) {
  test(`code that is ${what} is made again`, async (t) => {
    const { run, code } = prepare(t)
    await run()
    writeFileSync(code(), damage(readFileSync(code())))
    assert.equal(await run(), 'Said by a function true\n')
    const { ino } = statSync(code())
    assert.equal(await run(), 'Said by a function true\n')
    assert.equal(statSync(code()).ino, ino, 'the third run uses what the second one made')
  })
}

test('a cache that cannot be written is no fault', async (t) => {
  const { run, cache } = prepare(t)
  writeFileSync(cache, 'no folder')
  assert.equal(await run(), 'Said by a function true\n')
})

test('code that is a week old goes when other code is kept', async (t) => {
  const { run, say, codes, code } = prepare(t)
  await run('serve')
  const old = code()
  const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000)
  utimesSync(old, longAgo, longAgo)
  assert.equal(await run('serve'), 'Said by a function true\n')
  assert(existsSync(old), 'nothing is kept, so nothing goes')
  say('Told')
  await run('status')
  assert.deepEqual(codes().length, 1)
  assert(!existsSync(old))
})
