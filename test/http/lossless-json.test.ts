// JSON that others wrote comes out as it went in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { hasRawNumbers, isRawNumber, mayLoseDigits, parseLossless, withPlainNumbers } from '#http/lossless-json.ts'

const kept = [
  '{"id":9007199254740993,"price":1.10}',
  '[0,-0,0.0,1e2,1E+2,-1.50,123456789.12345678,0.1,1e400,12345678901234567890]',
  '{"a":{"b":[{"c":3.00}]}}',
  ' {"spaced" : 1.0 , "text": "1.10, 5e3"} ',
  '"1.10"',
  '1.10',
]

for (const text of kept) {
  test(`${text} is written as it was read`, () => {
    const tight = text.replaceAll(/ (?=[:,}{])|(?<=[:,}{]) |^ | $/g, '').replace('":  1', '":1')
    const spaced = text.includes('spaced') ? '{"spaced":1.0,"text":"1.10, 5e3"}' : tight
    assert.equal(JSON.stringify(parseLossless(text)), spaced)
  })
}

test('numbers that JSON.stringify would write the same stay plain numbers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseLossless(text), JSON.parse(text))
      assert.equal(hasRawNumbers(parseLossless(text)), false)
    }),
  )
})

test('any spelling of a number survives, wherever it stands', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/)
  fc.assert(
    fc.property(digits, fc.boolean(), (number, minus) => {
      const text = `{"a":[${minus ? '-' : ''}${number}],"b":${number}}`
      assert.equal(JSON.stringify(parseLossless(text)), text)
    }),
  )
})

test('a kept number is known, and becomes a plain one on demand', () => {
  const { id, name } = parseLossless('{"id":1.10,"name":"x"}') as { id: unknown; name: string }
  assert.deepEqual([isRawNumber(id), isRawNumber(name), isRawNumber(1.1)], [true, false, false])
  assert.deepEqual(withPlainNumbers({ a: [id] }), { a: [1.1] })
})

test('strings are passed when numbers that lose digits are looked for', () => {
  for (const text of ['{"a":"1.10, 5e3"}', '"1.10"', '{"a\\\\":"b\\" :1e5,","c":5}', '["\\\\","1.0"]', '"1.0'])
    assert.equal(mayLoseDigits(text), false, text)
  for (const text of ['1.10', '-0', '{"a":-0}', '["a",1e5,"b"]', '{"a\\"":1.0,"b":""}', '["\\\\",1.0,"]"]'])
    assert.equal(mayLoseDigits(text), true, text)
})
