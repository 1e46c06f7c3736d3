// The list of a server as a whole: its bounds, and the texts that a database takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { readList } from '#mcp/read-list.ts'

/** A client whose server lists these tools on each of so many pages. */
function clientOf(tools: readonly unknown[], { pages = 1, instructions = '' } = {}): Client {
  let page = 0
  const client = {
    getInstructions: () => instructions,
    getServerCapabilities: () => ({ tools: {} }),
    request: () => Promise.resolve({ tools, ...(++page < pages && { nextCursor: String(page) }) }),
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
})

test('texts of a list have no NUL', async () => {
  const client = clientOf([{ ...tool, description: 'a\0b' }], { instructions: 'c\0d' })
  assert.deepEqual(await readList(client), {
    tools: [{ name: 'echo', description: 'ab', schema: { type: 'object' } }],
    instructions: 'cd',
  })
})
