// The hash of a request's body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOfBody as hash } from '#http/body-hash.ts'

test('bodies are the same when they say the same, in whatever order', async () => {
  assert.equal(await hash({ a: 1, b: [2] }), await hash({ b: [2], a: 1 }))
  assert.notEqual(await hash({ a: 1, b: [2] }), await hash({ a: 1, b: [3] }))
  const long = 'a'.repeat(300_000)
  assert.equal(await hash({ a: 1, b: long }), await hash({ b: long, a: 1 }))
  assert.notEqual(await hash({ a: long }), await hash({ a: `${long}a` }))
})
