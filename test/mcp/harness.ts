// Real MCP servers for tests: a rude one of our own, and those of npm, as processes that end with the test.
import { lookup } from 'node:dns/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'node:test'
import type { McpTarget } from '#core/mcp.ts'
import { logTo } from '#lib/log.ts'
import { type Connection, type ConnectionParts, createConnection } from '#mcp/connection.ts'
import type { ServerList } from '#mcp/read-list.ts'
import type { Bearer } from '#mcp/http.ts'
import { createStreamDial } from '#net/dial.ts'
import { createOpenTransport, type OpenTransport } from '#mcp/open-transport.ts'
import { createExitGuard } from '#mcp/stdio.ts'
import { markVariable } from '#mcp/process-mark.ts'
import { patienceMs } from '../until.ts'

const rudeFile = fileURLToPath(new URL('rude-server.mjs', import.meta.url))
const everythingFile = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)

type StdioTarget = McpTarget & { kind: 'stdio' }

export function rude(how: readonly string[] = [], env: Readonly<Record<string, string>> = {}): StdioTarget {
  return { kind: 'stdio', command: process.execPath, args: [rudeFile, ...how], env }
}

export const everything: StdioTarget = { kind: 'stdio', command: process.execPath, args: [everythingFile], env: {} }

const guard = createExitGuard()
let homes = 0

export type Opened = {
  readonly connection: Connection
  readonly lists: ServerList[]
  /** Lines of the log. */
  readonly lines: string[]
  readonly mark: string
}

/** Opens transports whose processes carry a mark of their own. */
export function openRude(
  lines: string[] = [],
  bearer?: Bearer,
): { readonly openTransport: OpenTransport; readonly mark: string } {
  const mark = `test${process.pid}x${homes++}`
  const openTransport = createOpenTransport({
    secret: (name) => Promise.resolve(name === 'known' ? 'sesame-open' : undefined),
    environment: (name) => ({ PATH: process.env['PATH'], HOME: '/', LANG: 'C' })[name],
    dial: createStreamDial({ lookup: (host) => lookup(host, { all: true }) }),
    ...(bearer && { bearerFor: () => bearer }),
    homeMark: mark,
    guard,
    goodbyeMs: patienceMs,
    mask: (text) => text.replaceAll('sesame-open', '***'),
    log: logTo((_level, fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`), 'info'),
  })
  return { openTransport, mark }
}

/** A connection that is stopped with the test. */
export function open(t: TestContext, target: McpTarget, over: Partial<ConnectionParts> = {}, bearer?: Bearer): Opened {
  const lists: ServerList[] = []
  const lines: string[] = []
  const { openTransport, mark } = openRude(lines, bearer)
  const connection = createConnection({
    name: 'rude',
    openTransport: (exact) => openTransport({ name: 'rude', target }, exact),
    onList: (list) => Promise.resolve(void lists.push(list)),
    callMs: 60_000,
    idleMs: 60_000,
    probeMs: 60_000,
    version: '1',
    ...over,
  })
  t.after(() => connection.stop())
  return { connection, lists, lines, mark }
}

/** The processes that carry a mark. */
export function processesOf(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!(pid > 0)) return false
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markVariable}=${mark}.`)
      } catch {
        return false
      }
    })
}
