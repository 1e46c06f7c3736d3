// The configured servers of this process: as they are stored, with the connection of each.
import { type McpServer, type McpStore, type McpTool, serverNamed } from '#core/mcp.ts'
import type { Log } from '#lib/log.ts'
import { type Connection, type ConnectionParts, createConnection } from './connection.ts'
import type { OpenTransport } from './open-transport.ts'
import { inPace } from '#lib/pace.ts'
import { mergeInSlices, sameTools } from './pin.ts'

export type ServersParts = Pick<ConnectionParts, 'callMs' | 'idleMs' | 'probeMs' | 'version'> & {
  readonly store: McpStore
  readonly openTransport: OpenTransport
  readonly log: Log
}

export interface Servers {
  /** As last read from the store. */
  all(): readonly McpServer[]
  /** Throws not_found. */
  get(name: string): McpServer
  tool(server: string, tool: string): McpTool | undefined
  connection(name: string): Connection
  /** A connection to a server that is not stored. The caller stops it. */
  trial(server: Pick<McpServer, 'name' | 'target'>): Connection
  change(name: string, decide: Parameters<McpStore['change']>[1]): Promise<McpServer>
  /** Reads the store again. Connections of servers that are gone, or reached in another way now, are stopped. */
  reload(): Promise<void>
  /** Is called when the servers have changed. */
  onChange(listener: () => void): void
  close(): Promise<void>
}

export function createServers(parts: ServersParts): Servers {
  const { store, openTransport, log, ...limits } = parts
  const connections = new Map<string, { readonly target: string; readonly connection: Connection }>()
  const listeners: (() => void)[] = []
  let servers: readonly McpServer[] = []

  function open(server: Pick<McpServer, 'name' | 'target'>, onList: ConnectionParts['onList']): Connection {
    const { name } = server
    return createConnection({
      ...limits,
      name,
      onList,
      openTransport: (exact) => openTransport(server, exact),
      onError: (error) => log.debug({ server: name, err: error }, 'an MCP connection reported an error'),
    })
  }

  const get = (name: string): McpServer => serverNamed(servers, name)

  function replace(server: McpServer): void {
    servers = servers.map((each) => (each.name === server.name ? server : each))
    for (const listener of listeners) listener()
  }

  async function change(name: string, decide: Parameters<McpStore['change']>[1]): Promise<McpServer> {
    const server = await store.change(name, decide)
    replace(server)
    return server
  }

  return {
    all: () => servers,
    get,
    tool: (server, tool) => servers.find(({ name }) => name === server)?.tools.find(({ name }) => name === tool),
    connection(name) {
      const server = get(name)
      const found = connections.get(name)
      if (found) return found.connection
      const connection = open(server, async ({ tools, instructions }) => {
        await change(name, async (stored) => {
          const merged = await inPace(mergeInSlices(name, stored.tools, tools))
          if (sameTools(stored.tools, merged) && stored.instructions === instructions) return undefined
          return { tools: merged, instructions }
        })
      })
      connections.set(name, { target: JSON.stringify(server.target), connection })
      return connection
    },
    trial: (server) => open(server, () => Promise.resolve()),
    change,
    async reload() {
      servers = await store.list()
      const stopped = [...connections].filter(([name, { target }]) => {
        return JSON.stringify(servers.find((each) => each.name === name)?.target) !== target
      })
      for (const [name] of stopped) connections.delete(name)
      for (const listener of listeners) listener()
      await Promise.all(stopped.map(([, { connection }]) => connection.stop()))
    },
    onChange: (listener) => void listeners.push(listener),
    async close() {
      await Promise.all([...connections.values()].map(({ connection }) => connection.stop()))
      connections.clear()
    },
  }
}
