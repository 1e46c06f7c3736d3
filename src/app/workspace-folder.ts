// The folder of a user's workspace, and its removal.
import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config.ts'
import { operator, type UserId } from '#core/ids.ts'

const maxNameChars = 200

type Folders = Pick<Config, 'home' | 'workspace'>

/** The folder of a user's `workspace_*` tools. */
export function workspaceOf(folders: Folders, user: UserId): string {
  return user === operator ? folders.workspace : join(folderOf(folders, user), 'workspace')
}

/** Erases a user's files in this home and returns their number. Never erases the operator's folder. */
export async function eraseWorkspace(folders: Folders, user: UserId): Promise<number> {
  if (user === operator) return 0
  const folder = folderOf(folders, user)
  try {
    const all = await readdir(folder, { recursive: true, withFileTypes: true })
    await rm(folder, { recursive: true, force: true })
    return all.filter((each) => !each.isDirectory()).length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** The user's folder. Its name is made from the id: unique, and safe against path traversal. */
function folderOf({ home }: Folders, user: UserId): string {
  const name = encodeURIComponent(user).replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  const short = name.length <= maxNameChars ? name : createHash('sha256').update(user).digest('hex')
  return join(home, 'users', short)
}
