// What a user may keep, and the sums that it is checked by.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxDocumentBytes, maxDocuments } from '#core/document.ts'
import { checkBounds, ownerOf, without } from '#store/document-owner.ts'
import { ada } from './harness.ts'

const owner = ownerOf(ada, { number: 7, documents: 5, bytes: 100, chunks: 9, terms: 40 })

test('a user keeps so many documents and so many bytes, and no more', () => {
  checkBounds({ ...owner, documents: maxDocuments, bytes: maxDocumentBytes })
  assert.throws(() => checkBounds({ ...owner, documents: maxDocuments + 1 }), {
    code: 'too_large',
    message: /documents/,
  })
  assert.throws(() => checkBounds({ ...owner, bytes: maxDocumentBytes + 1 }), { code: 'too_large', message: /bytes/ })
})

test('without a document each sum is less by its part', () => {
  assert.deepEqual(without(owner, { bytes: '30', chunks: 2, terms: 11 }), {
    user: ada,
    number: 7,
    documents: 4,
    bytes: 70,
    chunks: 7,
    terms: 29,
  })
})
