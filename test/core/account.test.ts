// Names of users, and the limits of their tokens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxTokenDays, userNamePattern } from '#core/account.ts'
import { dayMs } from '#core/time.ts'

const names: readonly [name: string, fits: boolean][] = [
  ['ada', true],
  ['Ada Lovelace', true],
  ['ann@example.com', true],
  ['7', true],
  ['Ünal_x-y.z', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  [' ada', false],
  ['.ada', false],
  ['@ada', false],
  ['a/b', false],
  ['a\nb', false],
  ['a\n', false],
  ['operator', false],
  ['OPERATOR', false],
  ['expiry', false],
  ['operators', true],
]
for (const [name, fits] of names) {
  test(`${JSON.stringify(name).slice(0, 30)} ${fits ? 'is' : 'is not'} a name`, () => {
    assert.equal(userNamePattern.test(name), fits)
  })
}

test('a token lives ten years at most, of days that have 24 hours', () => {
  assert.deepEqual([maxTokenDays, dayMs], [3_650, 24 * 60 * 60 * 1_000])
})
