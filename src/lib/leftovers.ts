// Removes files that processes were making when they ended.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from './pid.ts'

/** The first group of `pattern` is the pid of the process that was making the file. What this one has left goes too. */
export function removeLeftovers(folder: string, pattern: RegExp): void {
  for (const name of readdirSync(folder)) {
    const pid = pattern.exec(name)?.[1]
    if (pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid))))
      rmSync(join(folder, name), { force: true })
  }
}
