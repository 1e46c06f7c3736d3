// The key of a request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf } from '#http/idempotency-key.ts'

test('a key has 1 to 255 characters, and is given once', () => {
  const of = (key: string | string[] | undefined) => keyOf({ headers: { 'idempotency-key': key } })
  assert.equal(of(undefined), undefined)
  assert.equal(of('k'), 'k')
  assert.equal(of('k'.repeat(255))?.length, 255)
  for (const key of ['', 'k'.repeat(256), ['a', 'b']]) {
    assert.throws(() => of(key), { code: 'invalid_input', param: 'Idempotency-Key' })
  }
})
