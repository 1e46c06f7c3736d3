// Opens the MCP servers of a home. Their code is loaded once there is a server, or somebody asks for them.
import type { UserId } from '#core/ids.ts'
import type { McpServers } from '#core/mcp.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import { loadOnce } from '#lib/load-once.ts'
import { createBuiltInSource } from './built-in-source.ts'
import type { LoadMcpParts } from './load-mcp.ts'
import { createToolSearch } from './tool-search.ts'

export type OpenMcp = { readonly source: ToolSource; readonly admin: () => Promise<McpServers> }

export function openMcp(parts: LoadMcpParts): OpenMcp {
  const { store } = parts
  const none: readonly Tool[] = []
  let source: ToolSource | undefined
  const search = createToolSearch((user) => (source?.tools(user) ?? none).map(({ spec }) => spec))
  const builtIn = createBuiltInSource([search])
  const withSearch = new WeakMap<readonly Tool[], readonly Tool[]>()
  /** The tool that finds the others comes with them. The same array for the same tools. */
  const toolsOf = (user: UserId): readonly Tool[] => {
    const tools = source?.tools(user) ?? none
    if (tools.length === 0) return none
    const all = withSearch.get(tools) ?? [...tools, search]
    withSearch.set(tools, all)
    return all
  }
  const viewServers = async (): ReturnType<ToolSource['view']> => (await source?.view()) ?? []
  const open = loadOnce(async () => {
    const opened = (await import('./load-mcp.ts')).loadMcp(parts)
    await opened.source.reload()
    source = opened.source
    return opened
  })
  return {
    source: {
      tools: toolsOf,
      async view() {
        const tools = await viewServers()
        return tools.length === 0 ? tools : [...(await builtIn.view()), ...tools]
      },
      async test(name, call) {
        const trial = await source?.test(name, call)
        return trial ?? ((await viewServers()).length > 0 ? builtIn.test(name, call) : undefined)
      },
      remove: async (name) =>
        (await source?.remove(name)) || ((await viewServers()).length > 0 && (await builtIn.remove(name))),
      async reload() {
        if (source) await source.reload()
        else if ((await store.mcp.list()).length > 0) await open()
      },
      async close() {
        await (await open.begun())?.source.close()
      },
    },
    admin: async () => (await open()).admin,
  }
}
