// Costs, durations, sizes and counts: the terminal, the commands and the page say them in the same words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  amountWords,
  costFigure,
  costWords,
  countWords,
  cutTo,
  decisionWords,
  durationWords,
  elapsedWords,
  listWords,
  numberWords,
  progressWords,
  pagesWords,
  sizeWords,
  spanWords,
  sumFigure,
  sumWords,
} from '#core/words.ts'

type Rows<T> = readonly (readonly [value: T, words: string])[]

function table<T>(what: string, say: (value: T) => string, rows: Rows<T>): void {
  for (const [value, words] of rows) test(`${what}: ${words}`, () => assert.equal(say(value), words))
}

table<number | null>('a cost', costWords, [
  [null, 'cost unknown'],
  [0, 'free'],
  [0.0002, 'under $0.001'],
  [0.001, '$0.001'],
  [0.021, '$0.021'],
  [0.999, '$0.999'],
  [1, '$1.00'],
  [12.4, '$12.40'],
])
table('an amount', amountWords, [
  [0, '$0.00'],
  [0.5, '$0.50'],
  [0.0123, '$0.01'],
  [0.01, '$0.01'],
  [0.0099, '$0.0099'],
  [0.000_001, '$0.0000010'],
  [0.000_123_45, '$0.00012'],
  [0.000_000_1, 'under $0.000001'],
  [12.3, '$12.30'],
])
test('beside the word cost, an unknown one is just unknown', () => {
  assert.deepEqual([null, 0, 0.021].map(costFigure), ['unknown', 'free', '$0.021'])
})
const sums: readonly [usd: number | null, unpriced: number, figure: string][] = [
  [0, 0, '$0.00'],
  [0.0002, 0, 'under $0.001'],
  [0.009, 0, '$0.009'],
  [0.01, 0, '$0.01'],
  [0.84, 0, '$0.84'],
  [0.84, 3, 'at least $0.84'],
  [0.004, 1, 'at least $0.004'],
  [0.0002, 1, 'unknown'],
  [0, 1, 'unknown'],
  [null, 1, 'unknown'],
]
for (const [usd, unpriced, figure] of sums) {
  test(`a sum of ${usd} and ${unpriced} calls without a price: ${figure}`, () => {
    assert.equal(sumFigure(usd, unpriced), figure)
    assert.equal(sumWords(usd, unpriced), figure === 'unknown' ? 'cost unknown' : figure)
  })
}
table('a duration', durationWords, [
  [2, '2 ms'],
  [-5, '0 ms'],
  [99, '99 ms'],
  [100, '0.1 s'],
  [300, '0.3 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [9_960, '10 s'],
  [59_499, '59 s'],
  [14_000, '14 s'],
  [59_600, '1 min 00 s'],
  [128_000, '2 min 08 s'],
])
table('what goes on', elapsedWords, [
  [-5, '0 s'],
  [4_900, '4 s'],
  [59_999, '59 s'],
  [60_000, '1 min 00 s'],
  [128_999, '2 min 08 s'],
])
table('a long time', spanWords, [
  [0, '0 s'],
  [12, '12 s'],
  [59.9, '59 s'],
  [60, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h 0 min'],
  [11_100, '3 h 5 min'],
  [86_399, '23 h 59 min'],
  [86_400, '1 d 0 h'],
  [90_000, '1 d 1 h'],
  [172_800, '2 d 0 h'],
])
table('pages of a document', pagesWords, [
  [{ all: 1, read: 1 }, '1 page'],
  [{ all: 12, read: 4 }, '12 pages, 4 read'],
])

table('a size', sizeWords, [
  [618, '618 bytes'],
  [1_023, '1,023 bytes'],
  [1_024, '1.0 KB'],
  [2_150, '2.1 KB'],
  [10_239, '10.0 KB'],
  [10_240, '10 KB'],
  [1_048_575, '1024 KB'],
  [1_048_576, '1.0 MB'],
  [38_000, '37 KB'],
  [3_400_000, '3.2 MB'],
  [1_600_000_000, '1.5 GB'],
])
table('a number', numberWords, [[12_406, '12,406']])
table<readonly string[]>('a list', (words) => listWords(words, 'or'), [
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])

table('a count', (count) => countWords(count, 'token'), [
  [1, '1 token'],
  [0, '0 tokens'],
  [8_412, '8,412 tokens'],
])
table('progress', progressWords, [
  [{ progress: 3, total: 10 }, '30 %'],
  [{ progress: 3, total: 10, message: ' copying\nfiles ' }, '30 %, copying files'],
  [{ progress: 0.5, total: 1 }, '50 %'],
  [{ progress: 12, total: 10 }, '100 %'],
  [{ progress: -1, total: 10 }, '0 %'],
  [{ progress: 1200 }, '1,200'],
  [{ progress: 1200, total: 0 }, '1,200'],
  [{ progress: 1, message: 'copying' }, 'copying'],
])
table('a decision', decisionWords, [
  [{ decision: 'allow', kind: 'approval' }, 'allowed'],
  [{ decision: 'deny', kind: 'credential' }, 'denied'],
  [{ decision: 'allow', kind: 'input' }, 'answered'],
  [{ decision: 'deny', kind: 'input' }, 'declined'],
])

table<string>('a text of at most five characters', (text) => cutTo(text, 5), [
  ['tides', 'tides'],
  ['tidesx', 'tide…'],
  ['tid🌊es', 'tid\ufffd…'],
])
