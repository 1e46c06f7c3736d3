// What test files share of components: the cache of transpiled code, and components built from TypeScript. Each takes
// seconds to make. They are kept from run to run, for as long as the code that makes them stays the same.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildTool, sourcesOf } from '#sandbox/build/componentize.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'node_modules', '.cache', 'atrium-tools')

export function sharedToolCache(): string {
  const makers = globSync(['src/sandbox/**/*.{ts,wit}', 'tools/prelude.ts', 'package-lock.json'], { cwd: root })
  const current = hashOf(root, makers)
  mkdirSync(join(folder, current), { recursive: true })
  for (const name of readdirSync(folder)) {
    if (name !== current) rmSync(join(folder, name), { recursive: true, force: true })
  }
  return join(folder, current)
}

/** The component of a tool in TypeScript, built unless it is there. */
export async function builtTool(from: string): Promise<Uint8Array> {
  const out = join(sharedToolCache(), `built-${hashOf(from, sourcesOf(from))}.wasm`)
  if (!existsSync(out)) await buildTool({ folder: from, out })
  return readFileSync(out)
}

function hashOf(base: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths.toSorted()) hash.update(path).update(readFileSync(join(base, path)))
  return hash.digest('hex').slice(0, 16)
}
