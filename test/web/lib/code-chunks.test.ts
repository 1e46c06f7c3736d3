// Chunks of code for the highlighter: whole lines, bounded, and nothing lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunksOf } from '../../../web/lib/code-chunks.ts'

test('chunks are whole lines, and end at a blank line if there is one', () => {
  assert.deepEqual(chunksOf('', 8), [])
  assert.deepEqual(chunksOf('ab\ncd', 8), ['ab\ncd'])
  assert.deepEqual(chunksOf('a\n\nb\nc\nd\ne', 8), ['a\n\n', 'b\nc\nd\ne'])
  assert.deepEqual(chunksOf('a\nb\nc\nd\ne\nf', 8), ['a\nb\nc\nd\n', 'e\nf'])
})

test('a line that is too long is a chunk of its own', () => {
  assert.deepEqual(chunksOf('a\nbcdefghijk\nl\nm', 8), ['a\n', 'bcdefghijk\n', 'l\nm'])
  assert.deepEqual(chunksOf('abcdefghijk', 8), ['abcdefghijk'])
})
