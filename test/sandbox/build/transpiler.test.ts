// The transpiler as it is found and started: in checkouts whose packages lie elsewhere, are missing, or are broken.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findTranspiler } from '#sandbox/build/transpiler.ts'
import { component } from '../fixtures.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const work = mkdtempSync(join(tmpdir(), 'atrium-checkout-'))
after(() => rmSync(work, { recursive: true, force: true }))

/** What comes of preparing a component in a copy of the checkout with packages of its own. */
async function prepareIn(name: string, packages: (folder: string) => void): Promise<string> {
  const folder = join(work, name)
  for (const each of ['package.json', 'src']) cpSync(join(root, each), join(folder, each), { recursive: true })
  packages(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'probe.wasm'), await component())
  writeFileSync(
    join(folder, 'try.ts'),
    `import { readFileSync } from 'node:fs'
     import { prepareComponent } from '#sandbox/build/prepare.ts'
     import { findTranspiler } from '#sandbox/build/transpiler.ts'
     const parts = { cacheFolder: '${join(folder, 'cache')}' }
     const done = prepareComponent(readFileSync('${join(folder, 'probe.wasm')}'), parts)
     console.log(findTranspiler() !== undefined, await done.then(() => 'done', (error) => error.code + ': ' + error.message))`,
  )
  const ran = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(folder, 'try.ts')])
  return ran.stdout.toString() + ran.stderr.toString()
}

/** A package that stands in for the transpiler, with this code. */
function standIn(code: string): (folder: string) => void {
  return (folder) => {
    const place = join(folder, '@bytecodealliance', 'jco-transpile')
    mkdirSync(place, { recursive: true })
    const about = { name: '@bytecodealliance/jco-transpile', version: '0.0.1', type: 'module' }
    writeFileSync(join(place, 'package.json'), JSON.stringify({ ...about, exports: { './component': './a.js' } }))
    writeFileSync(join(place, 'a.js'), code)
  }
}

test('a component is transpiled where node_modules is a link', async () => {
  const said = await prepareIn('linked', (folder) => {
    symlinkSync(join(root, 'node_modules'), join(work, 'elsewhere'))
    symlinkSync(join(work, 'elsewhere'), folder)
  })
  assert.equal(said, 'true done\n')
})

test('without the transpiler nothing runs, and that is said', async () => {
  assert.notEqual(findTranspiler(), undefined)
  const said = await prepareIn('without', (folder) => mkdirSync(folder))
  assert.equal(said, 'false sandbox_unavailable: the component transpiler is not installed: run npm ci\n')
})

test('a transpiler that fails says why', async () => {
  const thrown = await prepareIn('thrown', standIn(`throw new Error('its engine is \\u001b[2J too old')`))
  assert.equal(thrown, 'true transpile_failed: the transpiler failed: its engine is ?[2J too old\n')
})

test('a transpiler that breaks off says why', async () => {
  const code = `export const $init = undefined; queueMicrotask(() => { throw new RangeError('out of \\u001b[2J luck') })`
  const said = await prepareIn('broken', standIn(code))
  assert.equal(said, 'true transpile_failed: the transpiler broke off (RangeError: out of \\u{1b}[2J luck)\n')
})
