// MCP servers: how each is reached, and its tools as they are pinned.
import { AppError } from '#core/errors.ts'
import { isLong } from '#core/json-slices.ts'
import { maxServers, type McpServer, type McpStore, type McpTarget, type McpTool, noServer } from '#core/mcp.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import { pace } from '#lib/pace.ts'
import { notify } from './change-signal.ts'
import { removeGrantsOf } from './grant-store.ts'
import { minLongBytes, readApart } from './long-rows.ts'
import { changes, first, type Job, query, type Row, run, type Sql } from './sql.ts'

const longListChars = 3 * 1024 * 1024
/** A change is decided on what was read; it is decided again if another process has changed it meanwhile. */
const maxAttempts = 10

export function createMcpStore({ sql, now }: { sql: Sql; now: () => number }): McpStore {
  let known: KnownTools = new Map()
  const oneAtATime = createOneAtATime()

  /** A server as it is stored, with its row and those of its tools. Throws not_found. */
  async function read(name: string): Promise<StoredServer> {
    const { row, bytes } = await sql.read(function* () {
      const row = yield* first('SELECT * FROM mcp_servers WHERE name = ?', name)
      return { row, bytes: Number((yield* first(`${sizedTools} WHERE server = ?`, name))?.['bytes']) }
    })
    if (!row) throw noServer(name)
    const rows = await readApart(sql, () => readToolsOf(name), { of: 'mcp', bytes })
    const tools = new Map<string, KnownTool>()
    for (const each of rows) {
      const found = readTool(each, known, known)
      tools.set(found.tool.name, found)
      await pace()
    }
    const all = Array.from(tools.values(), ({ tool }) => tool)
    return { row, bytes, tools, server: serverOf(row, all) }
  }

  /** The rows of tools that a change writes. */
  async function putsOf(before: StoredServer, tools: readonly McpTool[]): Promise<ToolPut[]> {
    const puts: ToolPut[] = []
    for (const tool of tools) {
      const old = before.tools.get(tool.name)
      if (old?.tool === tool) continue
      puts.push(putOf(before.server.name, tool, old && old.tool.pinned === tool.pinned ? old.pinnedAt : now()))
      await pace()
    }
    return puts
  }

  /** False, and nothing is written, if the server is no longer stored as it was read. */
  function* store(before: StoredServer, after: McpServer, puts: readonly ToolPut[]): Job<boolean> {
    const { name, tools } = before.server
    const row = yield* first(`SELECT * FROM mcp_servers WHERE name = ?${sql.lock}`, name)
    if (!row || !sameRow(row, before.row)) return false
    const rows = new Map((yield* readToolsOf(name)).map((each) => [each['name'], each]))
    if (rows.size !== before.tools.size) return false
    for (const [tool, { row }] of before.tools) if (!sameRow(row, rows.get(tool))) return false
    yield* run(
      'UPDATE mcp_servers SET everyone = ?, instructions = ? WHERE name = ?',
      after.everyone ? 1 : 0,
      after.instructions,
      name,
    )
    const kept = new Map(after.tools.map((tool) => [tool.name, tool]))
    for (const tool of tools) {
      if (!kept.has(tool.name)) yield* run('DELETE FROM mcp_tools WHERE server = ? AND name = ?', name, tool.name)
    }
    for (const put of puts) yield* putTool(put.row)
    // A grant was given for the tool as it was pinned.
    const ended = tools.filter((tool) => kept.get(tool.name)?.pinned !== tool.pinned)
    yield* removeGrantsOf(
      sql,
      ended.map(({ as }) => as),
    )
    yield* notify(sql, { type: 'settings' })
    return true
  }

  return {
    async list() {
      const { servers, bytes, rows } = await sql.read(readAll)
      const read = servers.length === 0 ? [] : (rows ?? (await readApart(sql, readTools, { of: 'mcp', bytes })))
      const tools = new Map<string, McpTool[]>()
      const seen: KnownTools = new Map()
      for (const row of read) {
        const server = String(row['server'])
        const list = tools.get(server) ?? []
        tools.set(server, list)
        list.push(readTool(row, known, seen).tool)
        await pace()
      }
      known = seen
      return servers.map((row) => serverOf(row, tools.get(String(row['name'])) ?? []))
    },
    add: (server) =>
      sql.write(function* () {
        const { name, target, everyone, instructions, tools } = server
        const count = Number((yield* first('SELECT count(*) AS count FROM mcp_servers'))?.['count'])
        if (count >= maxServers) {
          throw new AppError('invalid_input', `there are ${count} MCP servers, at most ${maxServers}: remove one first`)
        }
        const row = yield* first(
          `INSERT INTO mcp_servers (name, target, everyone, instructions, added_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (name) DO NOTHING RETURNING name`,
          name,
          JSON.stringify(target),
          everyone ? 1 : 0,
          instructions,
          now(),
        )
        if (!row) throw new AppError('invalid_input', `an MCP server named ${name} exists`, { param: 'name' })
        for (const tool of tools) yield* putTool(putOf(name, tool, now()).row)
        yield* notify(sql, { type: 'settings' })
      }, sizeOf(server.tools)),
    change: (name, decide) =>
      oneAtATime(name, async () => {
        for (let attempt = 0; attempt < maxAttempts; attempt++) {
          const before = await read(name)
          const changed = await decide(before.server)
          if (!changed) return before.server
          const after = { ...before.server, ...changed }
          const puts = await putsOf(before, after.tools)
          const bytes = before.bytes + puts.reduce((sum, { row }) => sum + row.state.length, 0)
          if (!(await sql.write(() => store(before, after, puts), { bytes }))) continue
          for (const { row, tool, pinnedAt } of puts) known.set(row.model_name, { row, tool, pinnedAt })
          return after
        }
        throw new AppError('overloaded', `the MCP server ${name} is being changed all the time: try again later`)
      }),
    remove: (name) =>
      sql.write(function* () {
        if ((yield* changes('DELETE FROM mcp_servers WHERE name = ?', name)) === 0) return false
        const tools = yield* query('DELETE FROM mcp_tools WHERE server = ? RETURNING model_name', name)
        yield* removeGrantsOf(
          sql,
          tools.map((tool) => String(tool['model_name'])),
        )
        yield* notify(sql, { type: 'settings' })
        return true
      }),
  }
}

/** A list of megabytes is written in a thread. */
function sizeOf(tools: readonly McpTool[]): { readonly bytes: number } {
  return { bytes: isLong(tools, longListChars) ? longListChars : 0 }
}

/** `pinnedAt` is when what is pinned was accepted; tools of earlier versions have none. */
type StoredState = Pick<McpTool, 'pinned' | 'changed' | 'refused'> & { readonly pinnedAt?: number | undefined }

/**
 * True if a tool of an MCP server was pinned since a time: it may be another one than a person saw then. `lock` keeps a
 * review from coming in between.
 */
export function* wasPinnedSince(tool: string, at: number, lock: string): Job<boolean> {
  const rows = yield* query(`SELECT state FROM mcp_tools WHERE model_name = ?${lock}`, tool)
  return rows.some((row) => (stateOf(row).pinnedAt ?? 0) > at)
}

function stateOf(row: Row): StoredState {
  return JSON.parse(String(row['state'])) as StoredState
}

type ToolPut = KnownTool & { readonly row: ToolRow }
type ToolRow = Readonly<Record<'server' | 'name' | 'model_name' | 'effect' | 'state', string>>

function putOf(server: string, tool: McpTool, pinnedAt: StoredState['pinnedAt']): ToolPut {
  const { name, as, effect, ...state } = tool
  const text = JSON.stringify({ ...state, pinnedAt } satisfies StoredState)
  return { row: { server, name, model_name: as, effect, state: text }, tool, pinnedAt }
}

function* putTool({ server, name, model_name, effect, state }: ToolRow): Job<void> {
  yield* run(
    `INSERT INTO mcp_tools (server, name, model_name, effect, state) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (server, name) DO UPDATE SET model_name = excluded.model_name, effect = excluded.effect,
       state = excluded.state`,
    server,
    name,
    model_name,
    effect,
    state,
  )
}

const sizedTools = 'SELECT COALESCE(sum(octet_length(state)), 0) AS bytes FROM mcp_tools'

function* readAll(): Job<{ servers: Row[]; bytes: number; rows?: Row[] }> {
  const servers = yield* query('SELECT * FROM mcp_servers ORDER BY name')
  const bytes = servers.length === 0 ? 0 : Number((yield* first(sizedTools))?.['bytes'])
  return { servers, bytes, ...(bytes < minLongBytes && { rows: yield* readTools() }) }
}

function readTools(): Job<Row[]> {
  return query('SELECT * FROM mcp_tools')
}

function readToolsOf(server: string): Job<Row[]> {
  return query('SELECT * FROM mcp_tools WHERE server = ?', server)
}

/** A server as it was read, to see whether it is still stored so. */
type StoredServer = {
  readonly server: McpServer
  readonly row: Row
  /** Its tools, by name. */
  readonly tools: ReadonlyMap<string, KnownTool>
  /** The size of what is stored of its tools. */
  readonly bytes: number
}

function sameRow(one: Row, two: Row | undefined): boolean {
  return two !== undefined && Object.entries(one).every(([column, value]) => two[column] === value)
}

function serverOf(row: Row, tools: readonly McpTool[]): McpServer {
  return {
    name: String(row['name']),
    target: JSON.parse(String(row['target'])) as McpTarget,
    everyone: Number(row['everyone']) === 1,
    instructions: String(row['instructions']),
    tools: tools.toSorted((one, two) => (one.name < two.name ? -1 : 1)),
  }
}

/** Tools as they were read last, by what is stored of them: one that has not changed stays the same object. */
type KnownTools = Map<string, KnownTool>
/** A tool, the row that stores it, and when it was pinned. */
type KnownTool = { readonly row: Row; readonly tool: McpTool; readonly pinnedAt: StoredState['pinnedAt'] }

function readTool(row: Row, known: KnownTools, seen: KnownTools): KnownTool {
  const key = String(row['model_name'])
  const before = known.get(key)
  const found = before && sameRow(row, before.row) ? before : knownOf(row)
  seen.set(key, found)
  return found
}

function knownOf(row: Row): KnownTool {
  const { pinnedAt, ...state } = stateOf(row)
  const name = String(row['name'])
  const as = String(row['model_name'])
  return { row, tool: { name, as, effect: String(row['effect']) as McpTool['effect'], ...state }, pinnedAt }
}
