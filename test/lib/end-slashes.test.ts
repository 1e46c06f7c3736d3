// Addresses without slashes at their end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutEndSlashes } from '#lib/end-slashes.ts'

test('slashes at the end go, others stay', () => {
  assert.equal(withoutEndSlashes('http://a/v1//'), 'http://a/v1')
  assert.equal(withoutEndSlashes('http://a//b'), 'http://a//b')
  assert.equal(withoutEndSlashes('//'), '')
})

test('a long run of slashes before the end is passed once', () => {
  const text = `http://a${'/'.repeat(1_000_000)}b`
  assert.equal(withoutEndSlashes(text), text)
})
