// Calls of MCP servers when the service or a server is killed; `kill.long.test.ts` does it a hundred times.
import { test } from 'node:test'
import { killInCalls } from './kill.ts'

test('killed in a call, a tool that may not repeat ran at most once, and questions end or wait', async () => {
  await killInCalls([1, 2, 3])
})
