// Chunks: nothing lost, nothing doubled, cut where a reader would cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../any-text.ts'
import { chunksOf as cut, titleOf } from '#memory/chunks.ts'
import { createReader } from '#memory/terms.ts'

const chunksOf = (path: string, content: string) => [...cut(createReader(), path, content)]

function contentOf(content: string): string {
  return chunksOf('p', content)
    .map(({ text, lap }) => text.slice(lap))
    .join('')
}

test('without their laps the chunks are the content', () => {
  const piece = fc.oneof(
    anyText(),
    fc.constantFrom('\n\n', '. ', ' ', '😀'.repeat(700), 'a'.repeat(1_500), '日'.repeat(900)),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      assert.equal(contentOf(pieces.join('')), pieces.join(''))
    }),
  )
})

test('a chunk ends at a paragraph where it can, and repeats a little of the one before', () => {
  const content = Array.from({ length: 12 }, (_, at) => `Paragraph ${at}. ${'word '.repeat(80).trim()}`).join('\n\n')
  const chunks = chunksOf('p', content)
  assert(chunks.length > 2)
  for (const [at, { text, lap }] of chunks.entries()) {
    if (at < chunks.length - 1) assert(text.endsWith('\n\n'), JSON.stringify(text.slice(-20)))
    assert.equal(lap > 0 && lap <= 200, at > 0)
    if (at > 0) assert.equal(chunks[at - 1]?.text.slice(-lap), text.slice(0, lap))
  }
})

test('no chunk ends or begins inside a character', () => {
  for (const { text } of chunksOf('p', 'x'.concat('😀'.repeat(5_000)))) assert(text.isWellFormed())
})

test('a lap that would begin inside a character begins behind it', () => {
  const [, second] = chunksOf('p', `${'😀'.repeat(1_050)}y${'😀'.repeat(3_000)}`)
  assert.equal(second?.lap, 199)
  assert(second.text.isWellFormed())
})

test('an empty document is one chunk, found by its path', () => {
  const [only, ...more] = chunksOf('plans/garden.md', '')
  assert.deepEqual([only?.text, more.length], ['', 0])
  assert(only?.terms.title.includes('garden'))
})

test('a chunk without a place to cut has 2,200 characters beside its lap', () => {
  const [first, second] = chunksOf('p', 'x'.repeat(5_000))
  assert.deepEqual([first?.text.length, first?.lap, second?.text.length, second?.lap], [2_200, 0, 2_400, 200])
  for (const mark of ['\n\n', '\n', '. ', '。', ' ']) {
    const content = `${'x'.repeat(1_200)}${mark}${'x'.repeat(3_000)}`
    assert.equal(chunksOf('p', content)[0]?.text.length, 1_200 + mark.length, JSON.stringify(mark))
  }
})

test('the title of a chunk is its path without the ending, and up to eight headings', () => {
  assert.equal(titleOf('a/b.md', 'x\n# One\n## Two\n####### no\n#no'), 'a b\n# One\n## Two')
  assert.equal(titleOf('b.MARKDOWN', ''), 'b')
  assert.equal(titleOf('b.ts', ''), 'b.ts')
  assert.equal(titleOf('b', '# h\n'.repeat(9)).split('\n').length, 9)
})
