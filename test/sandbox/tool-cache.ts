// The cache of transpiled components that test files share: to transpile one takes two seconds. It is kept from run to run,
// for as long as the code that transpiles stays the same.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'node_modules', '.cache', 'atrium-tools')

export function sharedToolCache(): string {
  const hash = createHash('sha256')
  for (const path of globSync('src/sandbox/**/*.ts', { cwd: root }).toSorted()) {
    hash.update(path).update(readFileSync(join(root, path)))
  }
  const current = hash.digest('hex').slice(0, 16)
  mkdirSync(join(folder, current), { recursive: true })
  for (const name of readdirSync(folder)) {
    if (name !== current) rmSync(join(folder, name), { recursive: true, force: true })
  }
  return join(folder, current)
}
