// The files and folders below a path that this process has open. Only Linux tells.
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const handles = '/proc/self/fd'

export function openBelow(path: string): string[] {
  if (process.platform !== 'linux') return []
  const targetOf = (handle: string): string => {
    try {
      return readlinkSync(join(handles, handle))
    } catch {
      // The handle of the look itself is closed.
      return ''
    }
  }
  return readdirSync(handles)
    .map(targetOf)
    .filter((target) => target.startsWith(path))
}
