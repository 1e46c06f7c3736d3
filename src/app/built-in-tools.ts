// The tools that come with the service, as its configuration has them.
import type { Config } from '#config.ts'
import type { UserId } from '#core/ids.ts'
import type { ToolSource } from '#core/tool.ts'
import { createFetch } from '#net/fetch.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createBuiltInTools } from '#tools/built-in-source.ts'
import { lazyDial } from './lazy-dial.ts'
import { workspaceOf } from './workspace-folder.ts'

export function openBuiltInTools(config: Config, scan: (user: UserId) => LeakScan): ToolSource {
  const { shell, proxy, privateHosts } = config
  return createBuiltInTools({
    now: Date.now,
    shell,
    scan,
    fetch: createFetch({ dial: lazyDial(proxy), privateHosts }),
    folderOf: (user) => workspaceOf(config, user),
  })
}
