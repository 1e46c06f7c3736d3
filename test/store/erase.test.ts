// The bounds of one part of an erasure: which threads go whole, and of which only the oldest items.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseSome } from '#store/erase.ts'
import { drive } from './drive.ts'
import { ada } from './harness.ts'

type Seqs = readonly [first: number, last: number]

/** Erases threads with items of these seqs. `cut` is the thread of which only items below a seq are erased. */
function erase(...threads: Seqs[]) {
  const rows = threads.map(([first, last], at) => ({ id: `h${at}`, first_seq: String(first), last_seq: String(last) }))
  const { result, asked } = drive(eraseSome(ada, ''), ({ sql }) => {
    if (sql.includes('ORDER BY temporary')) return rows
    return sql.startsWith('DELETE FROM turns') ? [{ changed: 2 }] : []
  })
  const { erased, threadIds, more } = result
  const cut = asked.find(({ sql }) => sql.endsWith('AND seq < ?'))?.values
  const touched = new Set(asked.slice(1).map(({ values }) => values[0]))
  return { ...erased, gone: threadIds.join(' '), cut, touched: touched.size, more }
}

const none = { cut: undefined, more: true }

test('a thread of 2,000 items goes at once, of a longer one the oldest 2,000', () => {
  const whole = { threads: 1, turns: 2, gone: 'h0', touched: 1, ...none }
  assert.deepEqual(erase([1, 2_000]), { ...whole, items: 2_000 })
  assert.deepEqual(erase([1, 1]), { ...whole, items: 1 })
  assert.deepEqual(erase([1, 0]), { ...whole, items: 0 }, 'one without items')
  const part = { threads: 0, turns: 2, items: 2_000, gone: '', touched: 1, more: true }
  assert.deepEqual(erase([1, 2_001]), { ...part, cut: ['h0', 2_001] })
  assert.deepEqual(erase([101, 4_000]), { ...part, cut: ['h0', 2_101] }, 'it goes on where the last part ended')
})

test('threads share the bound, and what comes behind it is left alone', () => {
  const two = { threads: 2, turns: 4, items: 2_000, gone: 'h0 h1', touched: 2, ...none }
  assert.deepEqual(erase([1, 1_500], [1, 500]), two)
  assert.deepEqual(erase([1, 1_500], [1, 500], [1, 1]), two)
  const cut = { threads: 1, turns: 4, items: 2_000, gone: 'h0', touched: 2, more: true }
  assert.deepEqual(erase([1, 1_500], [1, 501], [1, 1]), { ...cut, cut: ['h1', 501] })
})

test('at most 100 threads are looked at, and without any nothing is left', () => {
  const { result, asked } = drive(eraseSome(ada, ''), () => [])
  assert.deepEqual(asked[0]?.values, [ada, 100])
  assert.deepEqual([asked.length, result.more], [1, false])
})
