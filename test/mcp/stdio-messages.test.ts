// Messages of a stdio server: a long one leaves the event loop to others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExitGuard, createStdioTransport } from '#mcp/stdio.ts'
import { loopTurns } from '../loop-turns.ts'

test('a long message is parsed in pieces, and those behind it keep their order', async (t) => {
  const text = '"\n'.repeat(500_000)
  const lines = [{ method: 'first' }, { method: 'long', params: { text } }, { method: 'last' }]
  const code = lines
    .map(({ method, params }) => {
      const long = params ? `,params:{text:'"\\n'.repeat(500_000)}` : ''
      return `console.log(JSON.stringify({jsonrpc:'2.0',method:'${method}'${long}}))`
    })
    .concat('process.stdin.resume()')
    .join(';console.log();')
  const garbage: string[] = []
  const transport = createStdioTransport({
    command: process.execPath,
    args: ['-e', code],
    env: {},
    cwd: '/',
    mark: `long${process.pid}`,
    guard: createExitGuard(),
    exact: new WeakMap(),
    onErrorLine: () => {},
    onGarbage: (what) => garbage.push(what),
  })
  t.after(() => transport.close())
  const messages: unknown[] = []
  const all = Promise.withResolvers<void>()
  const onmessage = (each: unknown): void => {
    if (messages.push(each) === lines.length) all.resolve()
  }
  Object.assign(transport, { onmessage })
  const turns = await loopTurns(t, async () => {
    await transport.start()
    await all.promise
  })
  assert.deepEqual(
    messages,
    lines.map((line) => ({ jsonrpc: '2.0', ...line })),
  )
  assert.deepEqual(garbage, [])
  assert.ok(turns > 50, `${turns} turns of the event loop`)
})
