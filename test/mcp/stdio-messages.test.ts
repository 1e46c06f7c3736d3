// Messages of a stdio server: a long one leaves the event loop to others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeOfShort } from '#mcp/long-messages.ts'
import { createExitGuard, createStdioTransport } from '#mcp/stdio.ts'
import { loopTurns } from '../loop-turns.ts'
import { until } from '../until.ts'

test('a long message is parsed in pieces, and those behind it keep their order', async (t) => {
  const text = '"\n'.repeat(500_000)
  const long = `{id:1,result:{text:'"\\n'.repeat(500_000)}}`
  const lines = [`{method:'first'}`, long, `{method:'last'}`]
  const code = lines
    .map((line) => `console.log(JSON.stringify({jsonrpc:'2.0',...${line}}))`)
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
    onFault: () => {},
  })
  t.after(() => transport.close())
  const messages: { id?: number; method?: string; result?: unknown }[] = []
  const all = Promise.withResolvers<void>()
  const onmessage = (each: (typeof messages)[number]): void => {
    if (messages.push(each) === lines.length) all.resolve()
  }
  Object.assign(transport, { onmessage })
  const turns = await loopTurns(t, async () => {
    await transport.start()
    await all.promise
  })
  assert.deepEqual(
    messages.map(({ id, method }) => id ?? method),
    ['first', 1, 'last'],
  )
  assert.deepEqual(wholeOfShort(messages[1]?.result), { text })
  assert.deepEqual(garbage, [])
  assert.ok(turns > 50, `${turns} turns of the event loop`)
})

test('a message that cannot be handled ends the server, and is told once', async (t) => {
  const faults: unknown[] = []
  const transport = createStdioTransport({
    command: process.execPath,
    args: ['-e', `const line = '{"jsonrpc":"2.0","method":"x"}\\n'; setInterval(() => console.log(line + line), 1)`],
    env: {},
    cwd: '/',
    mark: `fault${process.pid}`,
    guard: createExitGuard(),
    exact: new WeakMap(),
    onErrorLine: () => {},
    onGarbage: () => {},
    onFault: (error) => faults.push(error),
  })
  t.after(() => transport.close())
  let closed = false
  const fault = new Error('a bug')
  Object.assign(transport, {
    onmessage() {
      throw fault
    },
    onclose() {
      closed = true
    },
  })
  await transport.start()
  await until(() => closed)
  assert.deepEqual(
    [faults, transport.ended()],
    [[fault], 'it sent a message that could not be handled and was stopped'],
  )
})
