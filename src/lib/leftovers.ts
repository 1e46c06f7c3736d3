// Names for files in the making, and the removal of those that processes were making when they ended.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, pidSpace } from './pid.ts'

/** A file of another machine or container goes once nobody has written to it for so long. */
const maxIdleMs = 24 * 60 * 60 * 1000
const maker = /^(\d+)-([0-9a-f]{8})(.*)$/s

/** The end of a name that no other process gives: two containers that share a folder may have the same pid. */
export function makerMark(): string {
  return `${process.pid}-${pidSpace()}`
}

export type Leftovers = {
  /** What the names have before the mark of their maker. */
  readonly start: string
  /** What they may have behind it. */
  readonly ends?: readonly string[]
}

/** Removes what ended processes have left in a folder. What this one has left goes too. */
export function removeLeftovers(folder: string, { start, ends = [''] }: Leftovers): void {
  const here = pidSpace()
  for (const name of readdirSync(folder)) {
    const [, pid, space, end = ''] = (name.startsWith(start) && maker.exec(name.slice(start.length))) || []
    if (pid === undefined || !ends.includes(end)) continue
    const path = join(folder, name)
    if (space === here ? isLeft(Number(pid)) : isIdle(path)) rmSync(path, { force: true })
  }
}

function isLeft(pid: number): boolean {
  return pid === process.pid || !isRunning(pid)
}

function isIdle(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > maxIdleMs
}
