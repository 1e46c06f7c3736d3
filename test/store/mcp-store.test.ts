// How many MCP servers one home can have, and how their tools are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxServers } from '#core/mcp.ts'
import { createMcpStore } from '#store/mcp-store.ts'
import { loopTurns } from '../loop-turns.ts'
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

test('the tools of servers are read with pauses, and those that did not change stay the same objects', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const mcp = createMcpStore({ sql, now: () => 1 })
  const schema = { type: 'object' }
  const tools = Array.from({ length: 200 }, (_, at) => ({
    name: `t${at}`,
    as: `s_t${at}`,
    effect: 'write' as const,
    pinned: { name: `t${at}`, description: 'x'.repeat(4_000), schema },
  }))
  await mcp.add(newServer('s', tools))
  let first: readonly unknown[] = []
  const turns = await loopTurns(t, async () => {
    first = (await mcp.list())[0]?.tools ?? []
  })
  assert.ok(turns >= 100, `${turns} turns of the event loop`)
  await mcp.change('s', ({ tools: stored }) => ({
    tools: stored.map((tool) => (tool.name === 't0' ? { ...tool, effect: 'read' as const } : tool)),
  }))
  const again = (await mcp.list())[0]?.tools ?? []
  assert.equal(again.filter((tool, at) => tool === first[at]).length, 199)
  assert.equal(again[0]?.effect, 'read')
})
