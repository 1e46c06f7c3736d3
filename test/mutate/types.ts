// What the type checker says to a fault. One that it refuses cannot land, whatever the tests say.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openScratch, type Scratch } from '../scratch.ts'

export type TypeChecker = {
  /** Whether a text in place of a source file is refused. */
  refuses(path: string, text: string): Promise<boolean>
  close(): void
}

/** Checks a copy of the sources, one fault at a time: the checkout stays as it is. Made when it is first asked. */
export function openTypeChecker(root: string): TypeChecker {
  let copy: Scratch | undefined
  let last: Promise<unknown> = Promise.resolve()
  const check = async (path: string, text: string): Promise<boolean> => {
    copy ??= copySources(root)
    writeFileSync(join(copy.path, path), text)
    try {
      return !(await passes(copy.path, path.startsWith('web/') ? 'web' : '.'))
    } finally {
      cpSync(join(root, path), join(copy.path, path))
    }
  }
  return {
    refuses: (path, text) => {
      const checked = last.then(() => check(path, text))
      last = checked.catch(() => {})
      return checked
    },
    close: () => copy?.remove(),
  }
}

/** Without the rules about unused names: a fault that leaves one behind is refused for nothing that matters. */
const laxly = { noUnusedLocals: false, noUnusedParameters: false }

function copySources(root: string): Scratch {
  const copy = openScratch('mutate-types-')
  const skips = join(root, 'web', 'dist')
  for (const name of ['src', 'web', 'package.json']) {
    cpSync(join(root, name), join(copy.path, name), { recursive: true, filter: (path) => path !== skips })
  }
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  const config = { compilerOptions: { ...compilerOptions, ...laxly }, include: ['src'] }
  writeFileSync(join(copy.path, 'tsconfig.json'), JSON.stringify(config))
  return copy
}

async function passes(copy: string, project: string): Promise<boolean> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const args = [tsc, '--noEmit', '-p', join(copy, project)]
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')) as [number | null]
  return code === 0
}
