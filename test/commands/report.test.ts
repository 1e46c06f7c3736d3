// How commands speak.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inColumns } from '#commands/report.ts'

test('a line ends where the terminal does; a pipe gets all of it', () => {
  assert.equal(inColumns('short\nmuch too long', 8), 'short\nmuch to…')
  assert.equal(inColumns('much too long', undefined), 'much too long')
})
