// MCP servers: how each is reached, and its tools as they are pinned.
import { AppError } from '#core/errors.ts'
import { isLong } from '#core/json-slices.ts'
import { maxServers, type McpServer, type McpStore, type McpTarget, type McpTool } from '#core/mcp.ts'
import { pace } from '#lib/pace.ts'
import { notifySettings } from './change-signal.ts'
import { removeGrantsOf } from './grant-store.ts'
import { minLongBytes, readApart } from './long-rows.ts'
import { changes, first, type Job, query, type Row, run, type Sql } from './sql.ts'

const longListChars = 3 * 1024 * 1024

export function createMcpStore({ sql, now }: { sql: Sql; now: () => number }): McpStore {
  let known: KnownTools = new Map()
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
        list.push(toolOf(row, known, seen))
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
        for (const tool of tools) yield* putTool(name, tool, now())
        yield* notifySettings(sql)
      }, sizeOf(server.tools)),
    async change(name, decide) {
      const stored = await sql.read(() => first(`${sizedTools} WHERE server = ?`, name))
      // All of them are read, and may be written again: what changed is stored beside what is pinned.
      const bytes = 2 * Number(stored?.['bytes'])
      return sql.write(
        function* () {
          const row = yield* first(`SELECT * FROM mcp_servers WHERE name = ?${sql.lock}`, name)
          if (!row) throw new AppError('not_found', `no MCP server is named ${name}: see \`atrium mcp list\``)
          const rows = yield* query('SELECT * FROM mcp_tools WHERE server = ?', name)
          const tools = rows.map((each) => toolOf(each, known))
          const server = serverOf(row, tools)
          const changes = decide(server)
          if (!changes) return server
          const after = { ...server, ...changes }
          yield* run(
            'UPDATE mcp_servers SET everyone = ?, instructions = ? WHERE name = ?',
            after.everyone ? 1 : 0,
            after.instructions,
            name,
          )
          const kept = new Map(after.tools.map((tool) => [tool.name, tool]))
          for (const tool of server.tools) {
            if (!kept.has(tool.name)) yield* run('DELETE FROM mcp_tools WHERE server = ? AND name = ?', name, tool.name)
          }
          const before = new Map(server.tools.map((tool) => [tool.name, tool]))
          const rowOf = new Map(rows.map((each) => [String(each['name']), each]))
          for (const tool of after.tools) {
            const known = before.get(tool.name)
            if (known === tool) continue
            const pinned = known?.pinned === tool.pinned ? rowOf.get(tool.name) : undefined
            yield* putTool(name, tool, pinned ? stateOf(pinned).pinnedAt : now())
          }
          // A grant was given for the tool as it was pinned.
          const ended = server.tools.filter((tool) => kept.get(tool.name)?.pinned !== tool.pinned)
          yield* removeGrantsOf(
            sql,
            ended.map(({ as }) => as),
          )
          yield* notifySettings(sql)
          return after
        },
        { bytes },
      )
    },
    remove: (name) =>
      sql.write(function* () {
        if ((yield* changes('DELETE FROM mcp_servers WHERE name = ?', name)) === 0) return false
        const tools = yield* query('DELETE FROM mcp_tools WHERE server = ? RETURNING model_name', name)
        yield* removeGrantsOf(
          sql,
          tools.map((tool) => String(tool['model_name'])),
        )
        yield* notifySettings(sql)
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

function* putTool(
  server: string,
  { name, as, effect, ...state }: McpTool,
  pinnedAt: StoredState['pinnedAt'],
): Job<void> {
  yield* run(
    `INSERT INTO mcp_tools (server, name, model_name, effect, state) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (server, name) DO UPDATE SET model_name = excluded.model_name, effect = excluded.effect,
       state = excluded.state`,
    server,
    name,
    as,
    effect,
    JSON.stringify({ ...state, pinnedAt } satisfies StoredState),
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

function serverOf(row: Row, tools: readonly McpTool[]): McpServer {
  return {
    name: String(row['name']),
    target: JSON.parse(String(row['target'])) as McpTarget,
    everyone: Number(row['everyone']) === 1,
    instructions: String(row['instructions']),
    tools: tools.toSorted((one, two) => (one.name < two.name ? -1 : 1)),
    addedAt: Number(row['added_at']),
  }
}

/** Tools as they were read last, by what is stored of them: one that has not changed stays the same object. */
type KnownTools = Map<string, { readonly row: Row; readonly tool: McpTool }>

function toolOf(row: Row, known: KnownTools, seen?: KnownTools): McpTool {
  const key = String(row['model_name'])
  const before = known.get(key)
  const isSame = before !== undefined && Object.entries(row).every(([column, value]) => before.row[column] === value)
  const tool = isSame ? before.tool : newToolOf(row)
  seen?.set(key, { row, tool })
  return tool
}

function newToolOf(row: Row): McpTool {
  const { pinnedAt: _, ...state } = stateOf(row)
  return {
    name: String(row['name']),
    as: String(row['model_name']),
    effect: String(row['effect']) as McpTool['effect'],
    ...state,
  }
}
