// A tool of an MCP server as a turn uses it, with a connection that answers by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { McpServer } from '#core/mcp.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import type { CallAnswer } from '#mcp/server-call.ts'
import type { Servers } from '#mcp/servers.ts'
import { createMcpSource } from '#mcp/source.ts'
import { readValues } from '#mcp/values.ts'
import { createMasks } from './masks.ts'

const pinned = { name: 'echo', description: '', schema: {} }
const context: ToolContext = {
  user: operator,
  threadId: '',
  turnId: '',
  callId: '',
  signal: new AbortController().signal,
}

function toolOf(headers: Readonly<Record<string, string>>, call: () => CallAnswer): Tool {
  const server: McpServer = {
    name: 'wiki',
    target: { kind: 'http', url: 'https://wiki.example:8443/mcp', headers },
    everyone: false,
    instructions: '',
    tools: [{ name: 'echo', as: 'wiki__echo', effect: 'write', pinned }],
  }
  let changed = (): void => {}
  const servers = {
    all: () => [server],
    connection: () => ({ call: () => Promise.resolve(call()) }),
    onChange: (listener: () => void) => void (changed = listener),
  } as unknown as Servers
  const source = createMcpSource(servers, createMasks())
  changed()
  return source.tools(operator)[0] ?? assert.fail('there is no tool')
}

test('a call tells the host that it was sent to, and the secrets that went along', async () => {
  const done = { type: 'result', text: 'done', images: [], isError: false } as const
  const tool = toolOf({ Authorization: 'WIKI_KEY', 'X-Mode': '=fast', 'X-From': '$FROM' }, () => done)
  assert.deepEqual(tool.secrets, ['WIKI_KEY'])
  const used: unknown[] = []
  assert.equal(await tool.run('{}', { ...context, reportUse: (use) => void used.push(use) }), 'done')
  assert.deepEqual(used, [{ sent: [{ method: 'POST', host: 'wiki.example:8443' }], secrets: ['WIKI_KEY'] }])
})

test('a server that only asks to be called again is not called for ever', async () => {
  let calls = 0
  const tool = toolOf({}, () => {
    if (++calls > 100) throw new Error('it is called for ever')
    return { type: 'input', requests: {}, state: 'again' }
  })
  await assert.rejects(tool.run('{}', context), { code: 'tool_refused', message: /asks again and again/ })
  assert.equal(calls, 10)
})

test('a value that is not there is named with the way out', async () => {
  const sources = { secret: () => Promise.resolve(undefined), environment: () => undefined }
  assert.deepEqual(await readValues({ MODE: '=$fast' }, sources), { MODE: '$fast' })
  await assert.rejects(readValues({ KEY: '$NOWHERE' }, sources), { code: 'tool_refused', message: /variable NOWHERE/ })
  await assert.rejects(readValues({ KEY: 'none' }, sources), { code: 'tool_refused', message: /secret set none/ })
})
