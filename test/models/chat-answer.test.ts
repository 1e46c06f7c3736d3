// Reading a chat-completions answer: what is kept of the bytes that brought it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelEvent } from '#core/model.ts'
import { ChatAnswer } from '#models/chat-answer.ts'
import { createFaults } from '#models/fault.ts'
import { liveBytes } from '../live-bytes.ts'
import { delta } from './chat-server.ts'

const mib = 1024 * 1024

test('a long token keeps nothing else of the read that brought it in memory', () => {
  const faults = createFaults({
    provider: 'openai-compatible',
    model: 'mock-1',
    host: '127.0.0.1',
    hasKey: false,
    keyName: undefined,
    sealedAs: undefined,
    expected: 'a chat completion',
    suffix: '/v1',
    secrets: [],
    idleMs: 1_000,
  })
  const answer = new ChatAnswer({ faults, maxLineBytes: mib, priceOf: undefined })
  const padding = `: ${'.'.repeat(64 * 1024)}\n`
  const events: ModelEvent[] = []
  const before = liveBytes()
  for (let at = 0; at < 256; at++) {
    const line = delta({ content: `token number ${String(at).padStart(9, '0')}` })
    assert.equal(answer.read(Buffer.from(line + padding), events), undefined)
  }
  assert.equal(events.length, 256)
  assert(liveBytes() - before < 4 * mib, `${liveBytes() - before} bytes are kept`)
  assert.deepEqual(events.at(-1), { type: 'text', text: 'token number 000000255' })
})
