// The commit that this program was built from. A package has it in a file; a checkout asks Git.
import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inBundle } from './bundle.ts'
import { inCheckout } from './checkout.ts'

/** The file of a package's bundle that has the commit. */
export const commitFile = 'commit.txt'
const gitMs = 5_000

/** Twelve hex digits, and `-dirty` after them if the checkout has changes. Undefined where nothing tells. */
export function readCommit(root = inCheckout()): string | undefined {
  const file = inBundle(commitFile)
  if (file !== undefined && existsSync(file)) return readFileSync(file, 'utf8').trim() || undefined
  const folder = join(root, '.git')
  return existsSync(folder) ? askGit(root, folder) : undefined
}

function askGit(root: string, folder: string): string | undefined {
  // Named folders: variables such as GIT_DIR may name another checkout.
  const where = [`--git-dir=${folder}`, `--work-tree=${root}`]
  const what = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  try {
    const options = {
      encoding: 'utf8' as const,
      timeout: gitMs,
      stdio: ['ignore', 'pipe', 'ignore'] satisfies StdioOptions,
    }
    return execFileSync('git', [...where, ...what], options).trim() || undefined
  } catch {
    return undefined
  }
}
