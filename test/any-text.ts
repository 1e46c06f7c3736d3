// Text of any characters for property tests. `fc.string({ unit: 'binary' })` makes a table of all of them first, which is
// more than a second of work in each process.
import * as fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((code) => (code < firstSurrogate ? code : code + surrogates))

export function anyText(constraints: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(codePoint, constraints).map((codes) => String.fromCodePoint(...codes))
}
