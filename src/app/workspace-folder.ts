// Where a user's workspace lies, and its end.
import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config.ts'
import { operator, type UserId } from '#core/ids.ts'

const maxNameChars = 200

type Places = Pick<Config, 'home' | 'workspace'>

/** The folder of a user's `workspace_*` tools. */
export function workspaceOf(places: Places, user: UserId): string {
  return user === operator ? places.workspace : join(folderOf(places, user), 'workspace')
}

/** Erases all that a user has in this home, and tells how many files that were. The operator's folder is theirs to keep. */
export async function eraseWorkspace(places: Places, user: UserId): Promise<number> {
  if (user === operator) return 0
  const folder = folderOf(places, user)
  try {
    const all = await readdir(folder, { recursive: true, withFileTypes: true })
    await rm(folder, { recursive: true, force: true })
    return all.filter((each) => !each.isDirectory()).length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** A user's id as the name of a folder: no two have the same, and none leads elsewhere. */
function folderOf({ home }: Places, user: UserId): string {
  const name = encodeURIComponent(user).replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  const short = name.length <= maxNameChars ? name : createHash('sha256').update(user).digest('hex')
  return join(home, 'users', short)
}
