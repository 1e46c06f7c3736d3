// Counting JSON in its bytes: exact for valid JSON, wherever the text is cut into slices.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Excess, excessOf, JsonCount } from '#lib/json-bounds.ts'

const free = { values: 1_000, names: 1_000, levels: 1_000 }

/** Counts a text in slices. */
function counted(text: string, slice: number, bounds = free): { values: number; names: number; excess?: Excess } {
  const count = new JsonCount(Buffer.from(text), bounds)
  while (!count.done) {
    const excess = count.next(slice)
    if (excess) return { values: count.values, names: count.names, excess }
  }
  return { values: count.values, names: count.names }
}

const texts: readonly (readonly [text: string, values: number, names: number])[] = [
  ['1', 1, 0],
  ['"a"', 1, 0],
  ['[]', 1, 0],
  ['{}', 1, 0],
  ['[ \n\t\r ]', 1, 0],
  ['[1]', 2, 0],
  ['[[]]', 2, 0],
  ['[{},{}]', 3, 0],
  ['[1, "a,b", [2, 3], {"c": null}]', 8, 1],
  ['{"a":1}', 2, 1],
  ['{ "a" : { } , "b" : [ ] }', 3, 2],
  [String.raw`{"a\"b,c:":"[{\\","d":"\\\""}`, 3, 2],
  ['{"я":"я,€","😀":[true,false]}', 5, 2],
]

test('values and names are counted as a parser would find them, in slices of any size', () => {
  for (const [text, values, names] of texts) {
    assert.doesNotThrow(() => JSON.parse(text), text)
    for (const slice of [1, 2, 3, 5, 1_000]) {
      assert.deepEqual(counted(text, slice), { values, names }, `${text} in slices of ${slice}`)
    }
  }
})

test('a bound is reached exactly, and one more exceeds it', () => {
  const bounds = { values: 10, names: 3, levels: 4 }
  const array = (size: number): string => JSON.stringify(Array.from({ length: size }, () => 0))
  const object = (size: number): string =>
    JSON.stringify(
      Object.fromEntries(
        'abcdef'
          .slice(0, size)
          .split('')
          .map((name) => [name, 0]),
      ),
    )
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  for (const [fits, over, bound] of [
    [array(9), array(10), 'values'],
    [object(3), object(4), 'names'],
    [nested(4), nested(5), 'levels'],
  ] as const) {
    for (const slice of [1, 1_000]) {
      assert.equal(counted(fits, slice, bounds).excess, undefined, fits)
      assert.equal(counted(over, slice, bounds).excess?.bound, bound, over)
    }
  }
})

test('white space and numbers of more than 256 KB are refused wherever they stand, strings are not', () => {
  const max = 256 * 1024
  for (const fill of [' ', '\n', '7']) {
    const texts = [
      `{"a":1,"b":${fill === '7' ? '' : '2'}@}`,
      `[0,@${fill === '7' ? '' : '1'},2]`,
      ...(fill === '7' ? [] : ['@1', '1@', '{@}']),
    ]
    for (const text of texts) {
      for (const slice of [1_000, 100_003, 2 ** 24]) {
        const shown = `${JSON.stringify(fill)} in ${text} in slices of ${slice}`
        assert.equal(counted(text.replace('@', fill.repeat(max - 1)), slice).excess, undefined, shown)
        assert.equal(counted(text.replace('@', fill.repeat(max + 1)), slice).excess?.bound, 'run', shown)
      }
    }
    assert.equal(counted(`{"a":"${fill === '\n' ? ' ' : fill}${'x'.repeat(3 * max)}"}`, 1_000).excess, undefined)
  }
  const spread = JSON.stringify(Array.from({ length: 900 }, () => 1)).replaceAll(',', `,${' '.repeat(1_000)}`)
  assert.equal(counted(spread, 1_000).excess, undefined, 'much white space, but not in a row')
})

test('a field name of more than 256 KB is refused on every level', () => {
  const name = (chars: number): string => JSON.stringify('n'.repeat(chars))
  for (const slice of [1_000, 2 ** 24]) {
    assert.equal(counted(`{${name(2 ** 18)}:1}`, slice).excess, undefined)
    assert.deepEqual(counted(`{${name(2 ** 18 + 1)}:1}`, slice).excess, { bound: 'run', field: 'n'.repeat(100) })
    assert.deepEqual(counted(`{"a":[{"b":{${name(2 ** 18 + 1)} :1}}]}`, slice).excess, { bound: 'run', field: 'a' })
  }
})

test('members are counted for each object by itself', () => {
  const bounds = { ...free, members: 3 }
  const inner = '{"a":{"b":1,"c":2},"d":[{"e":1,"f":2,"g":3}],"h":{"i":{}}}'
  for (const slice of [1, 1_000]) {
    assert.equal(counted(inner, slice, bounds).excess, undefined)
    assert.deepEqual(counted(inner.replace('"i":{}', '"i":1,"j":2,"k":3,"l":4'), slice, bounds).excess, {
      bound: 'members',
      field: 'h',
    })
    assert.equal(counted(inner.replace('"d"', '"z":1,"d"'), slice, bounds).excess?.bound, 'members')
  }
})

test('members are counted in the shortest text that can have too many', () => {
  const bounds = { ...free, members: 100 }
  const members = (count: number): string => `{${Array(count).fill('"":0').join(',')}}`
  assert.equal(counted(members(100), 1_000, bounds).excess, undefined)
  assert.equal(counted(members(101), 1_000, bounds).excess?.bound, 'members')
})

test('an excess names the field of the outermost object in which it is', () => {
  const field = (text: string): string | undefined => counted(text, 4, { ...free, values: 6 }).excess?.field
  assert.equal(field('{"first":[1,2],"second":{"third":[1,2,3]}}'), 'second')
  assert.equal(field('{"x":"second","a":[1,2,3,4,5]}'), 'a')
  assert.equal(field('[1,2,3,4,5,6,7]'), '')
  assert.equal(field(`{"${'n'.repeat(500)}":[1,2,3,4,5,6,7]}`), 'n'.repeat(100))
})

test('an excess in words names the bound and its limit', () => {
  const bounds = { values: 10, names: 5, members: 2, levels: 2 }
  for (const [text, words] of [
    ['[1,2,3,4,5,6,7,8,9,0]', '10 values'],
    ['[{"a":1,"b":2},{"c":1,"d":2},{"e":1,"f":2}]', '5 field names'],
    ['{"a":1,"b":2,"c":3}', '2 field names in one object'],
    ['[[[]]]', '2 levels'],
    ['[1]', undefined],
  ] as const)
    assert.equal(excessOf(Buffer.from(text), bounds), words)
})

test('a text that is no JSON is counted to its end', () => {
  for (const text of ['', '"', '"\\', '[', ']]]]', '}{', ':::', ',,,', '\\"', '{"a']) {
    for (const slice of [1, 2, 1_000]) assert.equal(counted(text, slice).excess, undefined, text)
  }
})
