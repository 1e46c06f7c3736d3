// Commands of a chat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSlashName } from '#core/slash-names.ts'
import { commandWords, readCommand } from '#doors/channel/chat-commands.ts'

const cases: readonly (readonly [text: string, command: ReturnType<typeof readCommand>])[] = [
  ['/start ABC', { type: 'start', code: 'ABC' }],
  ['/start', { type: 'start', code: '' }],
  ['/new', { type: 'new', text: '' }],
  ['/new  two\nlines ', { type: 'new', text: 'two\nlines' }],
  ['/stop', { type: 'stop' }],
  ['/STOP', { type: 'stop' }],
  ['/stop@atrium_bot', { type: 'stop' }],
  ['/status', { type: 'status' }],
  ['/help', { type: 'help' }],
  ['/threads', { type: 'threads' }],
  ['/threads 12', { type: 'threads', number: 12 }],
  ['/threads 999', { type: 'threads', number: 999 }],
  ['/threads 1000', undefined],
  ['/threads about bees', undefined],
  ['/stop that at once', undefined],
  ['/weather Bern', undefined],
  ['please /stop', undefined],
  ['/', undefined],
  ['', undefined],
  [`/new${' '.repeat(100_000)}x`, { type: 'new', text: 'x' }],
]

for (const [text, command] of cases) {
  test(`a message is a command or not: ${JSON.stringify(text.slice(0, 40))}`, () =>
    assert.deepEqual(readCommand(text), command))
}

test('no skill has the name of a command', () => {
  for (const name of [...Object.keys(commandWords), 'start']) assert.ok(isSlashName(name), name)
})

test('every command but the greeting is in the menu', () =>
  assert.deepEqual(Object.keys(commandWords), ['new', 'stop', 'status', 'threads', 'help']))
