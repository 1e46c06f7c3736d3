// Puts a file in place, whole or not at all.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning } from './pid.ts'

/** Writes a file beside its place, then moves it there. Removes what processes that ended in between have left of it. */
export function placeFile(path: string, content: string | Uint8Array): void {
  const made = `${path}.${process.pid}.new`
  writeFileSync(made, content)
  try {
    renameSync(made, path)
  } catch (error) {
    rmSync(made, { force: true })
    throw error
  }
  const leftover = new RegExp(`^${RegExp.escape(basename(path))}\\.(\\d+)\\.new$`)
  for (const each of readdirSync(dirname(path))) {
    const pid = leftover.exec(each)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(path), each), { force: true })
  }
}
