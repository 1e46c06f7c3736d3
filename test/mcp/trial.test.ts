// A test of a tool: what the operator sees of its progress.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { ServerCall } from '#mcp/server-call.ts'
import { toolTrial } from '#mcp/admin.ts'
import type { Servers } from '#mcp/servers.ts'
import { createMasks } from './masks.ts'

const masks = createMasks('sesame')

test('a test of a tool shows its output and the last hundred reports, masked', async () => {
  const pinned = { name: 'echo', description: '', schema: {} }
  const servers = {
    tool: () => ({ name: 'echo', as: 'echo', effect: 'write', pinned }),
    connection: () => ({
      list: () => Promise.resolve({ tools: [], instructions: '' }),
      call({ onProgress }: ServerCall) {
        for (let progress = 1; progress <= 300; progress++)
          onProgress?.({ progress, message: `sesame ${'x'.repeat(10_000)}` })
        return Promise.resolve({ type: 'result', text: 'done with sesame', images: [], isError: false })
      },
    }),
  } as unknown as Servers
  const { logs, output } = await toolTrial(servers, { server: 'rude', tool: 'echo', params: '{}', ...masks })
  assert.equal(output, 'done with ***')
  assert.equal(logs.length, 100)
  assert.match(logs.at(-1)?.message ?? '', /^300: \*\*\* x+$/)
  assert.ok(logs.every(({ message }) => message.length < 2_100))
})

test('the error of a tested tool is masked, whether the server returns it or the call fails', async () => {
  const pinned = { name: 'echo', description: '', schema: {} }
  for (const call of [
    () => Promise.resolve({ type: 'result', text: 'no sesame', images: [], isError: true }),
    () => Promise.reject(new AppError('tool_refused', 'no sesame')),
  ]) {
    const servers = {
      tool: () => ({ name: 'echo', as: 'echo', effect: 'write', pinned }),
      connection: () => ({ list: () => Promise.resolve(), call }),
    } as unknown as Servers
    const { error } = await toolTrial(servers, { server: 'rude', tool: 'echo', params: '{}', ...masks })
    assert.equal(error, 'no ***')
  }
})

test('a test of a tool whose server needs a sign-in asks for it', async () => {
  const pinned = { name: 'echo', description: '', schema: {} }
  const call = () => Promise.reject(new AppError('credential_missing', 'sign in first'))
  const servers = {
    tool: () => ({ name: 'echo', as: 'echo', effect: 'write', pinned }),
    connection: () => ({ list: () => Promise.resolve(), call }),
  } as unknown as Servers
  const trial = toolTrial(servers, { server: 'rude', tool: 'echo', params: '{}', ...masks })
  await assert.rejects(trial, { code: 'credential_missing' })
})

test('a tool that was refused, has changed or is not there is not called', async () => {
  const pinned = { name: 'echo', description: '', schema: {} }
  const known: Readonly<Record<string, object>> = {
    refused: { name: 'refused', refused: 'its schema is over 256 KB' },
    later: { name: 'later', pinned, refused: 'it can only be called as a task' },
    changed: { name: 'changed', pinned, changed: 'gone' },
  }
  const connection = { list: () => Promise.resolve(), call: () => assert.fail('it was called') }
  const servers = { tool: (_: string, tool: string) => known[tool], connection: () => connection } as unknown as Servers
  for (const [tool, code, message] of [
    ['refused', 'tool_refused', /^refused was not called: its schema is over 256 KB$/],
    ['later', 'tool_refused', /^later was not called: it can only be called as a task$/],
    ['changed', 'tool_refused', /has changed/],
    ['none', 'not_found', /no tool named none/],
  ] as const)
    await assert.rejects(toolTrial(servers, { server: 'rude', tool, params: '{}', ...masks }), { code, message })
})

test('a test of a tool that asks for input says that nobody was asked', async () => {
  const pinned = { name: 'form', description: '', schema: {} }
  const servers = {
    tool: () => ({ name: 'form', as: 'form', effect: 'write', pinned }),
    connection: () => ({
      list: () => Promise.resolve(),
      async call({ elicit }: ServerCall) {
        const answer = await elicit?.({ message: 'Your name?' })
        return { type: 'result', text: JSON.stringify(answer), images: [], isError: false }
      },
    }),
  } as unknown as Servers
  const { logs, output } = await toolTrial(servers, { server: 'rude', tool: 'form', params: '{}', ...masks })
  assert.equal(output, '{"action":"decline"}')
  assert.deepEqual(logs, [{ level: 'input', message: 'the server asked a person for input: a test answers no' }])
})

test('a server that asks again and again does not make the report of a test longer', async () => {
  const pinned = { name: 'form', description: '', schema: {} }
  const servers = {
    tool: () => ({ name: 'form', as: 'form', effect: 'write', pinned }),
    connection: () => ({
      list: () => Promise.resolve(),
      async call({ elicit }: ServerCall) {
        for (let at = 0; at < 300; at++) await elicit?.({ message: 'Your name?' })
        return { type: 'result', text: 'done', images: [], isError: false }
      },
    }),
  } as unknown as Servers
  const { logs } = await toolTrial(servers, { server: 'rude', tool: 'form', params: '{}', ...masks })
  assert.equal(logs.length, 100)
})
