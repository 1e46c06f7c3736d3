// How commands speak.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { programName } from '#config.ts'
import { firstLine, inColumns, pasteable, reporting } from '#commands/report.ts'

test('a line ends where the terminal does; a pipe gets all of it', () => {
  assert.equal(inColumns('short\nmuch too long', 8), 'short\nmuch to…')
  assert.equal(inColumns('much too long', undefined), 'much too long')
})

test('the first line of a text is the first that says something', () => {
  assert.equal(firstLine('\n  \n  Reads a page.\nAnd more.'), 'Reads a page.')
  assert.equal(firstLine(' \n'), '')
})

test('a command is written with the way to its program, once, and a path is left as it is', () => {
  const said = `see \`${programName()} mcp list\``
  assert.equal(pasteable('see `atrium mcp list`'), said)
  assert.equal(pasteable(said), said)
  assert.equal(pasteable('in /opt/atrium run as atrium'), 'in /opt/atrium run as atrium')
})

test('a command that finds the disk full says so', async (t) => {
  const written = t.mock.method(process.stderr, 'write', () => true)
  const { exitCode } = process
  await reporting(() => writeFile('/dev/full', 'x'))
  process.exitCode = exitCode
  assert.deepEqual(
    written.mock.calls.map(({ arguments: [text] }) => text),
    ['error: the disk is full (ENOSPC: no space left on device, write): make room and try again\n'],
  )
})
