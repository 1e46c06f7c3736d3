// Preparing components: a bad one is refused with its own fault, and a good one installs right after.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { componentEmbed, componentNew, parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { prepareComponent } from '#sandbox/build/prepare.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { component, ok, spoiled } from '../fixtures.ts'
import { anyPlace, createRig, transpileHere } from '../rig.ts'
import { badComponents, instance } from './bad-components.ts'

const rig = createRig({ cacheFolder: mkdtempSync(join(tmpdir(), 'atrium-sandbox-')), transpilesApart: true })
/** Transpiles in this process. */
const here = createRig({ cacheFolder: rig.cacheFolder })
/** For what is said of components that are transpiled: their code is kept from run to run. */
const kept = createRig()
after(async () => {
  await kept.close()
  await here.close()
  await rig.close()
  rmSync(rig.cacheFolder, { recursive: true, force: true })
})

type Take = (bytes: Uint8Array) => Promise<unknown>

async function refusal(bytes: Uint8Array, take: Take = (each) => rig.load(each)): Promise<ToolFault> {
  try {
    await take(bytes)
  } catch (error) {
    assert(error instanceof ToolFault, String(error))
    return error
  }
  return assert.fail('it was installed')
}

async function goodStillRuns(): Promise<void> {
  const tool = await rig.load(await component())
  assert.equal((await rig.sandbox.testCall(tool, { params: '{}' })).output, '"ok"')
}

/** One of each kind goes the whole way; for the others the checks are run here, as the process that transpiles does. */
const wholeWay = ['an export name that is code', 'forty instances', 'a memory that starts too large', 'sockets', 'text']
const check: Take = transpileHere
const isTaken = (bytes: Uint8Array): Promise<boolean> =>
  check(bytes).then(
    () => true,
    () => false,
  )

for (const [what, make, code, message] of badComponents) {
  test(`refused: ${what}`, async () => {
    const fault = await (wholeWay.includes(what) ? refusal(await make()) : refusal(await make(), check))
    assert.equal(fault.code, code, fault.message)
    assert.match(fault.message, message)
  })
}

test('a good component installs after all that, in the same process', goodStillRuns)

test('a file cut short anywhere is refused', async () => {
  const bytes = await component()
  for (let part = 1; part < 12; part++) {
    const cut = bytes.subarray(0, Math.floor((bytes.length * part) / 12))
    const fault = await (part === 6 ? refusal(cut) : refusal(cut, check))
    assert(['component_malformed', 'interface_missing', 'not_a_component'].includes(fault.code), fault.code)
  }
  await goodStillRuns()
})

test('a file with bytes flipped is refused or still harmless', async () => {
  const bytes = await component()
  let refused = 0
  for (let at = 9; at < bytes.length; at += 397) {
    const flipped = Uint8Array.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ 0xff
    // One refused component goes the whole way; every accepted one is run.
    const taken = await isTaken(flipped)
    if (refused > 0 && !taken) continue
    const used = taken ? here : rig
    try {
      await used.sandbox.testCall(await used.load(flipped), { params: '{}' })
    } catch (error) {
      assert(error instanceof ToolFault, String(error))
      refused++
    }
  }
  assert(refused > 0)
  await goodStillRuns()
})

test('a component that takes too long to transpile is given up', async () => {
  const parts = { cacheFolder: rig.cacheFolder, deadlineMs: 1 }
  const bytes = await component({ schema: '{"type":"object","title":"slow"}' })
  await assert.rejects(prepareComponent(bytes, parts), { code: 'transpile_timeout' })
})

test('code is kept by its hash, private to the user, and used again', async () => {
  const bytes = await component()
  const first = await prepareComponent(bytes, { cacheFolder: rig.cacheFolder })
  const again = await prepareComponent(bytes, { cacheFolder: rig.cacheFolder, deadlineMs: 1 })
  assert.deepEqual(again, first)
  const code = [...(await transpileHere(bytes))].map(([name, file]) => [name, Buffer.from(file)] as const)
  for (const [name, file] of code) assert.deepEqual(readFileSync(join(first.folder, name)), file)
  assert.deepEqual(readdirSync(first.folder).toSorted(), ['about.json', ...code.map(([name]) => name)].toSorted())
  assert(readdirSync(rig.cacheFolder).every((name) => /^(tool-1-\d+\.\d+\.\d+|runtime-1)-[0-9a-f]+$/.test(name)))
})

test('every memory and table in the cache has an upper bound', async () => {
  const bytes = await spoiled(`(core module $e (memory 1) (table 1 funcref))${instance('e')}`)
  const { folder } = await prepareComponent(bytes, { cacheFolder: rig.cacheFolder, transpile: transpileHere })
  const modules = readdirSync(folder).filter((name) => name.endsWith('.wasm'))
  const bounds = modules.flatMap((name) => limitsIn(readFileSync(join(folder, name))))
  assert(bounds.length >= 3)
  const pages = bounds.filter(({ section }) => section === 5).map(({ max }) => max ?? Number.POSITIVE_INFINITY)
  assert(pages.reduce((sum, max) => sum + max, 0) <= 1_024, String(pages))
})

const take: Take = (bytes) => kept.load(bytes)

test('the schema must be a JSON object', async () => {
  assert.equal((await refusal(await component({ schema: '[1]' }), take)).code, 'schema_invalid')
  assert.equal((await refusal(await component({ schema: '{"type":' }), take)).code, 'schema_invalid')
  const deep = `{"a":${'['.repeat(60)}${']'.repeat(60)}}`
  assert.match((await refusal(await component({ schema: deep }), take)).message, /nests too deep/)
})

test('a schema that asks for a credential is warned about', async () => {
  const schema = '{"type":"object","properties":{"api_key":{},"city":{}}}'
  const { warnings } = await kept.load(await component({ schema }))
  assert.deepEqual(warnings.length, 1)
  assert.match(warnings[0] ?? '', /"api_key" looks like a credential/)
})

test('texts with letters that nobody sees are warned about', async () => {
  const schema = '{"type":"object","title":"\u200bhidden"}'
  for (const { warnings } of [
    await kept.load(await component({ schema })),
    await kept.load(await component(), { ...anyPlace, actions: [{ id: 'a', description: 'x\u{e0041}' }] }),
  ]) {
    assert.match(warnings.join(), /invisible characters/)
  }
  assert.doesNotMatch((await kept.load(await component())).warnings.join(), /invisible/)
})

test('a capability file for another interface version is refused', async () => {
  const bytes = await component({ execute: ok })
  await assert.rejects(
    kept.load(bytes, { ...anyPlace, wit_version: '0.4.0' }),
    /built for near:agent 0\.3\.x: write 0\.3\.0$/,
  )
})

test('a world without the host interface is fine: a tool that asks for nothing', async () => {
  const core = await parse(`(module (memory (export "memory") 1)
    (func (export "near:agent/tool@0.3.0#execute") (param i32 i32 i32 i32 i32) (result i32) (i32.const 0))
    (func (export "near:agent/tool@0.3.0#schema") (result i32) (i32.const 0))
    (func (export "near:agent/tool@0.3.0#description") (result i32) (i32.const 0))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64)))`)
  const wit = readFileSync(new URL('../../../src/sandbox/wit/tool.wit', import.meta.url), 'utf8')
  const bytes = await componentNew(await componentEmbed({ binary: core, witSource: wit, world: 'sandboxed-tool' }), [])
  assert.equal((await refusal(bytes, take)).code, 'schema_invalid')
})

/** Memories and tables of a module: enough of the format to see their maximum. */
function limitsIn(bytes: Buffer): { section: number; max: number | undefined }[] {
  const found: { section: number; max: number | undefined }[] = []
  let at = 8
  const number = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const next = bytes[at++] ?? 0
      value += (next & 0x7f) * 2 ** shift
      if (next < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const section = bytes[at++] ?? 0
    const end = number() + at
    if (section === 4 || section === 5) {
      for (let left = number(); left > 0; left--) {
        if (section === 4) at++
        const bounded = bytes[at++] === 1
        number()
        found.push({ section, max: bounded ? number() : undefined })
      }
    }
    at = end
  }
  return found
}
