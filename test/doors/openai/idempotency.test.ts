// The key of a request and the hash of its body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyOf } from '#doors/openai/idempotency.ts'

const of = (key: string | string[] | undefined, body: unknown = {}) =>
  idempotencyOf({ headers: { 'idempotency-key': key }, body })

test('a key has 1 to 255 characters, and is given once', () => {
  assert.equal(of(undefined), undefined)
  assert.equal(of('k')?.key, 'k')
  assert.equal(of('k'.repeat(255))?.key.length, 255)
  for (const key of ['', 'k'.repeat(256), ['a', 'b']]) {
    assert.throws(() => of(key), { code: 'invalid_input', param: 'Idempotency-Key' })
  }
})

test('bodies are the same when they say the same, in whatever order', () => {
  const hash = (body: unknown) => of('k', body)?.bodyHash
  assert.equal(hash({ a: 1, b: [2] }), hash({ b: [2], a: 1 }))
  assert.notEqual(hash({ a: 1, b: [2] }), hash({ a: 1, b: [3] }))
})
