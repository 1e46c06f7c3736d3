// Blocks of a long text: bounded, whole lines or words where there are any, and nothing lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textBlocks } from '../../../web/lib/text-blocks.ts'

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
