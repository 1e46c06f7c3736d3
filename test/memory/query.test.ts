// A query as terms: phrases, prefixes, common words, words written as one, and its bounds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchOf, type QueryTerm, readQuery, withPrefix } from '#memory/query.ts'
import { createReader } from '#memory/terms.ts'

const reader = createReader()

/** A term as one text: its variants with their worth, its weight, and what else is said of it. */
function shown({ variants, weight, required, prefix }: QueryTerm): string {
  const words = variants.map((variant) => {
    const text =
      'term' in variant ? variant.term : 'prefix' in variant ? `${variant.prefix}*` : `"${variant.phrase.join(' ')}"`
    return variant.worth === 1 ? text : `${text} at ${variant.worth}`
  })
  return `${words.join('|')} x${weight}${required ? ' required' : ''}${prefix === undefined ? '' : ` or ${prefix}*`}`
}

const queries: readonly [query: string, terms: readonly string[]][] = [
  ['', []],
  ['sky', ['sky x1 or sky*']],
  ['Running', ['run|~running at 0.7 x1 or running*']],
  ['the sky', ['sky x1 or sky*']],
  ['the of', ['the x1 or the*', 'theof x0.8', 'of x0.3 or of*']],
  ['sky*', ['sky|sky* x1 or sky*']],
  ['"big sky"', ['"big sky" x1.5 required']],
  ['“big sky” blue', ['"big sky" x1.5 required', 'blue x1 or blue*']],
  ['«big sky»', ['"big sky" x1.5 required']],
  ['「数据」', ['数据 x1.5 required']],
  ['"sky"', ['sky x1.5 required']],
  ['"user_id"', ['"user id"|userid x1.5 required']],
  ['"?"', []],
  ['"sky" the', ['sky x1.5 required']],
  ['web sky', ['web x1 or web*', 'websky x0.8', 'sky x1 or sky*']],
  [
    'one sky two web big',
    [
      'sky x1 or sky*',
      'skytwo x0.8',
      'two x1 or two*',
      'twoweb x0.8',
      'web x1 or web*',
      'webbig x0.8',
      'big x1 or big*',
    ],
  ],
  ['sky two web big cat', ['sky x1 or sky*', 'two x1 or two*', 'web x1 or web*', 'big x1 or big*', 'cat x1 or cat*']],
  ['user_id', ['"user id"|userid x1 or userid*', 'user x0.4', 'id x0.4']],
  ['to_do', ['"to do"|todo x1 or todo*']],
  ['and_sky', ['"and sky"|andsky x1 or andsky*', 'sky x0.4']],
  ['Müller', ['muller|mueller|~mull at 0.7 x1 or muller*']],
  ['nicht sky', ['nicht x0.3 or nicht*', 'nichtsky x0.8', 'sky x1 or sky*']],
  ['数据库', ['数据 x1', '据库 x1']],
  ['字', ['字* x1']],
  ['sky sky', ['sky x1 or sky*', 'skysky x0.8']],
  ['user_id user', ['"user id"|userid x1 or userid*', 'user x1', 'id x0.4']],
]
for (const [query, terms] of queries) {
  test(`the terms of ${query || 'nothing'}`, () => {
    assert.deepEqual(readQuery(reader, query).map(shown), terms)
  })
}

test('a query has 24 terms and 1,000 characters', () => {
  const word = (at: number): string =>
    `w${String.fromCharCode(97 + Math.floor(at / 26))}${String.fromCharCode(97 + (at % 26))}q`
  const words = (count: number): string => Array.from({ length: count }, (_, at) => word(at)).join(' ')
  assert.equal(readQuery(reader, words(24)).length, 24)
  assert.equal(readQuery(reader, words(25)).length, 24)
  const [first, second] = readQuery(reader, `${' '.repeat(996)}sky blue`)
  assert.deepEqual([first && shown(first), second], ['sky x1 or sky*', undefined])
  assert.deepEqual(readQuery(reader, `${' '.repeat(1_000)}sky`), [])
})

/** How many terms the phrases of a query have, each. */
function phraseTerms(query: string): number[] {
  return readQuery(reader, query)
    .flatMap(({ variants }) => variants)
    .flatMap((variant) => ('phrase' in variant ? [variant.phrase.length] : []))
}

test('a phrase has 12 terms, in quotes, with hyphens or without spaces', () => {
  const ten = 'red blue pink teal gold lime rust jade plum navy'
  assert.deepEqual(readQuery(reader, `"${ten}"`).map(shown), [
    '"red blue pink teal gold lime rust jade plum navi" x1.5 required',
  ])
  assert.deepEqual(phraseTerms(`"${ten} sky sea"`), [12])
  assert.deepEqual(phraseTerms(`"${ten} sky sea sun"`), [12])
  assert.deepEqual(phraseTerms(`"${'a '.repeat(490)}"`), [12])
  assert.deepEqual(phraseTerms('a-'.repeat(500)), [12])
  assert.deepEqual(phraseTerms(`「${'数据'.repeat(490)}」`), [12])
})

test('all phrases of a query have 24 terms', () => {
  const phrases = Array.from('abcdefgh', (letter) => `"${letter} b c d e f g"`).join(' ')
  assert.deepEqual(phraseTerms(phrases), [7, 7, 7, 3])
  assert.deepEqual(phraseTerms(Array.from('ghijklmnopqrs', (letter) => `"${letter} sky"`).join(' ')), Array(12).fill(2))
  const runs = Array.from('abcdefgh', (letter) => `x${letter}-b-c-d-e-f-g`).join(' ')
  assert.ok(phraseTerms(runs).reduce((sum, each) => sum + each, 0) <= 24)
})

test('a word beyond the terms of phrases is found as a whole and by its parts', () => {
  const terms = readQuery(reader, '"a b c d e f g h i j k l" "m n o p q r s t u v w x" user_id').map(shown)
  assert.deepEqual(terms.slice(2), ['userid x1 or userid*', 'user x0.4', 'id x0.4'])
})

test('a phrase that is given twice counts once, and so does one that only differs beyond its terms', () => {
  assert.deepEqual(readQuery(reader, '"big sky" "sky" "big sky" "sky"').map(shown), [
    '"big sky" x1.5 required',
    'sky x1.5 required',
  ])
  assert.deepEqual(phraseTerms(`"${'a '.repeat(20)}" "${'a '.repeat(30)}"`), [12])
  assert.equal(readQuery(reader, '"a '.repeat(300)).length, 1)
})

test('a term is asked for by its one variant or any of several', () => {
  const sky = { term: 'sky', worth: 1 }
  assert.deepEqual(matchOf({ variants: [sky], weight: 1 }), { term: 'sky' })
  assert.deepEqual(matchOf({ variants: [{ phrase: ['a', 'b'], worth: 1 }], weight: 1 }), { phrase: ['a', 'b'] })
  assert.deepEqual(matchOf({ variants: [sky, { prefix: 'sk', worth: 1 }], weight: 1 }), {
    any: [{ term: 'sky' }, { prefix: 'sk' }],
  })
})

test('a prefix is worth half a word; a term without one stays as it is', () => {
  const sky: QueryTerm = { variants: [{ term: 'sky', worth: 1 }], weight: 1 }
  assert.equal(withPrefix(sky), sky)
  assert.deepEqual(withPrefix({ ...sky, prefix: 'sk' }).variants, [...sky.variants, { prefix: 'sk', worth: 0.5 }])
})
