// How many MCP servers one home can have, and how their tools are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxServers } from '#core/mcp.ts'
import { createMcpStore } from '#store/mcp-store.ts'
import type { Sql } from '#store/sql.ts'
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

test('a change of a list of megabytes is written in a thread, and parses only what it changes', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const sizes: number[] = []
  const counting: Sql = {
    ...sql,
    write(job, size) {
      sizes.push(size?.bytes ?? 0)
      return sql.write(job, size)
    },
  }
  const mcp = createMcpStore({ sql: counting, now: () => 1 })
  const listOf = (chars: number) =>
    Array.from({ length: 20 }, (_, at) => ({
      name: `t${at}`,
      as: `${chars}_t${at}`,
      effect: 'write' as const,
      pinned: { name: `t${at}`, description: 'x'.repeat(chars), schema: {} },
    }))
  await mcp.add(newServer('short', listOf(100)))
  await mcp.add(newServer('long', listOf(60_000)))
  await mcp.list()
  sizes.length = 0
  const parse = t.mock.method(JSON, 'parse')
  for (const name of ['short', 'long']) {
    await mcp.change(name, ({ tools }) => ({
      tools: tools.map((tool) => (tool.name === 't0' ? { ...tool, effect: 'read' as const } : tool)),
    }))
  }
  assert.deepEqual(
    sizes.map((bytes) => bytes > 2 ** 21),
    [false, true],
  )
  // The target and the one tool of each.
  assert.equal(parse.mock.callCount(), 4)
})
