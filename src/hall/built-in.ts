// The tools that come with the service, as its configuration has them.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '#config.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { ToolSource } from '#core/tool.ts'
import { createFetch } from '#net/fetch.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createBuiltInTools } from '#tools/source.ts'
import { lazyDial } from './dial.ts'

const maxNameChars = 200

export function openBuiltInTools(
  { home, workspace, shell, proxy, privateHosts }: Config,
  scan: () => LeakScan,
): ToolSource {
  return createBuiltInTools({
    now: Date.now,
    shell,
    scan,
    fetch: createFetch({ dial: lazyDial(proxy), privateHosts }),
    folderOf: (user) => (user === operator ? workspace : join(home, 'users', folderName(user), 'workspace')),
  })
}

/** A user's id as the name of a folder: no two have the same, and none leads elsewhere. */
function folderName(user: UserId): string {
  const name = encodeURIComponent(user).replaceAll(/[.!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return name.length <= maxNameChars ? name : createHash('sha256').update(user).digest('hex')
}
