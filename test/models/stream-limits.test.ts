// What is read of a model's answer where nothing else is said.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChatModel } from '#models/chat.ts'
import { createAnthropicModel } from '#models/anthropic.ts'
import { defaultLimits, maxErrorBytes } from '#models/stream-limits.ts'

const mib = 1024 * 1024

test('a line has at most 4 MiB, an answer 32 MiB and a million lines, an error 64 KiB; silence lasts two minutes', () => {
  assert.deepEqual(defaultLimits, { idleMs: 120_000, lineBytes: 4 * mib, responseBytes: 32 * mib, lines: 1_000_000 })
  assert.equal(maxErrorBytes, mib / 16)
})

test('a model without a known window has one of 128,000 tokens', () => {
  const parts = { name: 'unheard-of', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k', keyName: 'KEY' }
  assert.equal(createChatModel({ ...parts, provider: 'openai-compatible' }).window, 128_000)
  assert.equal(createAnthropicModel(parts).window, 128_000)
  assert.equal(createChatModel({ ...parts, provider: 'openai-compatible', window: 7 }).window, 7)
})
