// What test files share of components: the cache of transpiled code, and components built from TypeScript. Each takes
// seconds to make. They are kept from run to run, for as long as the code that makes them stays the same.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { placeFile } from '#lib/place-file.ts'
import { buildTool, sourcesOf } from '#sandbox/build/componentize.ts'
import { prepareComponent } from '#sandbox/build/prepare.ts'
import { patienceMs } from '../until.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'node_modules', '.cache', 'atrium-tools')

export function sharedToolCache(): string {
  const makers = globSync(['src/sandbox/**/*.{ts,wit}', 'tools/prelude.ts', 'package-lock.json'], { cwd: root })
  const current = hashOf(textsIn(root, makers))
  mkdirSync(join(folder, current), { recursive: true })
  for (const name of readdirSync(folder)) {
    if (name !== current) rmSync(join(folder, name), { recursive: true, force: true })
  }
  return join(folder, current)
}

/** The component of a tool in TypeScript, built unless it is there. */
export async function builtTool(from: string): Promise<Uint8Array> {
  return keptComponent(textsIn(from, sourcesOf(from)), () => buildTool({ folder: from, deadlineMs: 10 * patienceMs }))
}

/** The component of these sources, made unless it is there. */
export async function keptComponent(sources: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const out = join(sharedToolCache(), `built-${hashOf(sources)}.wasm`)
  if (!existsSync(out)) placeFile(out, await make())
  return readFileSync(out)
}

/** Puts the code of a component where the service of a home looks for it. */
export async function copyCode(component: Uint8Array, home: string): Promise<void> {
  const { folder: code } = await prepareComponent(component, {
    cacheFolder: sharedToolCache(),
    deadlineMs: 10 * patienceMs,
  })
  cpSync(code, join(home, 'cache', 'tools', basename(code)), { recursive: true })
}

function textsIn(base: string, paths: readonly string[]): string {
  return paths
    .toSorted()
    .map((path) => `${path}\n${readFileSync(join(base, path), 'utf8')}`)
    .join('\n')
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
