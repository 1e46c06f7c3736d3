// Terms as each database indexes and asks for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Match } from '#core/document.ts'
import type { Sql } from '#store/sql.ts'
import { bestChunks, countMatch, indexColumns, termVector } from '#store/term-index.ts'
import { drive } from './drive.ts'

const sqlite = { backend: 'sqlite' } as Sql
const postgres = { backend: 'postgres' } as Sql
const tables = { chunks: 'chunks', terms: 'chunk_terms' }
const totals = { number: 36, chunks: 4, terms: 10 }
const terms = { title: ['t'], body: ['a', 'b', 'a'], extra: ['x', 'a'] }

test('a term has the number of its user in front, in each column of its own', () => {
  assert.deepEqual(indexColumns(36, terms), ['10:t', '10:a 10:b 10:a', '10:x 10:a'])
})

test('a vector has every position of a term, and a gap between body, extra and title', () => {
  assert.equal(termVector(36, terms), `'10:a':1,3,13C '10:b':2 '10:x':12C '10:t':22A`)
  assert.equal(termVector(1, { title: [], body: [], extra: [] }), '')
})

const matches: readonly (readonly [match: Match, fts: string, tsquery: string])[] = [
  [{ term: 'a' }, '"10:a"', `'10:a'`],
  [{ prefix: 'a' }, '"10:a" *', `'10:a':*`],
  [{ phrase: ['a', 'b'] }, '({body} : "10:a 10:b")', `('10:a' <-> '10:b')`],
  [{ any: [{ term: 'a' }, { prefix: 'b' }] }, '("10:a" OR "10:b" *)', `('10:a' | '10:b':*)`],
  [{ all: [{ term: 'a' }, { term: 'b' }] }, '("10:a" AND "10:b")', `('10:a' & '10:b')`],
]
for (const [match, fts, tsquery] of matches) {
  test(`${JSON.stringify(match)} is asked for as ${fts} and as ${tsquery}`, () => {
    const asks = (sql: Sql) => {
      const { result, asked } = drive(countMatch(sql, tables, { number: 36, match, max: 7 }), () => [{ n: '3' }])
      assert.equal(result, 3)
      return asked[0]?.values
    }
    assert.deepEqual(
      [asks(sqlite), asks(postgres)],
      [
        [fts, 7],
        [tsquery, 7],
      ],
    )
  })
}

test('a search in titles alone says so, with the weight of titles on PostgreSQL', () => {
  const match: Match = { any: [{ phrase: ['a', 'b'] }, { prefix: 'c' }, { term: 'd' }] }
  const asked = { match, weights: [], depth: 50, limit: 5, only: 'title' } as const
  assert.deepEqual(bestChunks(sqlite, tables, totals, asked).values, [
    '{title} : (({title} : "10:a 10:b") OR "10:c" * OR "10:d")',
    50,
    5,
  ])
  const { values } = bestChunks(postgres, tables, totals, asked)
  assert.equal(values.at(-3), `(('10:a':A <-> '10:b':A) | '10:c':*A | '10:d':A)`)
})

test('SQLite counts a term of a title three times and an extra one half', () => {
  const asked = { match: { term: 'a' }, weights: [], depth: 50, limit: 5 }
  const { statement, values } = bestChunks(sqlite, tables, totals, asked)
  assert.match(statement, /bm25\(chunk_terms, 3, 1, 0\.5\)/)
  assert.deepEqual(values, ['"10:a"', 50, 5])
})

test('PostgreSQL adds the weights of the matches, and compares a size with that of a usual chunk', () => {
  const weights = [
    { match: { term: 'a' }, weight: 2 },
    { match: { term: 'b' }, weight: 0.5 },
  ]
  const asked = { match: { term: 'a' }, weights, depth: 50, limit: 5 }
  assert.deepEqual(bestChunks(postgres, tables, totals, asked).values, [
    2,
    `'10:a'`,
    0.5,
    `'10:b'`,
    2.5,
    `'10:a'`,
    50,
    5,
  ])
  const none = bestChunks(postgres, tables, { ...totals, terms: 1 }, { ...asked, weights: [] })
  assert.match(none.statement, /\(0\) \//)
  assert.deepEqual(none.values, [1, `'10:a'`, 50, 5], 'a usual chunk has at least one term')
})

test('PostgreSQL ranks a phrase by its words, each once, where it matches', () => {
  const match: Match = { any: [{ phrase: ['a', 'b', 'a'] }, { term: 'aba' }] }
  const { statement, values } = bestChunks(postgres, tables, totals, {
    match,
    weights: [{ match, weight: 2 }],
    depth: 50,
    limit: 5,
  })
  const asked = `(('10:a' <-> '10:b' <-> '10:a') | '10:aba')`
  assert.deepEqual(values, [2, asked, `('10:a' | '10:b' | '10:aba')`, 2.5, asked, 50, 5])
  assert.match(statement, /CASE WHEN terms @@ \?::tsquery THEN ts_rank\(/)
})
