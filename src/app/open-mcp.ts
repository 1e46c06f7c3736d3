// Opens the MCP servers of a home. Their code is loaded once there is a server, or somebody asks for them.
import { realpathSync } from 'node:fs'
import { type Config, environmentVariable } from '#config.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { McpAdmin } from '#core/mcp.ts'
import type { Store } from '#core/store.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import { readVersion } from '#lib/version.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { systemStreamDial } from './lazy-dial.ts'
import { createToolSearch } from './tool-search.ts'

export type OpenMcpParts = {
  readonly home: Home
  readonly store: Pick<Store, 'mcp' | 'secrets'>
  readonly config: Config
  readonly scan: (user: UserId) => LeakScan
  readonly log: Log
}

export type OpenMcp = { readonly source: ToolSource; readonly admin: () => Promise<McpAdmin> }

type Opened = { readonly source: ToolSource; readonly admin: McpAdmin }

export function openMcp(parts: OpenMcpParts): OpenMcp {
  const { store } = parts
  const none: readonly Tool[] = []
  let opening: Promise<Opened> | undefined
  let source: ToolSource | undefined
  const search = createToolSearch((user) => (source?.tools(user) ?? none).map(({ spec }) => spec))
  const withSearch = new WeakMap<readonly Tool[], readonly Tool[]>()
  /** The tool that finds the others comes with them. The same array for the same tools. */
  const toolsOf = (user: UserId): readonly Tool[] => {
    const tools = source?.tools(user) ?? none
    if (tools.length === 0) return none
    const all = withSearch.get(tools) ?? [...tools, search]
    withSearch.set(tools, all)
    return all
  }
  const open = (): Promise<Opened> => {
    opening ??= load(parts).then(async (opened) => {
      await opened.source.reload()
      source = opened.source
      return opened
    })
    return opening
  }
  return {
    source: {
      tools: toolsOf,
      view: async () => source?.view() ?? [],
      test: async (name, call) => source?.test(name, call),
      remove: async (name) => source?.remove(name) ?? false,
      async reload() {
        if (source) await source.reload()
        else if ((await store.mcp.list()).length > 0) await open()
      },
      async close() {
        if (opening) await (await opening).source.close()
      },
    },
    admin: async () => (await open()).admin,
  }
}

async function load({ home, store, config, scan, log }: OpenMcpParts): Promise<Opened> {
  const [{ createServers }, { createMcpSource }, { createMcpAdmin }, { createOpenTransport }, stdio, marks] =
    await Promise.all([
      import('#mcp/servers.ts'),
      import('#mcp/source.ts'),
      import('#mcp/admin.ts'),
      import('#mcp/open-transport.ts'),
      import('#mcp/stdio.ts'),
      import('#mcp/process-mark.ts'),
    ])
  const homeMark = marks.homeMark(realpathSync(home.path))
  const mask = (text: string): string => scan(operator).mask(text)
  const servers = createServers({
    store: store.mcp,
    openTransport: createOpenTransport({
      secret: (name) => store.secrets.get(name),
      environment: environmentVariable,
      dial: systemStreamDial(config.proxy),
      homeMark,
      guard: stdio.createExitGuard(),
      mask,
      log,
    }),
    callMs: config.mcp.callMs,
    idleMs: config.mcp.idleMs,
    version: readVersion(),
    log,
  })
  const source = createMcpSource(servers)
  const ended = await marks.endOrphans(homeMark)
  if (ended > 0) log.warn({ processes: ended }, 'ended MCP servers that a killed process left behind')
  return {
    source,
    admin: createMcpAdmin({ servers, store: store.mcp, mask, seal: (name, value) => store.secrets.set(name, value) }),
  }
}
