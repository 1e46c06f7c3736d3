// A service and its MCP servers, killed at a hundred moments of a call.
import { test } from 'node:test'
import { killInCalls } from './kill.ts'

test('killed at a hundred moments of a call, a tool that may not repeat ran at most once', async (t) => {
  const { done, unknown } = await killInCalls(Array.from({ length: 100 }, (_, at) => at + 1))
  t.diagnostic(`${done} calls were done, of ${unknown} nobody knows`)
})
