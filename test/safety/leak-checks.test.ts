// Which secrets nobody can guess: the leak scan looks for no others in users' turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnguessable } from '#safety/leak-checks.ts'

test('16 letters and digits that change often cannot be guessed', () => {
  for (const value of ['a1b2c3d4e5f6g7h8', 'a1b2-c3d4-e5f6-g7h8', '9f86d081884c7d659a2f', 'XKqPlmZRtvWbNCydRSgf']) {
    assert.equal(isUnguessable(value), true, value)
  }
})

test('what is shorter, a number, words or a name in camel case can be guessed', () => {
  for (const value of [
    '',
    'a1b2c3d4e5f6g7h',
    '-a1b2c3d4e5f6g7h-',
    '4111111111111111',
    'correct-horse-battery-staple',
    'Correct-Horse-Battery-Staple-Again',
    'ACMEcorporationPassword',
    'spring2026winter2027'.slice(0, 16),
  ]) {
    assert.equal(isUnguessable(value), false, value)
  }
})
