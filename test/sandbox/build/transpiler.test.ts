// The transpiler as it is found and started: in checkouts whose packages lie elsewhere, are missing, or are broken.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { findTranspiler } from '#sandbox/build/transpiler.ts'
import { component } from '../fixtures.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const work = mkdtempSync(join(tmpdir(), 'atrium-checkout-'))
const checkout = join(work, 'checkout')
before(async () => {
  for (const each of ['package.json', 'src']) cpSync(join(root, each), join(checkout, each), { recursive: true })
  writeFileSync(join(checkout, 'probe.wasm'), await component())
})
after(() => rmSync(work, { recursive: true, force: true }))

/** What comes of preparing a component in a copy of the checkout, when these are its packages. */
function prepareWith(name: string, packages: (folder: string) => void): string {
  rmSync(join(checkout, 'node_modules'), { recursive: true, force: true })
  packages(join(checkout, 'node_modules'))
  writeFileSync(
    join(checkout, 'try.ts'),
    `import { readFileSync } from 'node:fs'
     import { prepareComponent } from '#sandbox/build/prepare.ts'
     import { findTranspiler } from '#sandbox/build/transpiler.ts'
     const parts = { cacheFolder: '${join(work, name)}' }
     const done = prepareComponent(readFileSync('${join(checkout, 'probe.wasm')}'), parts)
     console.log(findTranspiler() !== undefined, await done.then(() => 'done', (error) => error.code + ': ' + error.message))`,
  )
  const ran = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(checkout, 'try.ts')])
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

test('a component is transpiled where node_modules is a link', () => {
  const said = prepareWith('linked', (folder) => {
    symlinkSync(join(root, 'node_modules'), join(work, 'elsewhere'))
    symlinkSync(join(work, 'elsewhere'), folder)
  })
  assert.equal(said, 'true done\n')
})

test('without the transpiler nothing runs, and that is said', () => {
  assert.notEqual(findTranspiler(), undefined)
  const said = prepareWith('without', (folder) => mkdirSync(folder))
  assert.equal(said, 'false sandbox_unavailable: the component transpiler is not installed: run npm ci\n')
})

test('a transpiler that fails says why', () => {
  const thrown = prepareWith('thrown', standIn(`throw new Error('its engine is \\u001b[2J too old')`))
  assert.equal(thrown, 'true transpile_failed: the transpiler failed: its engine is ?[2J too old\n')
})

test('a transpiler that breaks off says why', () => {
  const code = `export const $init = undefined; queueMicrotask(() => { throw new RangeError('out of \\u001b[2J luck') })`
  const said = prepareWith('broken', standIn(code))
  assert.equal(said, 'true transpile_failed: the transpiler broke off (RangeError: out of \\u{1b}[2J luck)\n')
})
