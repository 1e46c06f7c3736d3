import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hasText, positionsOf, repeatsItself, replacedAt } from '#core/find-text.ts'

test('the positions of a text in another are those that indexOf finds, without overlaps', () => {
  const cases: readonly (readonly [string, string, readonly number[]])[] = [
    ['', 'a', []],
    ['a', '', []],
    ['aaaa', 'aa', [0, 2]],
    ['aabaabaab', 'aab', [0, 3, 6]],
    ['abababac', 'ababac', [2]],
    ['mississippi', 'issi', [1]],
    ['one two one', 'one', [0, 8]],
    ['a😀b😀', '😀', [1, 4]],
    ['short', 'longer than it', []],
  ]
  for (const [text, pattern, positions] of cases) assert.deepEqual(positionsOf(text, pattern), positions, pattern)
})

test('random texts of two letters are searched as indexOf searches them', () => {
  const letters = (count: number): string => [...randomBytes(count)].map((byte) => 'ab'[byte % 2]).join('')
  for (let round = 0; round < 300; round++) {
    const [text, pattern] = [letters(60), letters(1 + (round % 7))]
    const expected: number[] = []
    for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length)) expected.push(at)
    const found = positionsOf(text, pattern)
    assert.deepEqual(found, expected, `${pattern} in ${text}`)
    assert.equal(hasText(text, pattern), text.includes(pattern))
    assert.equal(replacedAt(text, found, pattern.length, '<$&>'), text.split(pattern).join('<$&>'))
  }
})

test('a search that takes indexOf minutes ends', () => {
  const half = 'a'.repeat(100_000)
  assert.deepEqual(positionsOf('a'.repeat(1_000_000), `${half}b${half}`), [])
  assert.deepEqual(positionsOf(`${'a'.repeat(500_000)}b${half}`, `${half}b${half}`), [400_000])
})

test('keys and documents do not repeat themselves; runs and patterns do', () => {
  const json = JSON.stringify({
    type: 'service_account',
    private_key: randomBytes(1_600).toString('base64'),
    scopes: ['a', 'b'],
  })
  const pem = `-----BEGIN KEY-----\n${randomBytes(3_000).toString('base64')}\n-----END KEY-----`
  for (const value of ['', 'x'.repeat(200), json, pem, randomBytes(32_000).toString('hex')]) {
    assert.equal(repeatsItself(value), false, value.slice(0, 30))
  }
  const key = randomBytes(20_000).toString('base64')
  const repetitive = ['a'.repeat(1_000), 'ab'.repeat(10_000), `${'a'.repeat(900)}${key}`, `${key}${'a'.repeat(900)}`]
  for (const value of [...repetitive, `${'a'.repeat(3_000)}b${'a'.repeat(3_000)}`]) {
    assert.equal(repeatsItself(value), true, value.slice(0, 30))
  }
})
