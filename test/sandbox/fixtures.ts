// Components made on the spot: a small good one in WebAssembly text, and ways to spoil it.
import { readFileSync } from 'node:fs'
import { componentEmbed, componentNew, parse, print } from '@bytecodealliance/jco-transpile/wasm-tools'

const wit = readFileSync(new URL('../../src/sandbox/wit/tool.wit', import.meta.url), 'utf8')

export type CoreParts = {
  /** What execute does: WebAssembly text that leaves the address of a response on the stack. */
  readonly execute?: string
  /** More functions of the host. */
  readonly imports?: string
  /** More fields of the module: functions, globals, a start. */
  readonly fields?: string
  readonly memory?: string
  readonly schema?: string
}

/** An answer with output set, to the text at an address. */
export const answer = (at: number, length: number): string => `(call $answer (i32.const ${at}) (i32.const ${length}))`

/** Answers `"ok"`. */
export const ok = answer(16, 4)

/**
 * A component of some hundred bytes. Addresses: 16 holds "ok" in quotes, 64 the schema, 1024 the response, from 65536 on
 * what the host hands in. `$answer` fills the response; host functions are $log and $http.
 */
export async function component(parts: CoreParts = {}): Promise<Uint8Array> {
  const core = await coreModule(parts)
  return componentNew(await componentEmbed({ binary: core, witSource: wit, world: 'sandboxed-tool' }), [])
}

/** The module of it, before it is told which interface it speaks. */
export async function coreModule({
  execute = ok,
  imports = '',
  fields = '',
  memory = '(memory (export "memory") 2)',
  schema = '{"type":"object"}',
}: CoreParts = {}): Promise<Uint8Array> {
  return parse(`(module
    (import "near:agent/host@0.3.0" "log" (func $log (param i32 i32 i32)))
    (import "near:agent/host@0.3.0" "http-request" (func $http (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
    ${imports}
    ${memory}
    (global $top (mut i32) (i32.const 65536))
    (data (i32.const 16) "\\"ok\\"")
    (data (i32.const 64) "${escaped(schema)}")
    (data (i32.const 900) "GEThttps://a.example/{}")
    (func $answer (param $at i32) (param $length i32) (result i32)
      (i32.store8 (i32.const 1024) (i32.const 1))
      (i32.store (i32.const 1028) (local.get $at))
      (i32.store (i32.const 1032) (local.get $length))
      (i32.store8 (i32.const 1036) (i32.const 0))
      (i32.const 1024))
    ${fields}
    (func (export "near:agent/tool@0.3.0#execute") (param $params i32) (param $length i32) (param i32 i32 i32) (result i32)
      ${execute})
    (func (export "near:agent/tool@0.3.0#schema") (result i32)
      (i32.store (i32.const 1040) (i32.const 64))
      (i32.store (i32.const 1044) (i32.const ${Buffer.byteLength(schema)}))
      (i32.const 1040))
    (func (export "near:agent/tool@0.3.0#description") (result i32)
      (i32.store (i32.const 1040) (i32.const 64))
      (i32.store (i32.const 1044) (i32.const 1))
      (i32.const 1040))
    (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32) (local $at i32)
      (local.set $at (global.get $top))
      (global.set $top (i32.and (i32.add (i32.add (global.get $top) (local.get $size)) (i32.const 7)) (i32.const -8)))
      (local.get $at)))`)
}

/** A good component with more text at its end: other modules, instances, imports. */
export async function spoiled(more: string): Promise<Uint8Array> {
  const text = (await print(await component())).trimEnd()
  return parse(`${text.slice(0, -1)}\n${more}\n)`)
}

/** A call of http-request to a fixed place; the outcome is at address 2048. */
export const request = `(call $http (i32.const 900) (i32.const 3) (i32.const 903) (i32.const 18) (i32.const 921) (i32.const 2)
  (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))`

/** Writes a number in decimal at address 3000, as a JSON text; leaves its response. */
export const showNumber = `(func $show (param $value i32) (result i32) (local $at i32)
  (local.set $at (i32.const 3020))
  (loop $more
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $value) (i32.const 10))))
    (local.set $value (i32.div_u (local.get $value) (i32.const 10)))
    (br_if $more (local.get $value)))
  (call $answer (local.get $at) (i32.sub (i32.const 3020) (local.get $at))))`

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}

/**
 * One component of many behaviours, each a function body that leaves the address of a response. The parameters `"a"`,
 * `"b"`, … choose one: see `chooseBy`.
 */
export function manyways(ways: Readonly<Record<string, string>>, parts: CoreParts = {}): Promise<Uint8Array> {
  const bodies = Object.values(ways)
  const functions = bodies.map((body, at) => `(func $way${at} (result i32) ${body})`).join('\n')
  const choice = bodies.map((_, at) => {
    const chosen = `(i32.eq (i32.load8_u offset=1 (local.get $params)) (i32.const ${97 + at}))`
    return `(if ${chosen} (then (return (call $way${at}))))`
  })
  return component({ ...parts, fields: `${parts.fields ?? ''} ${functions}`, execute: `${choice.join('\n')} ${ok}` })
}

/** The parameters that choose a behaviour by its name. */
export function chooseBy(ways: Readonly<Record<string, unknown>>, name: string): string {
  return JSON.stringify(String.fromCharCode(97 + Object.keys(ways).indexOf(name)))
}
