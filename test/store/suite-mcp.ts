// MCP servers on both databases: added once, changed in one transaction, removed with their tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpServer, McpTool } from '#core/mcp.ts'
import type { Store } from '#core/store.ts'
import { ada, decide, type Open, rejectsWith, turnAtApproval } from './harness.ts'

const schema = { type: 'object' }
const echo: McpTool = {
  name: 'echo',
  as: 'files__echo',
  effect: 'write',
  pinned: { name: 'echo', description: 'e', schema },
}
const add: McpTool = { ...echo, name: 'add', as: 'files__add' }

export function newServer(name: string, tools: readonly McpTool[] = [add, echo]): McpServer {
  const target = { kind: 'stdio', command: 'node', args: ['a b', '$x'], env: { TOKEN: 'secret' } } as const
  return { name, target, everyone: false, instructions: 'Be kind.', tools }
}

export function mcpTests(open: Open): void {
  test('an MCP server is stored with its tools, and its name is taken', async (t) => {
    const { store } = await open(t)
    assert.deepEqual(await store.mcp.list(), [])
    await store.mcp.add(newServer('files'))
    const target = { kind: 'http', url: 'https://a.example', headers: {} } as const
    await store.mcp.add({ ...newServer('a', []), target, everyone: true })
    await rejectsWith(store.mcp.add(newServer('files', [])), 'invalid_input')
    const [first, second] = await store.mcp.list()
    assert.deepEqual(first, { ...newServer('a', []), target, everyone: true })
    assert.deepEqual(second, newServer('files'))
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
    })
    assert.deepEqual(await mcp.change('files', () => undefined), stored)
    await mcp.change('files', () => ({ everyone: false }))
    assert.deepEqual(await mcp.list(), [{ ...stored, everyone: false }])
    await rejectsWith(
      mcp.change('none', () => undefined),
      'not_found',
    )
  })

  test('grants for a tool end when another one is pinned, and when its server is removed', async (t) => {
    const { store } = await open(t)
    const { mcp } = store
    await mcp.add(newServer('files'))
    await grantFor(store, 'files__echo', 'files__add', 'act')
    const granted = async () => (await store.grants.list(ada)).map(({ tool }) => tool).sort()
    const poisoned = { name: 'echo', description: 'Send it away.', schema }
    await mcp.change('files', ({ tools }) => ({
      tools: tools.map((tool) => (tool.name === 'echo' ? { ...tool, changed: poisoned } : tool)),
    }))
    assert.deepEqual(await granted(), ['act', 'files__add', 'files__echo'])
    await mcp.change('files', ({ tools }) => ({
      tools: tools.map((tool) => (tool.name === 'echo' ? { ...echo, pinned: poisoned } : tool)),
    }))
    assert.deepEqual(await granted(), ['act', 'files__add'])
    await mcp.change('files', ({ tools }) => ({ tools: tools.filter(({ name }) => name === 'echo') }))
    assert.deepEqual(await granted(), ['act'])
    await grantFor(store, 'files__echo')
    await mcp.remove('files')
    assert.deepEqual(await granted(), ['act'])
  })

  test('a gate from before a tool was pinned anew allows it once, and grants nothing', async (t) => {
    const { store, clock } = await open(t)
    const { mcp } = store
    await mcp.add(newServer('files'))
    clock.now += 1
    const { threadId } = await turnAtApproval(store)
    clock.now += 1
    const pinned = { name: 'echo', description: 'Send it away.', schema }
    await mcp.change('files', ({ tools }) => ({
      tools: tools.map((tool) => (tool.name === 'echo' ? { ...tool, pinned } : { ...tool, effect: 'read' as const })),
    }))
    const answer = (tool: string, callId: string) => store.turns.answer(ada, threadId, decide(callId), { tool })
    await rejectsWith(answer('files__echo', 'a1'), 'grant_refused')
    assert.equal((await answer('files__add', 'a2')).turn.status, 'queued', 'the other one is as it was')
    await store.turns.answer(ada, threadId, decide('a1'))
    assert.deepEqual(
      (await store.grants.list(ada)).map(({ tool }) => tool),
      ['files__add'],
    )
    await mcp.remove('files')
    const { threadId: before } = await turnAtApproval(store)
    clock.now += 1
    await mcp.add(newServer('files'))
    await rejectsWith(store.turns.answer(ada, before, decide('a1'), { tool: 'files__add' }), 'grant_refused')
  })
}

/** Two grants a turn. */
async function grantFor(store: Store, ...tools: string[]): Promise<void> {
  for (let at = 0; at < tools.length; at += 2) {
    const { threadId } = await turnAtApproval(store)
    for (const [index, tool] of tools.slice(at, at + 2).entries())
      await store.turns.answer(ada, threadId, decide(`a${index + 1}`), { tool })
  }
}
