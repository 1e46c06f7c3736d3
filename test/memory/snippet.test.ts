// The part of a chunk that is shown: with the most query terms, cut at words and whole characters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { snippetOf } from '#memory/snippet.ts'

type Hit = { start: number; end: number; which: number }

function hitsOf(text: string, words: readonly string[]): Hit[] {
  return words.flatMap((word, which) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({ start: index, end: index + word.length, which })),
  )
}

function shown(text: string, words: readonly string[]): string {
  return snippetOf({ found: { text }, hits: hitsOf(text, words).toReversed() })
}

const filler = (count: number): string => 'word '.repeat(count)

test('a short text is shown whole, and a long one without hits from its beginning', () => {
  assert.equal(shown('the sky is blue ', ['sky']), 'the sky is blue')
  const text = `first ${filler(200)}`
  assert.equal(shown(text, []), `${text.slice(0, 400).replace(/ \w*$/, '')}…`)
  assert.equal(shown('x'.repeat(400), []), 'x'.repeat(400))
  assert.equal(shown('x'.repeat(401), []), `${'x'.repeat(400)}…`)
})

test('the stretch with the most different terms wins, then the one with the most hits', () => {
  const far = filler(120)
  assert.match(shown(`sky sky sky ${far}sky and blue ${far}`, ['sky', 'blue']), /sky and blue/)
  assert.match(shown(`sky alone ${far}sky with sky ${far}`, ['sky']), /sky with sky/)
  assert.match(shown(`sky first ${far}sky second ${far}`, ['sky']), /^sky first/)
})

test('a stretch begins at a line, else at a word, at most 60 characters before its first hit', () => {
  const far = filler(100)
  assert.ok(shown(`${far}\nThe sky is blue.`, ['sky']).startsWith('…The sky'))
  const words = shown(`${far}the sky is blue.`, ['sky'])
  assert.ok(words.startsWith('…word ') && words.indexOf('sky') <= 62 && words.indexOf('sky') > 50, words)
  const solid = `${'x'.repeat(500)}sky`
  assert.equal(shown(solid, ['sky']), `…${'x'.repeat(60)}sky`)
  assert.equal(
    shown(`${'x'.repeat(60)}sky`, ['sky']),
    `${'x'.repeat(60)}sky`,
    'what is near the beginning begins there',
  )
})

test('no half of a character is shown', () => {
  const pairs = '😀'.repeat(300)
  for (const text of [`${pairs}sky`, `${pairs}ysky`, `x${pairs}sky`, pairs, `x${pairs}`]) {
    assert.ok(shown(text, ['sky']).isWellFormed(), text.slice(0, 3))
  }
})

test('the stretch is the one that a look at all of them finds', () => {
  const text = Array.from({ length: 900 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
  const anyHits = fc.uniqueArray(fc.record({ at: fc.nat(890), which: fc.nat(3) }), { selector: ({ at }) => at })
  fc.assert(
    fc.property(anyHits, (places) => {
      const hits = places.map(({ at, which }) => ({ start: at, end: at + 2, which }))
      const stretches = hits
        .toSorted((one, two) => one.start - two.start)
        .map(({ start, end, which }) => {
          const within = hits.filter((hit) => hit.start >= start && hit.end <= start + 340)
          return {
            hit: { start, end, which },
            which: new Set(within.map((hit) => hit.which)).size,
            count: within.length,
          }
        })
      const best = stretches.toSorted((one, two) => two.which - one.which || two.count - one.count)[0]
      const expected = snippetOf({ found: { text }, hits: best ? [best.hit] : [] })
      assert.equal(snippetOf({ found: { text }, hits }), expected)
    }),
  )
})
