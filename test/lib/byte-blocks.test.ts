// Bytes from outside: in what they are held, however they were cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { watchJoins } from '../joined.ts'

const kib = 1024

/** Adds `bytes` in chunks of these sizes, over and over. Each chunk is a Buffer of its own. */
function collect(bytes: Buffer, sizes: readonly number[]): ByteBlocks {
  const blocks = new ByteBlocks()
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number
    blocks.add(Uint8Array.prototype.slice.call(bytes, at, at + size))
    at += size
  }
  return blocks
}

const bytes = Buffer.from(Uint8Array.from({ length: 150 * kib }, (_, at) => at % 251))

for (const sizes of [[1], [2, 0, 999], [1, 64 * kib], [64 * kib, 1], [100 * kib, 1, 1], [150 * kib], [1024], [1025]]) {
  test(`bytes in chunks of ${sizes.join(', ')} come back in their order, from few blocks`, (t) => {
    const joins = watchJoins(t)
    const blocks = collect(bytes, sizes)
    assert.equal(blocks.size, bytes.length)
    assert(blocks.take().equals(bytes))
    assert(joins.mostPieces() <= 16, `${joins.mostPieces()} blocks`)
    assert(joins.mostBytes() <= 2 * bytes.length + kib, `${joins.mostBytes()} bytes`)
  })
}

test('a few small chunks take one small block', (t) => {
  const joins = watchJoins(t)
  assert.equal(collect(Buffer.from('a few bytes'), [1]).take().toString(), 'a few bytes')
  assert.equal(joins.mostPieces(), 2)
  assert(joins.mostBytes() <= 2 * kib)
})

test('one chunk is not copied', () => {
  const blocks = new ByteBlocks()
  blocks.add(bytes)
  assert.equal(blocks.take().buffer, bytes.buffer)
})

test('taken bytes are not taken again, and what comes later does not change them', () => {
  const blocks = collect(Buffer.from('first'), [1])
  const first = blocks.take()
  assert.equal(blocks.size, 0)
  assert.equal(blocks.take().length, 0)
  for (const byte of Buffer.from('other')) blocks.add(Uint8Array.of(byte))
  assert.equal(blocks.size, 5)
  assert.equal(blocks.take().toString(), 'other')
  assert.equal(first.toString(), 'first')
})

test('cleared bytes are gone', () => {
  const blocks = collect(Buffer.from('first'), [2])
  blocks.clear()
  assert.equal(blocks.size, 0)
  blocks.add(Buffer.from('next'))
  assert.equal(blocks.take().toString(), 'next')
})
