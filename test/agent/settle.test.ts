// The gate that a call waits at: what its tool tells of it, without secrets and bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gateDraft, runCall } from '#agent/settle.ts'
import { createToolbox } from '#agent/toolbox.ts'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import type { Tool } from '#core/tool.ts'
import { call, tool, toolsOf } from './tools.ts'

async function opened(act: Tool, args: object = {}) {
  const toolbox = createToolbox({ tools: toolsOf([act]), judge: () => ({ do: 'allow' }) })
  const context = { user: userId('ada'), signal: AbortSignal.timeout(10_000) }
  const mask = (text: string): string => text.replaceAll('hush', '***')
  const settlement = { call: call('c', 'act', { ...args }), how: 'approval', word: 'act asks', why: 'It asks' } as const
  return (await gateDraft(settlement, { toolbox, context, mask })).item
}

const question = { text: 'Send hush?', brief: 'Send', sentence: 'Sends hush.', pending: 'Nothing has been sent yet.' }

test('what a tool tells of a call is kept with its gate, without secrets; a long text is cut and says so', async () => {
  const headers = { type: 'hush', 'x-key': 'hush hush' }
  const body = 'x'.repeat(30_001)
  const item = await opened(
    tool('act', {
      ask: () =>
        Promise.resolve({
          question,
          preview: { type: 'request', method: 'POST', url: 'https://a.example/hush', headers, body },
        }),
    }),
    { url: 'https://a.example/x' },
  )
  assert(item.type === 'gate')
  assert.deepEqual([item.reason, item.why], ['act asks', 'It asks'])
  assert.deepEqual(item.asks, {
    question: { ...question, text: 'Send ***?', sentence: 'Sends ***.' },
    preview: {
      type: 'request',
      method: 'POST',
      url: 'https://a.example/***',
      headers: { type: '***', 'x-key': '*** ***' },
      body: `${'x'.repeat(30_000)}\n[cut: 1 more characters]`,
    },
    reach: { type: 'url', url: 'https://a.example/x' },
  })
})

async function ran(run: () => Promise<string>): Promise<string | false> {
  const toolbox = createToolbox({ tools: toolsOf([{ ...tool('act'), run }]), judge: () => ({ do: 'allow' }) })
  const context = { user: userId('ada'), threadId: 't', turnId: 'u', signal: AbortSignal.timeout(10_000) }
  const mask = (text: string): string => text.replaceAll('hush', '***')
  const { item } = await runCall({ call: call('c', 'act', {}), how: 'run' }, { toolbox, context, mask })
  return item.type === 'result' && item.output
}

test('a result of 200,000 characters is kept whole, a longer one is cut and says so', async () => {
  const long = 'x'.repeat(200_000)
  assert.equal(await ran(() => Promise.resolve(long)), long)
  assert.equal(await ran(() => Promise.resolve(`${long}x`)), `${long}\n[cut: 1 more characters]`)
})

test('binary output reaches the model without its NULs, and they hide no secret', async () => {
  assert.equal(await ran(() => Promise.resolve('\0ELF\0 h\0u\0s\0h\0')), 'ELF ***')
  assert.equal(await ran(() => Promise.reject(new Error('no\0 h\0ush'))), 'no ***')
})

test('a tool without words of its own is asked for by its name', async () => {
  const item = await opened(tool('act'))
  assert(item.type === 'gate')
  assert.equal(item.asks?.question.text, 'Run act?')
  assert.deepEqual([item.asks.preview, item.asks.reach], [undefined, undefined])
})

test('nobody is asked for a call that its tool cannot do', async () => {
  const ask = () => Promise.reject(new AppError('invalid_input', 'find occurs in hush twice'))
  const item = await opened(tool('act', { ask }))
  assert(item.type === 'result')
  assert.deepEqual([item.error, item.output], [true, 'find occurs in *** twice'])
})
