// The migration that adds MCP servers of the operator, and their tools as they are pinned.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const addMcpServers = [
  `CREATE TABLE mcp_servers (
    name TEXT NOT NULL PRIMARY KEY, target TEXT NOT NULL, everyone BIGINT NOT NULL, instructions TEXT NOT NULL,
    added_at BIGINT NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE mcp_tools (
    server TEXT NOT NULL, name TEXT NOT NULL, model_name TEXT NOT NULL, effect TEXT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (server, name)
  ) WITHOUT ROWID`,
]
