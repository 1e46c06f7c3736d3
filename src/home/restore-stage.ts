// The end of a restore: everything is prepared in a folder of the home, and one rename decides. What is decided is carried
// out at once, or by the next process that locks the home.
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from '#lib/sync-path.ts'

const preparedName = 'restore.part'
const decidedName = 'restore.ready'
const planName = 'plan.json'
const databaseName = 'atrium.db'
/** These belong to the database file and go with it. */
const databaseFiles = ['atrium.db-wal', 'atrium.db-shm', databaseName]

/** The plan of a restore: names of files and folders that are prepared under the same name. */
type Plan = {
  /** Tells restores apart. */
  readonly mark: string
  readonly places: readonly string[]
  /** Names that leave the home although nothing replaces them. */
  readonly clears: readonly string[]
  /** The folder of the home for what is replaced. A copy of the database may be prepared in it. */
  readonly aside: string
}

/** An empty folder for what is to be restored. What an earlier restore left in it is removed. */
export function createStage(home: string): string {
  const stage = join(home, preparedName)
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(stage, { mode: 0o700 })
  return stage
}

/** Removes what a restore has prepared. */
export function dropStage(home: string): void {
  rmSync(join(home, preparedName), { recursive: true, force: true })
}

/** The names of a folder that are mount points in the text of /proc/self/mountinfo: they cannot be renamed. */
export function mountedNames(mounts: string, folder: string, names: readonly string[]): string[] {
  const points = new Set(mounts.split('\n').map((line) => unescaped(line.split(' ')[4] ?? '')))
  return names.filter((name) => points.has(join(folder, name)))
}

/** The kernel writes blanks and backslashes of a path as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** Writes what is to be done with the prepared files. */
export function writePlan(home: string, plan: Plan): void {
  const path = join(home, preparedName, planName)
  writeFileSync(path, JSON.stringify(plan), { mode: 0o600 })
  syncPath(path)
  syncPath(join(home, preparedName))
}

/** The mark of a restore that is prepared and not decided here: with PostgreSQL the database decides. */
export function preparedMark(home: string): string | undefined {
  return readPlan(join(home, preparedName))?.mark
}

/** True while a restore is decided and not carried out. */
export function isRestoreDecided(home: string): boolean {
  return existsSync(join(home, decidedName))
}

/** From here on the restore has happened. */
export function decideRestore(home: string): void {
  renameSync(join(home, preparedName), join(home, decidedName))
  syncPath(home)
}

/**
 * Carries out a restore that is decided, and removes what one that was cut off before its plan has prepared: there may be a
 * key in it. Only for the process that has locked the home.
 */
export function finishRestore(home: string): void {
  if (preparedMark(home) === undefined) dropStage(home)
  const decided = join(home, decidedName)
  if (!existsSync(decided)) return
  const plan = readPlan(decided)
  // First, since what is replaced here is put beside the copy.
  if (plan && isThere(join(decided, plan.aside))) renameSync(join(decided, plan.aside), join(home, plan.aside))
  for (const name of plan?.clears ?? []) putAside(home, name, plan?.aside)
  for (const name of plan?.places ?? []) {
    // Placed by an earlier attempt.
    if (!isThere(join(decided, name))) continue
    for (const old of name === databaseName ? databaseFiles : [name]) putAside(home, old, plan?.aside)
    renameSync(join(decided, name), join(home, name))
  }
  syncPath(home)
  rmSync(decided, { recursive: true, force: true })
}

function putAside(home: string, name: string, aside = 'replaced'): void {
  if (!isThere(join(home, name))) return
  mkdirSync(join(home, aside), { recursive: true, mode: 0o700 })
  renameSync(join(home, name), join(home, aside, name))
}

/** True for a link that leads nowhere, too: it is in the way all the same. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function readPlan(folder: string): Plan | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, planName), 'utf8')) as Plan
  } catch {
    // A restore that was cut off before its plan was written.
    return undefined
  }
}
