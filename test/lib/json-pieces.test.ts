// Long JSON is parsed in pieces, and to the same value as at once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseInPieces } from '#lib/json-pieces.ts'

const long = 40_000

function read(text: string): { value: unknown; pieces: string[]; pauses: number } {
  const pieces: string[] = []
  const parse = (piece: string): unknown => {
    pieces.push(piece)
    return JSON.parse(piece)
  }
  const work = parseInPieces(Buffer.from(text), parse)
  for (let pauses = 0; ; pauses++) {
    const step = work.next()
    if (step.done) return { value: step.value, pieces, pauses }
  }
}

const numbers = Array.from({ length: 20_000 }, (_, at) => at)
const nested = (levels: number, value: unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>(
    (inner, _, at) => (at % 2 === 0 ? [1, inner] : { a: 1, b: inner }),
    value,
  )

describe('parseInPieces', () => {
  for (const [what, value] of Object.entries({
    'a short value': { a: [1, { b: null }] },
    'a list': numbers,
    'a list of lists': numbers.map((each) => [each, []]),
    'many names': Object.fromEntries(numbers.map((each) => [`n${each}`, { n: each }])),
    'names that are numbers': Object.fromEntries(numbers.map((each) => [20_000 - each, each])),
    'a long list in each of many': Array.from({ length: 20 }, () => ({
      before: 1,
      list: numbers.slice(0, 9_000),
      after: 2,
    })),
    'what is nested around a long list': nested(50, numbers),
    'what is nested around a long text': nested(50, 'x'.repeat(long)),
    'long lists within each other': Array.from({ length: 30 }).reduce<unknown>(
      (inner) => [numbers.slice(0, 2_000), inner],
      0,
    ),
    'a long text': 'x'.repeat(long),
    'a long name': { ['x'.repeat(long)]: 1, ['y'.repeat(long)]: { a: 'z'.repeat(long) }, b: 2 },
    'escaped letters': `\n\u0001"\\${'\u0001\\"'.repeat(long)}`,
    'letters of several bytes': ['é東👩'.repeat(long), 'a'.repeat(3) + 'é東👩'.repeat(long)],
    'half pairs': `${'\ud83d'.repeat(long)}x${'\ude00'.repeat(long)}`,
  })) {
    for (const space of [0, 2]) {
      it(`reads ${what}, indented by ${space}`, () => {
        const text = JSON.stringify(value, null, space)
        const { value: found, pieces } = read(text)
        assert.deepEqual(found, value)
        // Also the order of names.
        assert.equal(JSON.stringify(found), JSON.stringify(value))
        for (const piece of pieces) assert.ok(piece.length < 64 * 1024, `a piece has ${piece.length} letters`)
      })
    }
  }

  it('pauses between the pieces', () => {
    assert.equal(read('[1,2]').pauses, 0)
    for (const value of [numbers, 'x'.repeat(10 * long), numbers.map(() => ({}))]) {
      const text = JSON.stringify(value)
      assert.ok(read(text).pauses >= Math.floor(text.length / 64 / 1024))
    }
  })

  it('takes `__proto__` as a name, and of equal names the last one', () => {
    const text = `{"__proto__":{"a":1},"b":[${numbers.join(',')}],"c":1,"c":2}`
    const { value } = read(text)
    assert.deepEqual(Object.keys(value as object), ['__proto__', 'b', 'c'])
    assert.deepEqual(value, JSON.parse(text))
  })

  const list = numbers.join(',')
  const text = 'x'.repeat(long)
  for (const wrong of [
    '',
    '[',
    '[1',
    ']',
    '{',
    `[${list}`,
    `"${text}`,
    list,
    `[${list}]]`,
    `[${list}}`,
    `[${list}]1`,
    `1[${list}]`,
    `[${list},]`,
    `[,${list}]`,
    `[${list},,1]`,
    `[${list}]"${text}"`,
    `"${text}""${text}"`,
    `["${text}",]`,
    `["${text}"1]`,
    `["${text}"[]]`,
    `[[${list}]1]`,
    `[[${list}][${list}]]`,
    `["${text}""${text}"]`,
    `[1"${text}"]`,
    `["a":"${text}"]`,
    `{"${text}"}`,
    `{"${text}":}`,
    `{"${text}" 1}`,
    `{"a""${text}"}`,
    `{"a":1"${text}"}`,
    `{1:"${text}"}`,
    `{"a":1[${list}]}`,
    `{[${list}]}`,
    `{"a":[${list}],}`,
    `{"a":[${list}]:1}`,
    `{"a":"${text}","b"}`,
    `{"${text}":1,}`,
    `{,"${text}":1}`,
    `"${text}\\x"`,
    `"${text}\\u12"`,
    `"${text}\n"`,
    `["${text}"\u00a0]`,
    `\ufeff["${text}"]`,
    `[${list}\u00a0,1]`,
  ]) {
    const shown = wrong.replaceAll(list, '1,2,…').replaceAll(text, 'xx…')
    it(`refuses ${shown}`, () => {
      assert.throws(() => JSON.parse(wrong), SyntaxError)
      assert.throws(() => read(wrong), SyntaxError)
    })
  }
})
