// The bounds of one part of an erasure: which threads go whole, and of which only the oldest items.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eraseSome } from '#store/erase.ts'
import { drive } from './drive.ts'
import { ada } from './harness.ts'

type Seqs = readonly [first: number, last: number]

/** Erases threads with items of these seqs, 2 turns and 1 point of a chain each. `cut`: only items below a seq are erased. */
function erase(...threads: Seqs[]) {
  return eraseWith({ turns: 2, points: 1 }, ...threads)
}

function eraseWith({ turns, points }: { turns: number; points: number }, ...threads: Seqs[]) {
  const rows = threads.map(([first, last], at) => ({ id: `h${at}`, first_seq: String(first), last_seq: String(last) }))
  const { result, asked } = drive(eraseSome(ada, ''), ({ sql, values }) => {
    if (sql.includes('ORDER BY temporary')) return rows
    if (sql.startsWith('DELETE FROM turns')) return [{ changed: Math.min(turns, Number(values[1])) }]
    return sql.startsWith('DELETE FROM chain_points') ? [{ changed: Math.min(points, Number(values[1])) }] : []
  })
  const { erased, threadIds, more } = result
  const cut = asked.find(({ sql }) => sql.endsWith('AND seq < ?'))?.values
  const touched = new Set(asked.slice(1).map(({ values }) => values[0]))
  return { ...erased, gone: threadIds.join(' '), cut, touched: touched.size, more }
}

const none = { cut: undefined, more: true }

test('a thread of 1,000 rows goes at once, of a longer one the oldest items', () => {
  const whole = { threads: 1, turns: 2, gone: 'h0', touched: 1, ...none }
  assert.deepEqual(erase([1, 997]), { ...whole, items: 997 })
  assert.deepEqual(erase([1, 1]), { ...whole, items: 1 })
  assert.deepEqual(erase([1, 0]), { ...whole, items: 0 }, 'one without items')
  const part = { threads: 0, turns: 2, items: 997, gone: '', touched: 1, more: true }
  assert.deepEqual(erase([1, 998]), { ...part, cut: ['h0', 998] })
  assert.deepEqual(erase([101, 2_000]), { ...part, cut: ['h0', 1_098] }, 'it goes on where the last part ended')
})

test('of a thread with many turns these go first, then the points of its chain, before any item', () => {
  const part = { threads: 0, items: 0, gone: '', touched: 1, ...none }
  assert.deepEqual(eraseWith({ turns: 25_000, points: 25_000 }, [1, 50_000]), { ...part, turns: 1_000 })
  assert.deepEqual(eraseWith({ turns: 10, points: 25_000 }, [1, 50_000]), { ...part, turns: 10 })
})

test('of many turns those that have not ended go with the first part, and are told', () => {
  const rows = [{ id: 'h0', first_seq: '1', last_seq: '5000' }]
  const { result, asked } = drive(eraseSome(ada, ''), ({ sql, values }) => {
    if (sql.includes('ORDER BY temporary')) return rows
    if (sql.startsWith('SELECT') && sql.includes('FROM turns'))
      return [{ id: values.length > 1 ? 'queued' : 'running' }]
    return sql.startsWith('DELETE FROM turns') ? [{ changed: sql.includes('status') ? 1 : Number(values[1]) }] : []
  })
  const deleted = asked.filter(({ sql }) => sql.startsWith('DELETE'))
  assert.deepEqual(
    deleted.map(({ sql, values }) => [sql.includes('status'), values[1]]),
    [
      [true, undefined],
      [true, 1_000],
      [false, 998],
    ],
  )
  assert.deepEqual([result.erased.turns, result.unfinished.map(({ id }) => id)], [1_000, ['running', 'queued']])
})

test('threads share the bound, and what comes behind it is left alone', () => {
  const two = { threads: 2, turns: 4, items: 994, gone: 'h0 h1', touched: 2, ...none }
  assert.deepEqual(erase([1, 500], [1, 494]), two)
  assert.deepEqual(erase([1, 500], [1, 494], [1, 1]), two)
  const cut = { threads: 1, turns: 4, items: 994, gone: 'h0', touched: 2, more: true }
  assert.deepEqual(erase([1, 500], [1, 495], [1, 1]), { ...cut, cut: ['h1', 495] })
})

test('at most 100 threads are looked at, and without any nothing is left', () => {
  const { result, asked } = drive(eraseSome(ada, ''), () => [])
  assert.deepEqual(asked[0]?.values, [ada, 100])
  assert.deepEqual([asked.length, result.more], [1, false])
})
