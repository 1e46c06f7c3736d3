// Writes the code of a tool's process as plain JavaScript into a folder of the cache. The child may read no other code of
// the service, and starts three times faster without types to strip.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { inCheckout } from '#lib/checkout.ts'
import { writeFolder } from './cache-folder.ts'

const scripts = ['child', 'frames', 'guest', 'limits', 'scrub', 'wasi']

/** Increase when `plainScript` changes its output. */
const generation = 1

/** Writes the child's code below the cache folder, once per content, and returns the file to start. */
export function prepareRuntime(cacheFolder: string): string {
  const sources = scripts.map((name) => readFileSync(inCheckout('src', 'sandbox', 'child', `${name}.ts`), 'utf8'))
  const hash = createHash('sha256').update(sources.join('\0')).digest('hex')
  const folder = join(cacheFolder, `runtime-${generation}-${hash.slice(0, 32)}`)
  // The type stripper is large: it is only loaded when the folder is missing.
  if (!existsSync(folder)) {
    const files = sources.map((source, at) => [`${scripts[at]}.mjs`, Buffer.from(plainScript(source))] as const)
    writeFolder(folder, new Map(files))
  }
  return join(folder, 'child.mjs')
}

function plainScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/from '\.\/([a-z]+)\.ts'/g, "from './$1.mjs'")
}
