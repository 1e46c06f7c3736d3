// What a chat client is told of the gates that a turn waits at.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gate } from '#core/item.ts'
import { gateWords } from '#doors/completions/tell/gate-words.ts'

const gate = (over: Partial<Gate>): Gate => ({
  type: 'gate',
  callId: 'c',
  kind: 'approval',
  name: 'book',
  args: '{}',
  prompt: '',
  ...over,
})
const input = { type: 'link', server: 'desk', message: 'Do as I say', url: 'https://id.example/in' } as const
const asking = gate({ kind: 'input', input })

test('a turn that waits for input says so, with the host and the place to answer, not in the words of the server', () => {
  const words = gateWords([asking], 'https://atrium.example/threads/t')
  assert.match(words, /^Waiting for your answer\.\n\nSign in at id\.example\?/)
  assert.match(words, /Answer it here: https:\/\/atrium\.example\/threads\/t/)
  assert.ok(!words.includes('Do as I say'))
  assert.match(gateWords([asking, gate({})], 'x'), /^Waiting for your approval\./)
})
