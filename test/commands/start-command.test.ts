// When `atrium` alone opens a chat, and when it is `atrium serve`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSomeoneThere } from '#commands/start-command.ts'

const starts = [
  ['terminal', 'terminal', true],
  ['pipe', 'terminal', true],
  ['terminal', 'pipe', true],
  ['pipe', 'pipe', false],
  ['other', 'terminal', false],
  ['terminal', 'other', false],
  ['other', 'other', false],
] as const
for (const [input, output, chats] of starts) {
  test(`input ${input}, output ${output}: ${chats ? 'a chat' : 'a service'}`, () => {
    assert.equal(isSomeoneThere({ input, output }), chats)
  })
}
