// The key of a request and the hash of its body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyOf } from '#doors/openai/idempotency.ts'

const of = (key: string | string[] | undefined, body: unknown = {}) =>
  idempotencyOf({ headers: { 'idempotency-key': key }, body })

test('a key has 1 to 255 characters, and is given once', async () => {
  assert.equal(await of(undefined), undefined)
  assert.equal((await of('k'))?.key, 'k')
  assert.equal((await of('k'.repeat(255)))?.key.length, 255)
  for (const key of ['', 'k'.repeat(256), ['a', 'b']]) {
    await assert.rejects(of(key), { code: 'invalid_input', param: 'Idempotency-Key' })
  }
})

test('bodies are the same when they say the same, in whatever order', async () => {
  const hash = async (body: unknown) => (await of('k', body))?.bodyHash
  assert.equal(await hash({ a: 1, b: [2] }), await hash({ b: [2], a: 1 }))
  assert.notEqual(await hash({ a: 1, b: [2] }), await hash({ a: 1, b: [3] }))
  const long = 'a'.repeat(300_000)
  assert.equal(await hash({ a: 1, b: long }), await hash({ b: long, a: 1 }))
  assert.notEqual(await hash({ a: long }), await hash({ a: `${long}a` }))
})
