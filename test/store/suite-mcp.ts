// MCP servers on both databases: added once, changed in one transaction, removed with their tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpTool, NewMcpServer } from '#core/mcp.ts'
import { type Open, rejectsWith } from './harness.ts'

const schema = { type: 'object' }
const echo: McpTool = {
  name: 'echo',
  as: 'files__echo',
  effect: 'write',
  pinned: { name: 'echo', description: 'e', schema },
}
const add: McpTool = { ...echo, name: 'add', as: 'files__add' }

export function newServer(name: string, tools: readonly McpTool[] = [add, echo]): NewMcpServer {
  const target = { kind: 'stdio', command: 'node', args: ['a b', '$x'], env: { TOKEN: 'secret' } } as const
  return { name, target, everyone: false, instructions: 'Be kind.', tools }
}

export function mcpTests(open: Open): void {
  test('an MCP server is stored with its tools, and its name is taken', async (t) => {
    const { store, clock } = await open(t)
    assert.deepEqual(await store.mcp.list(), [])
    await store.mcp.add(newServer('files'))
    await store.mcp.add({ ...newServer('a', []), target: { kind: 'http', url: 'https://a.example', headers: {} } })
    await rejectsWith(store.mcp.add(newServer('files', [])), 'invalid_input')
    const [first, second] = await store.mcp.list()
    assert.equal(first?.name, 'a')
    assert.deepEqual(second, { ...newServer('files'), addedAt: clock.now })
    assert.equal(await store.mcp.remove('files'), true)
    assert.equal(await store.mcp.remove('files'), false)
    await store.mcp.add(newServer('files', []))
    assert.deepEqual((await store.mcp.list())[1]?.tools, [])
  })

  test('a change of an MCP server decides on what is stored', async (t) => {
    const { mcp } = (await open(t)).store
    await mcp.add(newServer('files'))
    const changed: McpTool = { ...echo, effect: 'read', changed: 'gone', refused: 'x' }
    const after = await mcp.change('files', ({ tools }) => ({
      everyone: true,
      instructions: '',
      tools: [changed, ...tools.filter(({ name }) => name === 'none')],
    }))
    assert.deepEqual(after.tools, [changed])
    const [stored] = await mcp.list()
    assert.deepEqual(stored, {
      ...newServer('files', [changed]),
      everyone: true,
      instructions: '',
      addedAt: after.addedAt,
    })
    assert.deepEqual(await mcp.change('files', () => undefined), stored)
    await rejectsWith(
      mcp.change('none', () => undefined),
      'not_found',
    )
  })
}
