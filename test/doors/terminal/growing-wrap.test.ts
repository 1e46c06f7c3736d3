// A plain text that grows is wrapped as the whole is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { createGrowingWrap } from '#doors/terminal/growing-wrap.ts'

const texts = [
  'some words of a line that goes on and on, '.repeat(8),
  'x'.repeat(200),
  `one\n\n\n  two three four five six seven\n${'漢字かな交じり文'.repeat(12)}\n \n end  of   it `,
  `${'a '.repeat(40)}${'y'.repeat(70)} ${'b '.repeat(40)}`,
  `${'word '.repeat(9)}   \n   \nmore\n`,
]

const wrapWhole = (text: string, width: number): string[] => wrapTextWithAnsi(text, width).map((line) => line.trimEnd())

test('a text that grows has the lines of the whole, at any width', () => {
  for (const text of texts) {
    const wrap = createGrowingWrap()
    for (const width of [7, 20, 33]) {
      for (let end = 1; end <= text.length; end++) {
        assert.deepEqual(wrap(text.slice(0, end), width), wrapWhole(text.slice(0, end), width))
      }
    }
    assert.deepEqual(wrap('another text', 7), wrapWhole('another text', 7))
  }
})

test('of a long line only the end is laid out again', () => {
  let laidOut = 0
  const wrap = createGrowingWrap((text, width) => {
    laidOut += text.length
    return wrapTextWithAnsi(text, width)
  })
  const text = 'x'.repeat(10_000)
  wrap(text, 50)
  laidOut = 0
  for (const more of ['x', 'xx', 'xxx']) wrap(`${text}${more}`, 50)
  assert(laidOut < 400, `${laidOut} characters`)
})
