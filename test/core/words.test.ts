// Costs, durations, sizes and counts: the terminal, the commands and the page say them in the same words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  amountWords,
  costWords,
  countWords,
  durationWords,
  elapsedWords,
  numberWords,
  sizeWords,
  spanWords,
  sumWords,
} from '#core/words.ts'

type Rows<T> = readonly (readonly [value: T, words: string])[]

function table<T>(what: string, say: (value: T) => string, rows: Rows<T>): void {
  for (const [value, words] of rows) test(`${what}: ${words}`, () => assert.equal(say(value), words))
}

table<number | null>('a cost', costWords, [
  [null, 'unknown'],
  [0, 'free'],
  [0.0002, 'under $0.001'],
  [0.021, '$0.021'],
  [12.4, '$12.40'],
])
table('an amount', amountWords, [
  [0, '$0.00'],
  [0.5, '$0.50'],
  [0.0123, '$0.01'],
  [0.000_123_45, '$0.00012'],
  [0.000_000_1, 'under $0.000001'],
  [12.3, '$12.30'],
])
table('a sum', sumWords, [
  [0, '$0.00'],
  [0.0002, 'under $0.001'],
  [0.84, '$0.84'],
])
table('a duration', durationWords, [
  [2, '2 ms'],
  [300, '0.3 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [14_000, '14 s'],
  [59_600, '1 min 00 s'],
  [128_000, '2 min 08 s'],
])
table('what goes on', elapsedWords, [
  [-5, '0 s'],
  [4_900, '4 s'],
  [128_999, '2 min 08 s'],
])
table('a long time', spanWords, [
  [0, '0 s'],
  [12, '12 s'],
  [11_100, '3 h 5 min'],
  [172_800, '2 d 0 h'],
])
table('a size', sizeWords, [
  [618, '618 bytes'],
  [2_150, '2.1 KB'],
  [38_000, '37 KB'],
  [3_400_000, '3.2 MB'],
])
table('a number', numberWords, [[12_406, '12,406']])
table('a count', (count) => countWords(count, 'token'), [
  [1, '1 token'],
  [0, '0 tokens'],
  [8_412, '8,412 tokens'],
])
