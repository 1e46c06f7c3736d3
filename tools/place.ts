// Puts built files and folders in place, whole or not at all. Several processes may build the same thing at once: nothing
// is written where another one writes, and none removes what another one makes or has just made.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

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
  removeLeftovers(dist, name)
  // What other processes finish from here on is not in this list.
  const old = readdirSync(dist).filter((each) => each.startsWith(`${name}-`))
  const first = targetOf(link)
  const folder = mkdtempSync(join(dist, `${partOf(name)}${process.pid}-`))
  try {
    await make(folder)
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

/** Replaces a folder by another of the same file system, which is gone from its own place then. */
export function replaceFolder(made: string, place: string): void {
  const away = `${made}-old`
  for (let left = maxTries; ; left--) {
    if (existsSync(place)) moveAway(place, away)
    try {
      renameSync(made, place)
      return
    } catch (error) {
      // Another process has put its folder there in between.
      if (left === 0 || !isCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    }
  }
}

/** Writes a file beside its place, then moves it there. */
export function placeFile(path: string, content: string | Uint8Array): void {
  const made = `${path}.${process.pid}.new`
  writeFileSync(made, content)
  renameSync(made, path)
}

function moveAway(place: string, away: string): void {
  try {
    renameSync(place, away)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
  rmSync(away, { recursive: true, force: true })
}

/** Folders that are being filled have a name of their own, with the process that fills them. */
const partOf = (name: string): string => `part-${name}-`

/** Removes what processes that ended too early have left. */
function removeLeftovers(dist: string, name: string): void {
  for (const each of readdirSync(dist)) {
    if (!each.startsWith(partOf(name))) continue
    const pid = Number.parseInt(each.slice(partOf(name).length), 10)
    if (!isRunning(pid)) rmSync(join(dist, each), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isCode(error, 'EPERM')
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
