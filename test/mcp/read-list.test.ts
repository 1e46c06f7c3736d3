// The list of a server as a whole: its bounds, and the texts that a database takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { readList } from '#mcp/read-list.ts'
import { loopTurns } from '../loop-turns.ts'

/** A client whose server lists these tools on each of so many pages. */
function clientOf(tools: readonly unknown[], { pages = 1, instructions = '', mark = '' } = {}): Client {
  let page = 0
  const client = {
    getInstructions: () => instructions,
    getServerCapabilities: () => ({ tools: {} }),
    request: () => Promise.resolve({ tools, ...(++page < pages && { nextCursor: mark + String(page) }) }),
  }
  return client as unknown as Client
}

const tool = { name: 'echo', description: 'x', inputSchema: { type: 'object' } }

test('a list is bounded in tools, in pages and as a whole', async () => {
  assert.equal((await readList(clientOf([tool], { pages: 100 }))).tools.length, 100)
  await assert.rejects(readList(clientOf([tool], { pages: 101 })), /more than 100 pages/)
  await assert.rejects(readList(clientOf(Array.from({ length: 501 }, () => tool))), /more than 500 tools/)
  const long = { ...tool, description: 'x'.repeat(200 * 1024) }
  assert.equal((await readList(clientOf([long], { pages: 20 }))).tools.length, 20)
  await assert.rejects(readList(clientOf([long], { pages: 21 })), /over 4 MiB/)
  const mark = 'x'.repeat(1024 * 1024)
  assert.equal((await readList(clientOf([tool], { pages: 4, mark }))).tools.length, 4)
  await assert.rejects(readList(clientOf([tool], { pages: 5, mark })), /over 4 MiB/)
})

test('instructions are cut between letters', async () => {
  const { instructions } = await readList(clientOf([], { instructions: `${'x'.repeat(19_999)}😀` }))
  assert.ok(instructions.isWellFormed())
})

test('texts of a list have no NUL', async () => {
  const client = clientOf([{ ...tool, description: 'a\0b' }], { instructions: 'c\0d' })
  assert.deepEqual(await readList(client), {
    tools: [{ name: 'echo', description: 'ab', schema: { type: 'object' } }],
    instructions: 'cd',
  })
})

test('500 tools are a list, and what is no list has no tools', async () => {
  assert.equal((await readList(clientOf(Array.from({ length: 500 }, () => tool)))).tools.length, 500)
  for (const listed of [undefined, 'tools', { 0: tool }, [null, 'x', {}]])
    assert.deepEqual((await readList(clientOf(listed as unknown[]))).tools, [])
})

test('each page is asked for by the mark of the one before; without tools nothing is asked for', async () => {
  const asked: unknown[] = []
  const request = ({ params }: { params: { cursor?: string } }) => {
    asked.push(params)
    return Promise.resolve({ tools: [tool], ...(asked.length < 3 && { nextCursor: `page ${asked.length}` }) })
  }
  const client = { getInstructions: () => undefined, getServerCapabilities: () => ({ tools: {} }), request }
  assert.equal((await readList(client as unknown as Client)).tools.length, 3)
  assert.deepEqual(asked, [{}, { cursor: 'page 1' }, { cursor: 'page 2' }])
  asked.length = 0
  const other = { ...client, getInstructions: () => 'x'.repeat(20_001), getServerCapabilities: () => ({}) }
  assert.deepEqual(await readList(other as unknown as Client), { tools: [], instructions: 'x'.repeat(20_000) })
  assert.deepEqual(asked, [])
})

test('an answer that is no object is a fault', async () => {
  const client = {
    getInstructions: () => '',
    getServerCapabilities: () => ({ tools: {} }),
    request: (_: unknown, schema: { '~standard': { validate(value: unknown): { issues?: unknown[] } } }) => {
      assert.equal(schema['~standard'].validate({}).issues, undefined)
      assert.equal(schema['~standard'].validate([]).issues?.length, 1)
      return Promise.resolve('no object')
    },
  }
  assert.deepEqual(await readList(client as unknown as Client), { tools: [], instructions: '' })
})

test('other work goes on while the tools of a list are read', async (t) => {
  const client = clientOf(Array.from({ length: 200 }, () => tool))
  const turns = await loopTurns(t, () => readList(client))
  assert.ok(turns >= 100, `${turns} turns of the event loop`)
})
