// How many MCP servers one home can have, and how their tools are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxServers } from '#core/mcp.ts'
import { mergeTools } from '#mcp/pin.ts'
import { createMcpStore, wasPinnedSince } from '#store/mcp-store.ts'
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
  await mcp.add(newServer('long', listOf(120_000)))
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
  // The target of each.
  assert.equal(parse.mock.callCount(), 2)
})

test('a list of which every tool changed is read, judged and written with pauses', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const mcp = createMcpStore({ sql, now: () => 1 })
  const listOf = (description: string) =>
    Array.from({ length: 200 }, (_, at) => ({ name: `t${at}`, description, schema: { type: 'object' } }))
  await mcp.add(newServer('s', mergeTools('s', [], listOf('a'))))
  const fresh = createMcpStore({ sql, now: () => 2 })
  let judged = 0
  const turns = await loopTurns(t, async () => {
    await fresh.change('s', ({ tools }) => {
      judged = tools.length
      return { tools: mergeTools('s', tools, listOf('b')) }
    })
  })
  assert.equal(judged, 200)
  // Each tool is parsed and written in a step of its own.
  assert.ok(turns >= 400, `${turns} turns of the event loop`)
})

test('a change is decided again when another process has changed the server meanwhile', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const [one, other] = [1, 2].map((at) => createMcpStore({ sql, now: () => at }))
  assert.ok(one && other)
  await one.add(newServer('s'))
  const seen: boolean[] = []
  const after = await one.change('s', async ({ everyone, tools }) => {
    seen.push(everyone)
    if (seen.length === 1) await other.change('s', () => ({ everyone: true }))
    if (seen.length === 2) await other.change('s', () => ({ tools: tools.slice(1) }))
    return { instructions: `${tools.length}` }
  })
  assert.deepEqual(seen, [false, true, true])
  assert.deepEqual([after.everyone, after.instructions, after.tools.length], [true, '1', 1])
  assert.deepEqual(await other.list(), [after])
  const busy = one.change('s', async ({ everyone }) => {
    await other.change('s', () => ({ everyone: !everyone }))
    return { instructions: '' }
  })
  await rejectsWith(busy, 'overloaded')
})

test('a change keeps when a tool was pinned, also while an older list is still read', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const older = Promise.withResolvers<void>()
  let reads = 0
  const slow: Sql = {
    ...sql,
    async read(job) {
      const isFirst = reads++ === 0
      const found = await sql.read(job)
      if (isFirst) await older.promise
      return found
    },
  }
  const [one, other] = [createMcpStore({ sql: slow, now: () => 3 }), createMcpStore({ sql, now: () => 2 })]
  await createMcpStore({ sql, now: () => 1 }).add(newServer('s'))
  const listing = one.list()
  const pinned = { name: 'echo', description: 'another', schema: {} }
  await other.change('s', ({ tools }) => ({ tools: tools.map((tool) => ({ ...tool, pinned })) }))
  await one.change('s', async ({ tools }) => {
    older.resolve()
    await listing
    return { tools: tools.map((tool) => ({ ...tool, effect: 'read' as const })) }
  })
  const since = (at: number) => sql.read(() => wasPinnedSince('files__echo', at, ''))
  assert.deepEqual([await since(1), await since(2)], [true, false])
})
