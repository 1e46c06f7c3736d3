// Tool calls from fragments, in the ways in which servers send them; and lines from bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallFragments, textIn } from '#models/chat-calls.ts'
import { dataStart, LineCutter } from '#models/chat-lines.ts'

type Piece = readonly [index: number | undefined, id: string | undefined, name: string | undefined, args: unknown]

function callsOf(pieces: readonly Piece[]): string[] {
  const fragments = new CallFragments()
  for (const [index, id, name, args] of pieces) {
    assert.equal(fragments.add({ index, id, function: { name, arguments: args } }), undefined)
  }
  return fragments.calls.map(({ name, args }) => `${name}(${args})`)
}

const streams: readonly [what: string, pieces: readonly Piece[], calls: readonly string[]][] = [
  [
    'a name in each piece, and an escape between two',
    [
      [0, undefined, 'f', '{"x":"\\'],
      [0, undefined, 'f', ''],
      [0, undefined, 'f', '"}'],
      [0, undefined, 'f', '"}'],
    ],
    [String.raw`f({"x":"\"}"})`],
  ],
  [
    'one call in pieces',
    [
      [0, 'a', 'f', ''],
      [0, undefined, undefined, '{"x"'],
      [0, undefined, undefined, ':1}'],
    ],
    ['f({"x":1})'],
  ],
  [
    'two calls by index, mixed',
    [
      [0, 'a', 'f', '{'],
      [1, 'b', 'g', '{'],
      [0, undefined, undefined, '}'],
      [1, undefined, undefined, '}'],
    ],
    ['f({})', 'g({})'],
  ],
  [
    'two calls by id, without an index',
    [
      [undefined, 'a', 'f', '{'],
      [undefined, 'b', 'g', '{'],
      [undefined, 'a', undefined, '}'],
      [undefined, 'b', undefined, '}'],
    ],
    ['f({})', 'g({})'],
  ],
  [
    'two calls with one index',
    [
      [0, 'a', 'f', '{}'],
      [0, 'b', 'g', '{}'],
    ],
    ['f({})', 'g({})'],
  ],
  [
    'the same tool twice, whole each time',
    [
      [0, undefined, 'f', '{"x":1}'],
      [0, undefined, 'f', '{"x":2}'],
    ],
    ['f({"x":1})', 'f({"x":2})'],
  ],
  [
    'the name with every piece',
    [
      [0, undefined, 'f', '{"x":'],
      [0, undefined, 'f', '1}'],
    ],
    ['f({"x":1})'],
  ],
  [
    'the name again at the end, without arguments',
    [
      [0, undefined, 'f', '{}'],
      [0, undefined, 'f', ''],
    ],
    ['f({})'],
  ],
  [
    'another name under the same index',
    [
      [0, undefined, 'f', '{'],
      [0, undefined, 'g', '{}'],
    ],
    ['f({)', 'g({})'],
  ],
  [
    'the name after the id',
    [
      [0, 'a', undefined, ''],
      [0, undefined, 'f', '{}'],
    ],
    ['f({})'],
  ],
  [
    'the id after the name',
    [
      [0, undefined, 'f', '{'],
      [0, 'a', undefined, ''],
      [undefined, 'a', undefined, '}'],
    ],
    ['f({})'],
  ],
  [
    'a piece under an unknown index',
    [
      [0, 'a', 'f', '{'],
      [5, undefined, undefined, '}'],
    ],
    ['f({})'],
  ],
  [
    'braces and quotes in a text',
    [
      [0, undefined, 'f', '{"x":"}\\"}"'],
      [0, undefined, 'f', '}'],
    ],
    ['f({"x":"}\\"}"})'],
  ],
  ['arguments as an object', [[0, 'a', 'f', { x: 1 }]], ['f({"x":1})']],
  ['arguments as a list of texts', [[0, 'a', 'f', [{ text: '{' }, { text: '}' }, 5]]], ['f({})']],
]
for (const [what, pieces, calls] of streams) {
  test(`a stream with ${what}`, () => assert.deepEqual(callsOf(pieces), calls))
}

test('an answer has 128 calls and 200,000 fragments', () => {
  const many = new CallFragments()
  for (let at = 0; at < 128; at++) assert.equal(many.add({ index: at, function: { name: 'f' } }), undefined)
  assert.equal(many.add({ index: 128, function: { name: 'f' } }), '128 tool calls')
  const long = new CallFragments()
  for (let at = 0; at < 200_000; at++) long.add({ index: 0, function: {} })
  assert.equal(long.add({ index: 0, function: {} }), '200000 fragments of tool calls')
})

test('arguments are not read by the letter, unless the name of their call comes again', (t) => {
  const walk = Object.getOwnPropertyDescriptor(String.prototype, Symbol.iterator) ?? {}
  const letters = [t.mock.method(String.prototype, 'charCodeAt'), t.mock.method(String.prototype, Symbol.iterator)]
  // node:test does not put back a method that is named by a symbol: all later tests of the process would read no string.
  t.after(() => Reflect.defineProperty(String.prototype, Symbol.iterator, walk))
  const read = (): number => letters.reduce((sum, { mock }) => sum + mock.callCount(), 0)
  const fragments = new CallFragments()
  const add = (name: string | undefined, args: string): number => {
    fragments.add({ index: 0, function: { name, arguments: args } })
    return read()
  }
  assert.equal(add('f', '{"x":"'), 0)
  assert.equal(add(undefined, 'y'.repeat(1_000)), 0)
  assert.equal(add('f', '"}'), 1_006)
  assert.equal(add('f', '{}'), 1_008, 'each letter once')
  assert.equal(fragments.calls.length, 2)
})

test('a text is a string or the texts of a list', () => {
  const texts = ['a', [{ text: 'a' }, { text: 5 }, { type: 'x' }, { text: 'b' }], 5, undefined, null].map(textIn)
  assert.deepEqual(texts, ['a', 'ab', '', '', ''])
})

test('bytes are cut at lines, and a character between two reads stays whole', () => {
  const cutter = new LineCutter(10)
  const [first, second] = [Buffer.from('data: ü\nda').subarray(0, 7), Buffer.from('data: ü\nda').subarray(7)]
  assert.deepEqual([cutter.push(first), cutter.push(second)], ['', 'data: ü'])
  assert.equal(cutter.push(Buffer.from('ta: b\nx\n')), 'data: b\nx')
  assert.deepEqual([cutter.rest(), cutter.overlong], ['', false])
  cutter.push(Buffer.from('x'.repeat(10)))
  assert.equal(cutter.overlong, false)
  cutter.push(Buffer.from('x'))
  assert.equal(cutter.overlong, true)
  assert.deepEqual([cutter.rest(), cutter.overlong], ['x'.repeat(11), false])
})

test('the data of a line begins behind its field and at most one blank', () => {
  assert.deepEqual(
    ['data: a', 'data:a', 'data:  a', 'event: a', ': a', ''].map((line) => dataStart(line, 0)),
    [6, 5, 6, -1, -1, -1],
  )
  assert.equal(dataStart('x\ndata: a', 2), 8)
})
