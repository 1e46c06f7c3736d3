// A core module, as C and Rust make it, becomes a tool.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { wrapModule } from '#sandbox/build/wrap-module.ts'
import { component, coreModule } from '../fixtures.ts'
import { createRig } from '../rig.ts'

const rig = createRig()
after(() => rig.close())

test('a core module that speaks the interface becomes a component that runs', async () => {
  const tool = await rig.load(await wrapModule(Buffer.from(await coreModule())))
  assert.equal((await rig.sandbox.testCall(tool, { params: '{}' })).output, '"ok"')
})

test('what cannot become a tool is told in words', async () => {
  const printing = '(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))))'
  const refused: readonly (readonly [bytes: Uint8Array, says: RegExp])[] = [
    [Buffer.from('int main'), /it is not WebAssembly/],
    [await component(), /it is a component already: install it/],
    [await parse(printing), /printing of WASI 0\.1/],
    [await parse('(module)'), /the module cannot become a tool: .*near:agent\/tool@0\.3\.0/],
  ]
  for (const [bytes, message] of refused) {
    await assert.rejects(wrapModule(Buffer.from(bytes)), { code: 'invalid_input', message })
  }
})
