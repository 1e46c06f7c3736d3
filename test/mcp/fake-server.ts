// A server of the older era inside the process: a transport that answers by hand.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { AppError } from '#core/errors.ts'
import type { OfferedTool } from '#core/mcp.ts'
import { type Connection, type ConnectionParts, createConnection } from '#mcp/connection.ts'
import type { OpenedTransport } from '#mcp/connect-client.ts'
import type { ServerCall } from '#mcp/server-call.ts'

export const echo: OfferedTool = { name: 'echo', description: '', schema: { type: 'object' } }

export type Rpc = { readonly id?: number | string; readonly method?: string; readonly result?: unknown }

export interface FakeServer {
  readonly opened: OpenedTransport
  /** Messages of the client, oldest first. */
  readonly seen: Rpc[]
  readonly closed: () => boolean
  readonly send: (message: object) => void
  /** Ends the server as a crash does. */
  die(): void
}

/** Answers a start. Calls get no answer unless `act` gives one; it returns true for a message that it has taken. */
export function fakeServer(act: (rpc: Rpc, server: FakeServer) => boolean = () => false): FakeServer {
  const seen: Rpc[] = []
  let closed = false
  let died = false
  // `pid` and `stderr` are what the client package knows a stdio transport by.
  const transport: Transport & { pid: number; stderr: null } = {
    pid: 1,
    stderr: null,
    start: () => Promise.resolve(),
    send(message) {
      const rpc = message as Rpc
      seen.push(rpc)
      return Promise.try(() => {
        if (!act(rpc, server)) queueMicrotask(() => answer(rpc))
      })
    },
    close() {
      closed = true
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  const answer = ({ id, method }: Rpc): void => {
    const serverInfo = { name: 'fake', version: '1' }
    if (method === 'initialize')
      server.send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } })
    if (method === 'tools/list') server.send({ id, result: { tools: [{ name: 'echo', inputSchema: echo.schema }] } })
    if (method === 'server/discover') server.send({ id, error: { code: -32601, message: 'Method not found' } })
  }
  const server: FakeServer = {
    opened: {
      transport,
      fault: () => (died ? 'it died' : undefined),
      mask: (text) => text,
      signInFault: (error) =>
        error instanceof Error && error.message === '401' ? new AppError('credential_missing', 'sign in') : undefined,
    },
    seen,
    closed: () => closed,
    send: (message) => transport.onmessage?.({ jsonrpc: '2.0', ...message } as JSONRPCMessage),
    die() {
      died = true
      transport.onclose?.()
    },
  }
  return server
}

/** A connection whose starts take the servers in order; the last one serves every further start. */
export function connectTo(servers: readonly FakeServer[], over: Partial<ConnectionParts> = {}): Connection {
  let starts = 0
  return createConnection({
    name: 'fake',
    openTransport: () => {
      const server = servers[Math.min(starts++, servers.length - 1)]
      return server ? Promise.resolve(server.opened) : Promise.reject(new Error('no server'))
    },
    onList: () => Promise.resolve(),
    callMs: 60_000,
    idleMs: 60_000,
    probeMs: 60_000,
    version: '1',
    ...over,
  })
}

export const callsSeen = ({ seen }: FakeServer): Rpc[] => seen.filter(({ method }) => method === 'tools/call')

export function call(connection: Connection, over: Partial<ServerCall> = {}): Promise<unknown> {
  return connection.call({ tool: echo, args: '{}', signal: new AbortController().signal, ...over })
}

/** Answers the call that came after `at` others. */
export function answer(server: FakeServer, at: number): void {
  server.send({ id: callsSeen(server)[at]?.id, result: { content: [] } })
}
