// The lists of planted faults: every other file of this folder, by the area its name says.
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import type { Mutant } from './mutant.ts'

const notLists = new Set(['mutant.ts', 'lists.ts', 'run.ts', 'first.ts', 'mutants.test.ts'])

export type Listed = Mutant & { readonly area: string }

export async function readLists(): Promise<Listed[]> {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => !notLists.has(file))
  const lists = await Promise.all(
    files.toSorted().map(async (file) => {
      const { mutants } = (await import(`./${file}`)) as { mutants: readonly Mutant[] }
      return mutants.map((mutant) => ({ ...mutant, area: basename(file, '.ts') }))
    }),
  )
  return lists.flat()
}
