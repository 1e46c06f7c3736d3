// Prepares a component to run: checks it, transpiles it in a separate process, and caches the code by the component's hash.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#core/json.ts'
import { dayMs } from '#core/time.ts'
import { outlineOf, type WitVersion } from '#sandbox/package/component.ts'
import { installFaultCodes, ToolFault } from '#sandbox/sandbox-fault.ts'
import type { Frame } from '#sandbox/child/frames.ts'
import { writeFolder } from './cache-folder.ts'
import { findTranspiler, runTranspiler, type Transpiler } from './transpiler.ts'

/** The cached code of a component, ready to run. */
export type Prepared = {
  readonly sha256: string
  readonly folder: string
  readonly witVersion: WitVersion
}

export type PrepareParts = {
  readonly cacheFolder: string
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  /** Only tests set this: it transpiles without a process. */
  readonly transpile?: (component: Uint8Array) => Promise<ReadonlyMap<string, Uint8Array>>
}

/** Increase when this code changes what it writes. The transpiler's version is part of the folder name too. */
const generation = 1
/** Of the names of folders. */
const prefix = 'tool-'

/** The hash that identifies a component. */
export function componentHash(component: Uint8Array): string {
  return createHash('sha256').update(component).digest('hex')
}

/**
 * Returns the code of a component, from the cache or transpiled now. Throws a fault that says what is wrong with it.
 * The outline is checked here too: a component that is plainly wrong is refused without starting the transpiler.
 */
export async function prepareComponent(component: Uint8Array, parts: PrepareParts): Promise<Prepared> {
  const outline = outlineOf(component)
  const sha256 = componentHash(component)
  const transpiler = findTranspiler()
  if (!transpiler) {
    throw new ToolFault('sandbox_unavailable', 'the component transpiler is not installed: run npm ci')
  }
  const folder = join(parts.cacheFolder, folderName(sha256, transpiler))
  if (!existsSync(folder)) {
    const files = parts.transpile
      ? await parts.transpile(component)
      : readAnswer(await runTranspiler(component, transpiler, parts))
    const about = { tool: outline.tool, witVersion: outline.witVersion }
    writeFolder(folder, new Map([...files, ['about.json', Buffer.from(JSON.stringify(about))]]))
  }
  return { sha256, folder, witVersion: outline.witVersion }
}

/**
 * Removes the code of components that are not installed any more, or were prepared otherwise, and what a killed process
 * left. What is younger than a day may be of a component that is being installed.
 */
export async function sweepCache(cacheFolder: string, installed: readonly string[]): Promise<void> {
  const transpiler = findTranspiler()
  if (!transpiler || !existsSync(cacheFolder)) return
  const kept = installed.map((sha256) => folderName(sha256, transpiler))
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith(prefix) || kept.includes(name)) continue
    const folder = join(cacheFolder, name)
    if ((await stat(folder)).mtimeMs < Date.now() - dayMs) await rm(folder, { recursive: true, force: true })
  }
}

const folderName = (sha256: string, { version }: Transpiler): string => `${prefix}${generation}-${version}-${sha256}`

/** The files in the answer of the transpiling process. That process has read hostile bytes, so its answer is not trusted. */
export function readAnswer({ head, body }: Frame): Map<string, Uint8Array> {
  if (!isObject(head)) throw new ToolFault('transpile_failed', 'the transpiler gave no answer')
  if (head.ok !== true) {
    const message = typeof head.message === 'string' ? head.message : 'the component could not be transpiled'
    throw new ToolFault(installFaultCodes.find((code) => code === head.code) ?? 'transpile_failed', message)
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
  if (!files.has('tool.js')) throw new ToolFault('transpile_failed', 'the code is incomplete')
  return files
}
