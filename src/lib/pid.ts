// Checks whether a process exists, and tells processes of other machines and containers apart.
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

const spaceDigits = 8

/** False when no process has this id. One of another user counts as running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Names the processes among which a pid is one: those of a machine since its start, or of a container. */
export function pidSpace(): string {
  let space: string
  try {
    space = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid')
  } catch {
    space = hostname()
  }
  return createHash('sha256').update(space).digest('hex').slice(0, spaceDigits)
}
