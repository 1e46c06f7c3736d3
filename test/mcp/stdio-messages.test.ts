// Messages of a stdio server: a long one leaves the event loop to others.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { wholeOfShort } from '#mcp/long-messages.ts'
import { createExitGuard, createStdioTransport, type StdioParts, type StdioTransport } from '#mcp/stdio.ts'
import { loopTurns } from '../loop-turns.ts'
import { until } from '../until.ts'

/** A server that runs a script; it ends with the test. */
function open(t: TestContext, script: string, over: Partial<StdioParts> = {}): StdioTransport {
  const transport = createStdioTransport({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    cwd: '/',
    mark: `messages${process.pid}x${servers++}`,
    guard: createExitGuard(),
    exact: new WeakMap(),
    mask: (text) => text,
    onErrorLine: () => {},
    onGarbage: () => {},
    onFault: () => {},
    ...over,
  })
  t.after(() => transport.close())
  return transport
}

let servers = 0

test('a long message is read whole, and those behind it keep their order', async (t) => {
  const text = '"\n'.repeat(500_000)
  const long = `{id:1,result:{text:'"\\n'.repeat(500_000)}}`
  const lines = [`{method:'first'}`, long, `{method:'last'}`]
  const code = lines
    .map((line) => `console.log(JSON.stringify({jsonrpc:'2.0',...${line}}))`)
    .concat('process.stdin.resume()')
    .join(';console.log();')
  const garbage: string[] = []
  const transport = open(t, code, { onGarbage: (what) => garbage.push(what) })
  const messages: { id?: number; method?: string; result?: unknown }[] = []
  const all = Promise.withResolvers<void>()
  const onmessage = (each: (typeof messages)[number]): void => {
    if (messages.push(each) === lines.length) all.resolve()
  }
  Object.assign(transport, { onmessage })
  await transport.start()
  await all.promise
  assert.deepEqual(
    messages.map(({ id, method }) => id ?? method),
    ['first', 1, 'last'],
  )
  assert.deepEqual(wholeOfShort(messages[1]?.result), { text })
  assert.deepEqual(garbage, [])
})

test('the pieces of a message with many values are read in different turns of the event loop', async (t) => {
  const transport = open(
    t,
    `console.log(JSON.stringify({jsonrpc:'2.0',id:1,result:Array(60_000).fill(0)}));process.stdin.resume()`,
  )
  const read = Promise.withResolvers<unknown>()
  Object.assign(transport, { onmessage: read.resolve })
  let turn = 0
  const next = (): void => {
    turn++
    timer = setImmediate(next)
  }
  let timer = setImmediate(next)
  t.after(() => clearImmediate(timer))
  const { parse } = JSON
  const seen = new Set<number>()
  t.mock.method(JSON, 'parse', (text: string) => {
    seen.add(turn)
    return parse(text) as unknown
  })
  await loopTurns(t, async () => {
    await transport.start()
    await read.promise
  })
  assert.ok(seen.size >= 3, `${seen.size} turns of the event loop`)
})

test('a message that cannot be handled ends the server, and is told once', async (t) => {
  const faults: unknown[] = []
  const transport = open(
    t,
    `const line = '{"jsonrpc":"2.0","method":"x"}\\n'; setInterval(() => console.log(line + line), 1)`,
    { onFault: (error) => faults.push(error) },
  )
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
