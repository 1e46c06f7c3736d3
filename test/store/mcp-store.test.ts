// How many MCP servers one home can have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxServers } from '#core/mcp.ts'
import { createMcpStore } from '#store/mcp-store.ts'
import { rejectsWith } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'
import { newServer } from './suite-mcp.ts'

test('there are at most a hundred MCP servers', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const mcp = createMcpStore({ sql, now: () => 1 })
  for (let at = 0; at < maxServers; at++) await mcp.add(newServer(`s${at}`, []))
  await rejectsWith(mcp.add(newServer('more', [])), 'invalid_input')
  await mcp.remove('s0')
  await mcp.add(newServer('more', []))
  assert.equal((await mcp.list()).length, maxServers)
})
