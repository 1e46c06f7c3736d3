// Making a component of a core module, which is what C, Rust and others compile to: told which interface it speaks, and
// wrapped so that what it imports and exports is that interface.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as WasmTools from '@bytecodealliance/jco-transpile/wasm-tools'
import { AppError } from '#core/errors.ts'
import { printable } from '#safety/printable.ts'
import { witFolder } from './componentize.ts'

/** Loaded by a name that a bundler does not follow: it reads files that lie beside it. */
const toolsPackage = '@bytecodealliance/jco-transpile/wasm-tools'
const world = 'sandboxed-tool'
const maxReasonChars = 500
/** The first four letters of every module, and the version and layer of a core one. */
const coreHead = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])

/** The component of a core module. Throws invalid_input that says what is wrong with it. */
export async function wrapModule(core: Buffer): Promise<Uint8Array> {
  if (!core.subarray(0, 4).equals(coreHead.subarray(0, 4))) throw refused('it is no WebAssembly')
  if (!core.subarray(0, 8).equals(coreHead)) throw refused('it is a component already: install it as it is')
  const { componentEmbed, componentNew } = (await import(toolsPackage)) as typeof WasmTools
  try {
    const witSource = readFileSync(join(witFolder(), 'tool.wit'), 'utf8')
    return await componentNew(await componentEmbed({ binary: core, witSource, world }), [])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String((error as { payload?: unknown }).payload ?? error)
    const wasi = /wasi_snapshot_preview1/.test(reason)
      ? 'it uses files, arguments, time or printing of WASI 0.1, which a tool does not have'
      : printable(reason.replaceAll(/\s+/g, ' ').slice(0, maxReasonChars))
    throw refused(wasi, error)
  }
}

function refused(why: string, cause?: unknown): AppError {
  return new AppError('invalid_input', `the module cannot become a tool: ${why}`, { cause })
}
