// The least that is a tool component: answers a fixed text to whatever it is given, asks for nothing, holds one page.
import { readFileSync } from 'node:fs'
import { componentEmbed, componentNew, parse } from '@bytecodealliance/jco-transpile/wasm-tools'

const wit = new URL('../src/sandbox/wit/tool.wit', import.meta.url)
/** Offset 16 holds the answer, 64 the schema, 1024 what is returned; what the host hands in goes from 4096 on. */
const schemaAt = 64

/** Components of different numbers are different files. */
export async function minimalComponent(number: number): Promise<Uint8Array> {
  const schema = `{"type":"object","title":"${number}"}`
  const core = await parse(`(module
    (memory (export "memory") 1)
    (data (i32.const 16) "\\"ok\\"")
    (data (i32.const ${schemaAt}) "${schema.replaceAll('"', '\\"')}")
    (global $top (mut i32) (i32.const 4096))
    (func $text (param $length i32) (result i32)
      (i32.store (i32.const 1024) (i32.const ${schemaAt}))
      (i32.store (i32.const 1028) (local.get $length))
      (i32.const 1024))
    (func (export "near:agent/tool@0.3.0#execute") (param i32 i32 i32 i32 i32) (result i32)
      (i32.store8 (i32.const 1024) (i32.const 1))
      (i32.store (i32.const 1028) (i32.const 16))
      (i32.store (i32.const 1032) (i32.const 4))
      (i32.store8 (i32.const 1036) (i32.const 0))
      (i32.const 1024))
    (func (export "near:agent/tool@0.3.0#schema") (result i32) (call $text (i32.const ${schema.length})))
    (func (export "near:agent/tool@0.3.0#description") (result i32) (call $text (i32.const 1)))
    (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
      (local.set $at (global.get $top))
      (global.set $top (i32.and (i32.add (i32.add (global.get $top) (local.get $size)) (i32.const 7)) (i32.const -8)))
      (local.get $at)))`)
  const embedded = await componentEmbed({ binary: core, witSource: readFileSync(wit, 'utf8'), world: 'sandboxed-tool' })
  return componentNew(embedded, [])
}
