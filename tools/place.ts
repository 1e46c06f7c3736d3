// Puts built files and folders in place, whole or not at all. Several processes may build the same thing at once: nothing
// is written where another one writes, and none removes what another one makes or has just made.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning } from '#lib/pid.ts'

/** How often a folder is put in place again after another process was quicker. */
const maxTries = 20

/**
 * Has `make` fill a new folder in `dist`, then points the link `name` to it. The version before stays, since a running
 * service may still load files from it; older ones go.
 */
export async function makeVersion(
  dist: string,
  name: string,
  make: (folder: string) => Promise<void> | void,
): Promise<void> {
  mkdirSync(dist, { recursive: true })
  const link = join(dist, name)
  removeLeftovers(dist, new RegExp(`^${RegExp.escape(partOf(name))}(\\d+)-`))
  // What other processes finish from here on is not in this list.
  const old = readdirSync(dist).filter((each) => each.startsWith(`${name}-`))
  const first = targetOf(link)
  const folder = mkdtempSync(join(dist, `${partOf(name)}${process.pid}-`))
  try {
    await make(folder)
    // It was made for this user alone, but another one may run the service.
    chmodSync(folder, 0o777 & ~process.umask())
    const made = join(dist, `${name}-${basename(folder).slice(partOf(name).length)}`)
    renameSync(folder, made)
    symlinkSync(basename(made), `${folder}.link`)
    const before = targetOf(link)
    renameSync(`${folder}.link`, link)
    for (const each of old) {
      if (each !== first && each !== before) rmSync(join(dist, each), { recursive: true, force: true })
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Where a folder is made that later replaces the one at `place`: beside it, with the process that fills it. */
export const besideOf = (place: string): string => `${place}-${process.pid}`

/**
 * Replaces the folder at `place` by another of the same file system, which is gone from its own place then. When that fails
 * the old one stays. Removes what processes that ended too early have left of theirs.
 */
export function replaceFolder(made: string, place: string): void {
  const away = `${made}-old`
  for (let left = maxTries; ; left--) {
    const isAway = moveAway(place, away)
    try {
      renameSync(made, place)
      break
    } catch (error) {
      // Another process has put its folder there in between.
      const isTaken = isCode(error, 'ENOTEMPTY', 'EEXIST')
      if (isAway && !existsSync(place)) renameSync(away, place)
      if (left === 0 || !isTaken) throw error
    }
  }
  rmSync(away, { recursive: true, force: true })
  removeLeftovers(dirname(place), new RegExp(`^${RegExp.escape(basename(place))}-(\\d+)(?:-old)?$`))
}

/** False when nothing is there. */
function moveAway(place: string, away: string): boolean {
  rmSync(away, { recursive: true, force: true })
  try {
    renameSync(place, away)
    return true
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    return false
  }
}

/** Folders that are being filled have a name of their own, with the process that fills them. */
const partOf = (name: string): string => `part-${name}-`

/** Removes what processes that ended too early have left. The pattern finds their id in a name. */
function removeLeftovers(folder: string, pattern: RegExp): void {
  for (const each of readdirSync(folder)) {
    const pid = pattern.exec(each)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, each), { recursive: true, force: true })
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
