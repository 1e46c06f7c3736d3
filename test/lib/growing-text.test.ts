// A text that grows by pieces: whole at every moment, and held in little more than its letters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingText } from '#lib/growing-text.ts'
import { liveBytes } from '../live-bytes.ts'

test('a text is whole whenever it is asked for, however long its pieces are', () => {
  for (const chars of [1, 5, 300]) {
    const text = new GrowingText()
    let expected = ''
    for (let at = 0; at < 1_000; at++) {
      const piece = String(at % 10).repeat(chars)
      text.add(piece)
      expected += piece
      assert.equal(text.length, expected.length)
      if (at % 99 === 0) assert.equal(text.toString(), expected)
    }
    assert.equal(text.toString(), expected)
    assert.equal(text.toString(), expected)
  }
})

test('short pieces take little more memory than their letters', () => {
  const text = new GrowingText()
  const before = liveBytes()
  for (let at = 0; at < 400_000; at++) text.add(`word${at % 10}`)
  assert(liveBytes() - before < 2 * text.length, `${liveBytes() - before} bytes for ${text.length}`)
  assert.equal(text.length, 2_000_000)
})
