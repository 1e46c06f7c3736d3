// Costs, durations, sizes and counts: the terminal, the commands and the page say them in the same words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as service from '#core/words.ts'
import * as page from '../../web/lib/words.ts'

type Say<T> = readonly [onPage: (value: T) => string, elsewhere: (value: T) => string]

function table<T>(what: string, say: Say<T>, rows: readonly (readonly [value: T, words: string])[]): void {
  for (const [value, words] of rows) {
    test(`${what}: ${words}`, () => {
      for (const each of say) assert.equal(each(value), words)
    })
  }
}

table<number | null>(
  'a cost',
  [page.costText, service.costWords],
  [
    [null, 'unknown'],
    [0, 'free'],
    [0.0002, 'under $0.001'],
    [0.021, '$0.021'],
    [12.4, '$12.40'],
  ],
)
table(
  'an amount',
  [page.amountText, service.amountWords],
  [
    [0, '$0.00'],
    [0.5, '$0.50'],
    [0.0123, '$0.01'],
    [0.000_123_45, '$0.00012'],
    [0.000_000_1, 'under $0.000001'],
    [12.3, '$12.30'],
  ],
)
table(
  'a duration',
  [page.durationText, service.durationWords],
  [
    [2, '2 ms'],
    [300, '0.3 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [14_000, '14 s'],
    [59_600, '1 min 00 s'],
    [128_000, '2 min 08 s'],
  ],
)
table(
  'what goes on',
  [page.elapsedText, service.elapsedWords],
  [
    [-5, '0 s'],
    [4_900, '4 s'],
    [128_999, '2 min 08 s'],
  ],
)
table(
  'a long time',
  [page.spanText, service.spanWords],
  [
    [0, '0 s'],
    [12, '12 s'],
    [11_100, '3 h 5 min'],
    [172_800, '2 d 0 h'],
  ],
)
table(
  'a size',
  [page.sizeText, service.sizeWords],
  [
    [618, '618 bytes'],
    [2_150, '2.1 KB'],
    [38_000, '37 KB'],
    [3_400_000, '3.2 MB'],
  ],
)
table('a number', [page.numberText, service.numberWords], [[12_406, '12,406']])
table(
  'a count',
  [(count) => page.countText(count, 'token'), (count) => service.countWords(count, 'token')],
  [
    [1, '1 token'],
    [0, '0 tokens'],
    [8_412, '8,412 tokens'],
  ],
)
