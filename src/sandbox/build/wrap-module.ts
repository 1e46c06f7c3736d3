// Wraps a core module, which C, Rust and other compilers produce, as a component with the interface of a tool.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as WasmTools from '@bytecodealliance/jco-transpile/wasm-tools'
import { AppError } from '#core/errors.ts'
import { inBundle } from '#lib/bundle.ts'
import { oneLine } from '#safety/printable.ts'
import { witFolder } from './componentize.ts'

/** A variable, so that the bundler does not follow the import: the package reads files beside its own code. */
const toolsPackage = '@bytecodealliance/jco-transpile/wasm-tools'
const bundledTools = 'wasm-tools.mjs'
const world = 'sandboxed-tool'
/** Magic bytes, then version and layer of a core module. */
const coreHeader = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])

/** Wraps a core module. Throws invalid_input that says what is wrong with it. */
export async function wrapModule(core: Buffer): Promise<Uint8Array> {
  if (!core.subarray(0, 4).equals(coreHeader.subarray(0, 4))) throw refused('it is not WebAssembly')
  if (!core.subarray(0, 8).equals(coreHeader)) throw refused('it is a component already: install it as it is')
  const bundled = inBundle(bundledTools)
  const tools = bundled === undefined ? toolsPackage : pathToFileURL(bundled).href
  const { componentEmbed, componentNew } = (await import(tools)) as typeof WasmTools
  try {
    const witSource = readFileSync(join(witFolder(), 'tool.wit'), 'utf8')
    return await componentNew(await componentEmbed({ binary: core, witSource, world }), [])
  } catch (error) {
    const reason = error instanceof Error ? error.message : String((error as { payload?: unknown }).payload ?? error)
    const why = /wasi_snapshot_preview1/.test(reason)
      ? 'it uses files, arguments, time or printing of WASI 0.1, which a tool does not have'
      : oneLine(reason)
    throw refused(why, error)
  }
}

function refused(why: string, cause?: unknown): AppError {
  return new AppError('invalid_input', `the module cannot become a tool: ${why}`, { cause })
}
