// What a warm call of a stdio MCP server costs beside the bare client package, with the same server.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { silentLog } from '#lib/log.ts'
import { createConnection } from '#mcp/connection.ts'
import { createOpenTransport } from '#mcp/open-transport.ts'
import { createExitGuard } from '#mcp/stdio.ts'
import { everything } from '../test/mcp/harness.ts'
import { median, percentile } from './compare.ts'
import type { Suite } from './suite.ts'

const args = '{"message":"hello"}'
const never = new AbortController().signal

export const mcp: Suite = async ({ scale: { toolCalls, rounds } }) => {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new StdioClientTransport({ ...everything, args: [...everything.args], stderr: 'ignore' }))
  const openTransport = createOpenTransport({
    secret: () => Promise.resolve(undefined),
    environment: (name) => (name === 'HOME' ? '/' : undefined),
    dial: () => Promise.reject(new Error('not over HTTP')),
    homeMark: `bench${process.pid}`,
    guard: createExitGuard(),
    mask: (text) => text,
    log: silentLog,
  })
  const connection = createConnection({
    name: 'everything',
    openTransport: (exact) => openTransport({ name: 'everything', target: everything }, exact),
    onList: () => Promise.resolve(),
    callMs: 60_000,
    idleMs: 60_000,
    version: '1',
  })
  const tool = { name: 'echo', description: '', schema: { type: 'object' } }
  const subjects: [name: string, call: () => Promise<unknown>][] = [
    ['the client package', () => client.callTool({ name: 'echo', arguments: { message: 'hello' } })],
    ['through Atrium', () => connection.call({ tool, args, signal: never })],
  ]
  const rows: string[][] = []
  for (const [, call] of subjects) for (let at = 0; at < toolCalls.warm; at++) await call()
  const times = subjects.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, call]] of subjects.entries()) {
      for (let turn = 0; turn < toolCalls.single; turn++) {
        const start = performance.now()
        await call()
        times[at]?.push(performance.now() - start)
      }
    }
  }
  for (const [at, [name]] of subjects.entries()) {
    const own = times[at] ?? []
    rows.push([name, median(own).toFixed(3), percentile(own, 99).toFixed(3)])
  }
  await Promise.all([client.close(), connection.stop()])
  return [{ title: 'A warm call of a stdio MCP server, one at a time', columns: ['', 'median ms', 'p99 ms'], rows }]
}
