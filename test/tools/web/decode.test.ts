// Bytes from the web as text: by mark, header, declaration, or by trying.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from '#tools/web/decode.ts'

const bytes = (...codes: number[]): Buffer => Buffer.from(codes)
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const control = (count: number, length: number): Buffer =>
  Buffer.from('\u0001'.repeat(count) + 'x'.repeat(length - count))

const texts: readonly [what: string, bytes: Buffer, type: string, text: string | undefined][] = [
  ['UTF-8', Buffer.from('hällo'), 'text/plain', 'hällo'],
  ['bytes that are no UTF-8', latin1('hällo'), 'text/plain', 'hällo'],
  ['what its header says', latin1('hällo'), 'text/plain; charset=iso-8859-1', 'hällo'],
  ['what its header says in quotes', latin1('h\xe4llo'), 'text/plain; Charset = "latin1"', 'hällo'],
  ['a header that nobody knows', Buffer.from('hällo'), 'text/plain; charset=none', 'hällo'],
  ['a mark of UTF-8, against its header', Buffer.from('\ufeffhällo'), 'text/plain; charset=latin1', 'hällo'],
  ['UTF-16, small end first', bytes(0xff, 0xfe, 0x61, 0), '', 'a'],
  ['UTF-16, big end first', bytes(0xfe, 0xff, 0, 0x61), '', 'a'],
  ['half a mark', bytes(0xff, 0x61), '', 'ÿa'],
  ['another half', bytes(0xfe, 0x61), '', 'þa'],
  ['two thirds of a mark', bytes(0xef, 0xbb, 0x61), '', 'ï»a'],
  ['what the page declares', latin1('<meta charset="iso-8859-5">\xd0'), '', '<meta charset="iso-8859-5">а'],
  [
    'what an old page declares',
    latin1('<meta content="text/html; charset=iso-8859-5">\xd0'),
    '',
    '<meta content="text/html; charset=iso-8859-5">а',
  ],
  [
    'what XML declares',
    latin1('<?xml version="1.0" encoding="iso-8859-5"?>\xd0'),
    '',
    '<?xml version="1.0" encoding="iso-8859-5"?>а',
  ],
  [
    'a header against the page',
    Buffer.from('<meta charset="iso-8859-5">ä'),
    'text/html; charset=utf-8',
    '<meta charset="iso-8859-5">ä',
  ],
  ['a NUL', Buffer.from('a\0b'), 'text/plain', undefined],
  ['one control character in a hundred', control(1, 100), '', control(1, 100).toString()],
  ['more than that', control(1, 99), '', undefined],
  ['tabs and lines', Buffer.from('\t\n\v\f\r'), '', '\t\n\v\f\r'],
  ['nothing', Buffer.from(''), '', ''],
]
for (const [what, given, type, text] of texts) {
  test(`${what} is read as ${JSON.stringify(text)}`, () => assert.equal(decodeText(given, type), text))
}

test('a declaration counts in the first 4,096 bytes', () => {
  const page = (before: number): Buffer => latin1(`${' '.repeat(before)}<meta charset="iso-8859-5">\xd0`)
  assert.ok(decodeText(page(4_096 - 27), '')?.endsWith('а'))
  assert.ok(decodeText(page(4_096), '')?.endsWith('Ð'))
})
