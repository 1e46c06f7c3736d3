// The code that runs inside a tool's process, as plain JavaScript in a folder of its own: the child may read nothing
// else of the service, and starts three times faster when it has no types to strip.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { inCheckout } from '#lib/checkout.ts'
import { writeFolder } from './cache-folder.ts'

const parts = ['child', 'frames', 'guest', 'limits', 'scrub', 'wasi']

/** Counts up when `plainScript` makes something else of a source. */
const generation = 1

/** Writes the child's code below the cache folder, once per content, and returns the file to start. */
export function prepareRuntime(cacheFolder: string): string {
  const sources = parts.map((name) => readFileSync(inCheckout('src', 'sandbox', 'child', `${name}.ts`), 'utf8'))
  const hash = createHash('sha256').update(sources.join('\0')).digest('hex')
  const folder = join(cacheFolder, `runtime-${generation}-${hash.slice(0, 32)}`)
  // What strips the types is large: a process that finds the folder does without it.
  if (!existsSync(folder)) {
    const scripts = sources.map((source, at) => [`${parts[at]}.mjs`, Buffer.from(plainScript(source))] as const)
    writeFolder(folder, new Map(scripts))
  }
  return join(folder, 'child.mjs')
}

function plainScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/from '\.\/([a-z]+)\.ts'/g, "from './$1.mjs'")
}
