import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createStreamRecords, newRecord, type StreamRecord } from '#doors/responses/tell/stream-records.ts'

/** A record of two messages: 0 created, 1 added, 2 and 3 deltas, 4 done, 5 added, 6 delta. */
const record = (turnId = 't1'): StreamRecord => ({
  ...newRecord(turnId, 'specified'),
  messages: [
    { entryId: 'a', from: 1, ends: [3, 5] },
    { entryId: 'b', from: 5, ends: [2] },
  ],
  next: 7,
})

describe('createStreamRecords', () => {
  it('gives the part of a record up to an event, once', () => {
    const table: [number, [string, number[]][] | undefined][] = [
      [0, []],
      [1, [['a', []]]],
      [2, [['a', [3]]]],
      [3, [['a', [3, 5]]]],
      [4, [['a', [3, 5]]]],
      [
        5,
        [
          ['a', [3, 5]],
          ['b', []],
        ],
      ],
      [
        6,
        [
          ['a', [3, 5]],
          ['b', [2]],
        ],
      ],
      [7, undefined],
    ]
    for (const [number, expected] of table) {
      const records = createStreamRecords()
      records.open(record())
      assert.equal(records.take('t2', number), undefined)
      const taken = records.take('t1', number)
      assert.deepEqual(
        taken?.messages.map(({ entryId, ends }) => [entryId, ends]),
        expected,
      )
      if (taken) assert.deepEqual([taken.next, records.take('t1', number)], [number + 1, undefined])
    }
  })

  it('takes a stream that was left before one that is read, and none that is over or was taken', () => {
    const records = createStreamRecords()
    const [first, second] = [record(), { ...record(), messages: [] }]
    records.open(first)
    records.open(second)
    records.left(first)
    assert.equal(records.take('t1', 6)?.messages.length, 2)
    records.left(first)
    assert.equal(records.take('t1', 6)?.messages.length, 0)
    const third = record()
    records.open(third)
    records.over(third)
    assert.equal(records.take('t1', 6), undefined)
  })

  it('keeps a record without a reader for a minute', () => {
    for (const [ms, kept] of [
      [60_000, true],
      [60_001, false],
    ] as const) {
      let now = 0
      const records = createStreamRecords(() => now)
      const left = record()
      records.open(left)
      now = 5
      records.left(left)
      now += ms
      assert.equal(records.take('t1', 6) !== undefined, kept)
    }
  })

  it('keeps so many records without a reader, and so many numbers; the oldest go first', () => {
    const kept = (count: number, numbers: number): number => {
      const records = createStreamRecords()
      const ends = Array.from({ length: numbers }, (_, at) => at)
      const ids = Array.from({ length: count }, (_, at) => `t${at}`)
      for (const id of ids) {
        const each = { ...record(id), messages: [{ entryId: 'a', from: 1, ends }] }
        records.open(each)
        records.left(each)
      }
      assert.ok(records.take(ids.at(-1) ?? '', 0))
      return 1 + ids.filter((id) => records.take(id, 0)).length
    }
    assert.equal(kept(1010, 1), 1000)
    assert.equal(kept(12, 100_000), 10)
  })
})
