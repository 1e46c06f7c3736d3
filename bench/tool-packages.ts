// The components for the tool benchmark: the weather tool as built, and minimal ones that are made here.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentEmbed, componentNew, parse } from '@bytecodealliance/jco-transpile/wasm-tools'

export type Package = { readonly name: string; readonly component: string; readonly capabilities: string }

const root = join(import.meta.dirname, '..')
const nothingAllowed = JSON.stringify({ version: '1.0.0', wit_version: '0.3.0' })

/** Writes `count` minimal components, each its own tool. The weather tool must have been built. */
export async function makeComponents(folder: string, count: number): Promise<{ minimal: Package[]; weather: Package }> {
  const wit = readFileSync(join(root, 'src/sandbox/wit/tool.wit'), 'utf8')
  const made = await Promise.all(Array.from({ length: count }, (_, number) => minimalComponent(wit, number)))
  const minimal = made.map((bytes, number): Package => {
    const name = number === 0 ? 'minimal' : `minimal${number}`
    const component = join(folder, `${name}.wasm`)
    writeFileSync(component, bytes)
    return { name, component, capabilities: nothingAllowed }
  })
  const weather = {
    name: 'weather',
    component: join(root, 'tools/weather/dist/weather.wasm'),
    capabilities: readFileSync(join(root, 'tools/weather/capabilities.json'), 'utf8'),
  }
  return { minimal, weather }
}

/**
 * Returns a fixed text for any input, without requests. The answer is at address 16, the schema at 64, the return values
 * at 1024; the host's arguments start at 4096.
 */
async function minimalComponent(wit: string, number: number): Promise<Uint8Array> {
  const schema = `{"type":"object","title":"${number}"}`
  const core = await parse(`(module
    (memory (export "memory") 1)
    (data (i32.const 16) "\\"ok\\"")
    (data (i32.const 64) "${schema.replaceAll('"', '\\"')}")
    (global $top (mut i32) (i32.const 4096))
    (func $text (param $length i32) (result i32)
      (i32.store (i32.const 1024) (i32.const 64))
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
  return componentNew(await componentEmbed({ binary: core, witSource: wit, world: 'sandboxed-tool' }), [])
}
