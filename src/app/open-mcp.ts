// Opens the MCP servers of a home. Their code is loaded once there is a server, or somebody asks for them.
import { realpathSync } from 'node:fs'
import { type Config, environmentVariable } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { McpServers } from '#core/mcp.ts'
import type { Store } from '#core/store.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import { readVersion } from '#lib/version.ts'
import type { LeakScan } from '#safety/leaks.ts'
import type { Seal } from '#lib/seal.ts'
import { systemDial, systemStreamDial } from './lazy-dial.ts'
import { createToolSearch } from './tool-search.ts'

export type OpenMcpParts = {
  readonly home: Home
  readonly store: Pick<Store, 'mcp' | 'secrets'>
  readonly seal: Seal
  readonly config: Config
  readonly scan: (user: UserId) => LeakScan
  readonly log: Log
}

export type OpenMcp = { readonly source: ToolSource; readonly admin: () => Promise<McpServers> }

type Opened = { readonly source: ToolSource; readonly admin: McpServers }

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
    opening ??= load(parts)
      .then(async (opened) => {
        await opened.source.reload()
        source = opened.source
        return opened
      })
      .catch((error: unknown) => {
        // The next one who asks tries again.
        opening = undefined
        throw error
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

/** What a test of a server found. */
export type ExaminedServer = {
  readonly name: string
  readonly tools: number
  /** Tools that differ from what is pinned. */
  readonly changed: number
  readonly fault?: string
}

/** Starts each server once, and stores nothing. */
export async function examineServers(parts: OpenMcpParts, signal: AbortSignal): Promise<ExaminedServer[]> {
  const { servers, merge } = await loadServers(parts)
  const all = await parts.store.mcp.list()
  return Promise.all(
    all.map(async (server) => {
      const connection = servers.trial(server)
      try {
        const { tools } = await connection.list(signal)
        const merged = merge(server.name, server.tools, tools)
        const changed = merged.filter((tool) => tool.changed !== undefined).length
        return { name: server.name, tools: tools.length, changed }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return { name: server.name, tools: 0, changed: 0, fault: error.message }
      } finally {
        await connection.stop()
      }
    }),
  )
}

async function load(parts: OpenMcpParts): Promise<Opened> {
  const { store, log } = parts
  const [{ servers, access, endOrphans, mask }, { createMcpSource }, { createMcpAdmin }, { createSignIns }] =
    await Promise.all([loadServers(parts), import('#mcp/source.ts'), import('#mcp/admin.ts'), import('#mcp/auth.ts')])
  const source = createMcpSource(servers, mask)
  const ended = await endOrphans()
  if (ended > 0) log.warn({ processes: ended }, 'ended MCP servers that a killed process left behind')
  const admin = createMcpAdmin({ servers, store: store.mcp, mask, secrets: store.secrets })
  return {
    source,
    admin: {
      ...admin,
      ...createSignIns(store.mcp, access),
      async remove(name) {
        const removed = await admin.remove(name)
        if (removed) await access.forget(name)
        return removed
      },
    },
  }
}

async function loadServers({ home, store, seal, config, scan, log }: OpenMcpParts) {
  const [{ createServers }, { mergeTools: merge }, { createOpenTransport }, stdio, marks] = await Promise.all([
    import('#mcp/servers.ts'),
    import('#mcp/pin.ts'),
    import('#mcp/open-transport.ts'),
    import('#mcp/stdio.ts'),
    import('#mcp/process-mark.ts'),
  ])
  const [{ bearerOf }, { createResourceAccess }] = await Promise.all([
    import('#mcp/auth.ts'),
    import('#oauth/resource-access.ts'),
  ])
  const access = createResourceAccess({
    secrets: store.secrets,
    seal,
    dial: systemDial(config.proxy),
    privateHosts: config.privateHosts,
    now: Date.now,
    log,
    prefix: 'mcp',
  })
  const homeMark = marks.homeMark(realpathSync(home.path))
  const mask = (text: string): string => scan(operator).mask(text)
  const servers = createServers({
    store: store.mcp,
    openTransport: createOpenTransport({
      secret: (name) => store.secrets.get(name),
      environment: environmentVariable,
      dial: systemStreamDial(config.proxy),
      bearerFor: (server) => bearerOf(access, server),
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
  return { servers, access, merge, mask, endOrphans: () => marks.endOrphans(homeMark) }
}
