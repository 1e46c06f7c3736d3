// Installing a component: checked and transpiled in a process of its own, kept in the cache by its hash.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '#core/json.ts'
import type { Outline, WitVersion } from '#sandbox/package/component.ts'
import { outlineOf } from '#sandbox/package/component.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'
import type { Frame } from '#sandbox/child/frames.ts'
import { writeFolder } from './cache-folder.ts'
import { askTranspiler, findTranspiler } from './transpiler.ts'

/** Code of a component in the cache, ready to run. */
export type Prepared = {
  readonly sha256: string
  readonly folder: string
  readonly witVersion: WitVersion
  readonly imports: readonly string[]
}

export type InstallParts = {
  readonly cacheFolder: string
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

/** Counts up when our part in making code changes; the transpiler has its version: old caches are not used. */
const generation = 1

/** The hash that pins a component. */
export function hashOf(component: Uint8Array): string {
  return createHash('sha256').update(component).digest('hex')
}

/**
 * Gives the code of a component: from the cache, or made now. Throws a fault that names what is wrong with it.
 * The first part of the checks runs here, so that what is plainly wrong is told at once.
 */
export async function prepareComponent(component: Uint8Array, parts: InstallParts): Promise<Prepared> {
  const outline = outlineOf(component)
  const sha256 = hashOf(component)
  const transpiler = findTranspiler()
  if (!transpiler) {
    throw new ToolFault('sandbox_unavailable', 'the transpiler of components is not installed: run npm ci')
  }
  const folder = join(parts.cacheFolder, `tool-${generation}-${transpiler.version}-${sha256}`)
  if (!existsSync(folder)) {
    const made = readAnswer(await askTranspiler(component, transpiler, parts))
    const about = { tool: made.outline.tool, witVersion: made.outline.witVersion }
    writeFolder(folder, new Map([...made.files, ['about.json', Buffer.from(JSON.stringify(about))]]))
  }
  return { sha256, folder, witVersion: outline.witVersion, imports: outline.imports }
}

/** What the transpiling process said. It has handled hostile bytes: its answer is checked like any other's. */
function readAnswer({ head, body }: Frame): { outline: Outline; files: Map<string, Uint8Array> } {
  if (!isObject(head)) throw new ToolFault('transpile_failed', 'the transpiler gave no answer')
  if (head.ok !== true) {
    const message = typeof head.message === 'string' ? head.message : 'the component could not be transpiled'
    throw new ToolFault((typeof head.code === 'string' ? head.code : 'transpile_failed') as ToolFaultCode, message)
  }
  const files = new Map<string, Uint8Array>()
  let at = 0
  for (const entry of Array.isArray(head.files) ? head.files : []) {
    if (!isObject(entry) || typeof entry.name !== 'string' || typeof entry.size !== 'number') continue
    if (!/^tool(\.core\d{0,3}\.wasm|\.js)$/.test(entry.name))
      throw new ToolFault('transpile_failed', 'an odd file name')
    files.set(entry.name, body.subarray(at, at + entry.size))
    at += entry.size
  }
  if (!files.has('tool.js') || !isObject(head.outline))
    throw new ToolFault('transpile_failed', 'the code is incomplete')
  return { outline: head.outline as unknown as Outline, files }
}
