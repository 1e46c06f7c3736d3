// What typed text is, what a slash may become, and the help text at a width.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands, helpLines, readTyped } from '#doors/terminal/command-list.ts'
import { slashOffers } from '#doors/terminal/offers.ts'

test('every command is read with its words; a shell command stands behind an exclamation mark', () => {
  for (const name of commands) {
    assert.deepEqual(readTyped(name), { type: 'command', name, rest: '' })
    assert.deepEqual(readTyped(`${name}  two words `), { type: 'command', name, rest: 'two words' })
  }
  assert.deepEqual(readTyped('!ls'), { type: 'shell', command: 'ls' })
  assert.deepEqual(readTyped('hello'), { type: 'message' })
  assert.deepEqual(readTyped('/tea', ['pdf']), { type: 'unknown', word: '/tea' })
  assert.deepEqual(readTyped('/tea now', ['pdf']), { type: 'message' })
})

test('one word with a slash is a command; what is none is told; a path is a message', () => {
  assert.deepEqual(readTyped('/open the plan '), { type: 'command', name: '/open', rest: 'the plan' })
  assert.deepEqual(readTyped('/nope'), { type: 'unknown', word: '/nope' })
  assert.equal(readTyped('/nope now').type, 'message')
  assert.equal(readTyped('/pdf', ['pdf']).type, 'message')
  for (const message of ['/etc/hosts', '/ is the root', 'say /help', ' /help'])
    assert.equal(readTyped(message).type, 'message')
})

test('the exact command is offered first, then commands in their order, then skills', () => {
  const labels = (text: string, skills: readonly string[] = []): string[] =>
    slashOffers(text, skills).map(({ label }) => label)
  assert.deepEqual(labels('/m'), ['/model', '/memory', '/missions'])
  assert.deepEqual(labels('/me', ['me', 'meals']), ['/me', '/memory', '/meals'])
  assert.deepEqual(labels('/x'), [])
  assert.deepEqual(labels('m'), [])
  assert.deepEqual(slashOffers('/qui', []), [{ label: '/quit', about: 'leaves', rest: 't ' }])
})

test('the help says of the arrows what they do; earlier messages have keys of their own', () => {
  const lines = helpLines(60)
  assert(lines.includes('Up, Down     scroll'))
  assert(lines.includes('Ctrl+P, N    earlier messages'))
})

test('the help names every command, and its words are aligned and wrapped to the width', () => {
  const lines = helpLines(30)
  for (const name of commands)
    assert(
      lines.some((line) => line.split(/ +/).includes(name)),
      name,
    )
  assert.equal(lines[0], 'Enter        send')
  assert.deepEqual(lines.slice(1, 4), [
    'Shift+Enter  new line (also',
    '             Alt+Enter, or \\',
    '             at the end of a',
  ])
})
