// The score of a chunk: uses, title, length, words close together, and words elsewhere in the document.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundChunk } from '#core/document.ts'
import { matchOf, readQuery } from '#memory/query.ts'
import { idfOf, rank, rankInSlices } from '#memory/rank.ts'
import { createReader } from '#memory/terms.ts'

const reader = createReader()

function chunk(path: string, text: string, over: Partial<FoundChunk> = {}): FoundChunk {
  return { path, text, at: 0, untrusted: false, updatedAt: 0, ...over }
}

/** A text has four terms on average. */
const averageTerms = 4

function ranked(query: string, chunks: readonly FoundChunk[]) {
  const terms = readQuery(reader, query).map((term) => ({ term, idf: 1, match: matchOf(term) }))
  return rank(reader, chunks, terms, averageTerms)
}

const close = (found: number | undefined, expected: number): void =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-9, `${found} for ${expected}`)

/** BM25 with k1 = 1.2 and b = 0.75. */
const bm25 = (worth: number, terms: number): number =>
  (worth * 2.2) / (worth + 1.2 * (0.25 + (0.75 * terms) / averageTerms))

test('a score is BM25 by the uses in a text of its length', () => {
  close(ranked('sky', [chunk('a', 'sky one two four')])[0]?.score, bm25(1, 4))
  close(ranked('sky', [chunk('a', 'sky sky two four')])[0]?.score, bm25(2, 4))
  close(ranked('sky', [chunk('a', 'sky')])[0]?.score, bm25(1, 1))
  close(ranked('sky', [chunk('a', 'blue')])[0]?.score, 0)
})

test('a word that stands as a part of the text, or as the whole of parts, counts as one', () => {
  close(ranked('websocket', [chunk('a', 'one two WebSocket')])[0]?.score, bm25(1, 4))
})

test('a word of the title counts as one and a half, however often it stands there', () => {
  close(ranked('sky', [chunk('sky', 'one two four five')])[0]?.score, bm25(1.5, 4))
  close(ranked('sky', [chunk('sky/sky.md', 'sky two four five')])[0]?.score, bm25(2.5, 4))
})

test('terms that follow each other in the text, with at most one word between, have a bonus', () => {
  const plain = 2 * bm25(1, 4)
  const bonus = (text: string) => (ranked('blue-sky sky', [chunk('a', text)])[0]?.score ?? 0) > 0
  assert.ok(bonus('blue sky'))
  const score = (text: string) => {
    const terms = [
      { variants: [{ term: 'blue', worth: 1 }], weight: 1 },
      { variants: [{ term: 'sky', worth: 1 }], weight: 0.5 },
    ]
    const weighted = terms.map((term, at) => ({ term, idf: at + 1 }))
    return rank(reader, [chunk('a', text)], weighted, 4)[0]?.score
  }
  // The lesser of 1 x 1 and 2 x 0.5.
  close(score('blue sky one two'), plain + 0.3)
  close(score('blue one sky two'), plain + 0.3)
  close(score('blue one two sky'), plain)
  close(score('sky blue one two'), plain)
})

test('a required phrase that is not there leaves the chunk out', () => {
  const chunks = [chunk('a', 'the blue sky'), chunk('b', 'the sky is blue'), chunk('blue sky', 'nothing')]
  assert.deepEqual(
    ranked('"blue sky"', chunks).map(({ found }) => found.path),
    ['blue sky', 'a'],
  )
})

test('a document counts by its best chunk, and half of the terms that only its other chunks have', () => {
  const terms = ['sky', 'blue'].map((term) => ({ term: { variants: [{ term, worth: 1 }], weight: 1 }, idf: 1 }))
  const [found, ...others] = rank(
    reader,
    [
      chunk('a', 'sky one two four'),
      chunk('a', 'sky sky two four', { at: 1 }),
      chunk('a', 'blue one two four', { at: 2 }),
    ],
    terms,
    4,
  )
  assert.deepEqual([others.length, found?.found.at], [0, 1])
  close(found?.score, bm25(2, 4) + 0.5 * bm25(1, 4))
})

test('better comes first, and of equals the newer', () => {
  const chunks = [
    chunk('old', 'sky one two four', { updatedAt: 1 }),
    chunk('new', 'sky one two four', { updatedAt: 2 }),
    chunk('best', 'sky sky two four'),
  ]
  assert.deepEqual(
    ranked('sky', chunks).map(({ found }) => found.path),
    ['best', 'new', 'old'],
  )
})

test('ranking gives way after each chunk, found or not', () => {
  const terms = readQuery(reader, '"big sky"').map((term) => ({ term, idf: 1 }))
  const slices = rankInSlices(reader, [chunk('a', 'big sky'), chunk('b', 'sky'), chunk('c', 'big sky')], terms, 4)
  for (let at = 0; at < 3; at++) assert.equal(slices.next().done, false)
  const { done, value } = slices.next()
  assert.deepEqual([done, value?.length], [true, 2])
})

test('hits say where the words of each term stand', () => {
  const text = 'a blue web socket, and a WebSocket'
  const [found] = ranked('blue websocket', [chunk('a', text)])
  const hits = found?.hits.map(({ start, end, which }) => [text.slice(start, end), which])
  assert.deepEqual(hits?.[0], ['blue', 0])
})

test('a word in fewer chunks says more', () => {
  close(idfOf(0, 10), Math.log(1 + 10.5 / 0.5))
  close(idfOf(10, 10), Math.log(1 + 0.5 / 10.5))
  close(idfOf(20, 10), Math.log(1 + 0.5 / 20.5))
})
