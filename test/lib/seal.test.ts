// Sealed values open only under their own name and key, and only unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'

const seal = createSeal('01'.repeat(32))

for (const value of ['', 'x', 'ünï\u0000💡', 'long '.repeat(10_000)]) {
  test(`a value of ${value.length} characters opens as it was sealed`, () => {
    assert.equal(seal.open('name', seal.seal('name', value)), value)
  })
}

test('no two seals of one value are alike, and none shows it', () => {
  const [one, two] = [seal.seal('name', 'sesame'), seal.seal('name', 'sesame')]
  assert.notEqual(one, two)
  assert.ok(!Buffer.from(one, 'base64').includes('sesame'))
})

test('a change of any byte is noticed', () => {
  const bytes = Buffer.from(seal.seal('name', 'sesame'), 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => seal.open('name', changed.toString('base64')), `byte ${at}`)
  }
})

const sealed = seal.seal('name', 'sesame')
const refused: readonly [what: string, open: () => string][] = [
  ['another name', () => seal.open('other', sealed)],
  ['another key', () => createSeal('02'.repeat(32)).open('name', sealed)],
  ['a cut end', () => seal.open('name', sealed.slice(0, -4))],
  [
    'a longer end',
    () => seal.open('name', Buffer.concat([Buffer.from(sealed, 'base64'), Buffer.from([0])]).toString('base64')),
  ],
  ['a tag alone', () => seal.open('name', Buffer.alloc(28).toString('base64'))],
  ['a short tag', () => seal.open('name', Buffer.from(sealed, 'base64').subarray(0, 16).toString('base64'))],
  ['nothing', () => seal.open('name', '')],
  ['a short key', () => createSeal('01').seal('name', 'x')],
]
for (const [what, open] of refused) test(`${what} is refused`, () => assert.throws(open))
