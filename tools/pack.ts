// Runs before `npm pack`: builds what the package carries. `npm pack` drops symbolic links, and dist/atrium is one, so the
// bundle is copied to dist/release, with the commit that it was built from.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { commitFile, readCommit } from '#lib/commit.ts'
import { buildAll } from './build.ts'
import { freshBundle } from './bundle.ts'
import { besideOf, replaceFolder } from './place.ts'
import { buildWeb } from './web.ts'

/** Builds everything that the package carries. */
async function stagePackage(root: string): Promise<void> {
  await buildAll()
  await buildWeb(root)
  await stageRelease(root)
}

/** Copies the bundle of a checkout to dist/release: whole or not at all. */
export async function stageRelease(root: string): Promise<void> {
  const bundle = dirname(await freshBundle(root))
  const release = join(root, 'dist', 'release')
  const made = besideOf(release)
  rmSync(made, { recursive: true, force: true })
  cpSync(bundle, made, { recursive: true })
  writeFileSync(join(made, commitFile), `${readCommit(root) ?? ''}\n`)
  replaceFolder(made, release)
}

if (import.meta.main) await stagePackage(join(import.meta.dirname, '..'))
