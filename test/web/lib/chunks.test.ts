// Chunks of code and blocks of text: bounded, whole lines or words where there are any, and nothing lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeChunks, textBlocks } from '../../../web/lib/chunks.ts'

test('chunks of code are whole lines, and end at a blank line if there is one', () => {
  assert.deepEqual(codeChunks('', 8), [])
  assert.deepEqual(codeChunks('ab\ncd', 8), ['ab\ncd'])
  assert.deepEqual(codeChunks('a\n\nb\nc\nd\ne', 8), ['a\n\n', 'b\nc\nd\ne'])
  assert.deepEqual(codeChunks('a\nb\nc\nd\ne\nf', 8), ['a\nb\nc\nd\n', 'e\nf'])
})

test('a line of code that is too long is a chunk of its own', () => {
  assert.deepEqual(codeChunks('a\nbcdefghijk\nl\nm', 8), ['a\n', 'bcdefghijk\n', 'l\nm'])
  assert.deepEqual(codeChunks('abcdefghijk', 8), ['abcdefghijk'])
})

test('a block ends with a line, else with a word, else where it is full', () => {
  assert.deepEqual(textBlocks('', 8), [])
  assert.deepEqual(textBlocks('ab\ncd', 8), ['ab\ncd'])
  assert.deepEqual(textBlocks('ab cd\nef gh', 8), ['ab cd\n', 'ef gh'])
  assert.deepEqual(textBlocks('a\nbcd efgh', 8), ['a\nbcd ', 'efgh'], 'a line that ends too early is not the end')
  assert.deepEqual(textBlocks('a bcdefghij', 8), ['a bcdefg', 'hij'])
})

test('no block ends within a character', () => {
  assert.deepEqual(textBlocks('aaa👍bbb', 4), ['aaa', '👍bb', 'b'])
})
