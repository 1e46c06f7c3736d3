// Attachments of one message together.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { ReadPdf } from '#core/pdf.ts'
import { partsOf } from '#doors/web/attachments.ts'

test('the texts of all PDFs of a message have 10 MiB together', async () => {
  const texts = ['x'.repeat(1024 * 1024 - 100)]
  const readPdf: ReadPdf = () => Promise.resolve({ title: '', pages: 1, texts })
  const pdf = { name: 'a.pdf', media_type: 'application/pdf', data: Buffer.from('%PDF-1.4').toString('base64') }
  const send = (count: number) =>
    partsOf(
      Array.from({ length: count }, () => pdf),
      { readPdf, user: operator },
    )
  assert.equal((await send(10)).length, 10)
  await assert.rejects(send(11), { code: 'too_large', param: 'attachments[10].data', message: /in another message$/ })
})

test('the text of a PDF that is sent again keeps its pages', async () => {
  const data = Buffer.from('[page 1 of 3]\nHello').toString('base64')
  const again = { name: 'a.pdf', media_type: 'text/plain', data, pages: { all: 3, read: 1 } }
  const [part] = await partsOf([again], { user: operator })
  assert.deepEqual(part, { type: 'file', name: 'a.pdf', text: '[page 1 of 3]\nHello', pages: { all: 3, read: 1 } })
})

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const png = '\x89PNG\r\n\x1a\n'
const one = async (media_type: string, data: string, readPdf?: ReadPdf) =>
  (await partsOf([{ name: 'n', media_type, data }], { readPdf, user: operator }))[0]

for (const [type, data, part] of [
  ['text/plain', base64('a'), { type: 'file', name: 'n', text: 'a' }],
  ['text/plain', base64('ab'), { type: 'file', name: 'n', text: 'ab' }],
  ['text/plain', base64('abc'), { type: 'file', name: 'n', text: 'abc' }],
  ['text/plain', 'YQ', { type: 'file', name: 'n', text: 'a' }],
  [' Text/Markdown ; charset=utf-8', base64('a'), { type: 'file', name: 'n', text: 'a' }],
  ['application/json', base64('{}'), { type: 'file', name: 'n', text: '{}' }],
  ['application/x-ndjson', base64('{}'), { type: 'file', name: 'n', text: '{}' }],
  ['application/atom+xml', base64('<a/>'), { type: 'file', name: 'n', text: '<a/>' }],
  ['image/png', base64(png), { type: 'image', url: `data:image/png;base64,${base64(png)}` }],
  // Without a reader of PDFs its beginning says nothing.
  ['text/plain', base64('%PDF-1.4'), { type: 'file', name: 'n', text: '%PDF-1.4' }],
] as const) {
  test(`an attachment of ${type} with ${data} is a part`, async () => assert.deepEqual(await one(type, data), part))
}

const readAny: ReadPdf = () => Promise.resolve({ title: '', pages: 1, texts: ['read'] })
for (const [what, type, data, field, reader] of [
  ['empty', 'text/plain', '', 'data', undefined],
  ['only padding', 'text/plain', '==', 'data', undefined],
  ['one digit too many', 'text/plain', 'YWJjZ', 'data', undefined],
  ['of base64url', 'text/plain', 'Pz8_', 'data', undefined],
  ['of base64url, with a dash', 'text/plain', 'Pj4-', 'data', undefined],
  ['no base64', 'text/plain', 'YW!j', 'data', undefined],
  ['no text', 'text/plain', base64('a\0b'), 'data', undefined],
  ['no UTF-8', 'text/plain', base64('\xff\xfe'), 'data', undefined],
  ['of another picture type', 'image/jpeg', base64(png), 'data', undefined],
  ['of a type that no model takes', 'application/zip', base64('PK'), 'media_type', undefined],
  ['only like a text type', 'application/jsonx', base64('{}'), 'media_type', undefined],
  ['a PDF that nobody reads', 'application/pdf', base64('%PDF-1.4'), 'media_type', undefined],
  ['no PDF', 'application/pdf', base64('hello'), 'data', readAny],
  ['no PDF, with a charset', 'Application/PDF ;x=y', base64('hello'), 'data', readAny],
  ['a PDF that is no base64', 'application/pdf', `${base64('%PDF-1')}!`, 'data', readAny],
] as const) {
  test(`an attachment that is ${what} is refused by its ${field}`, async () => {
    await assert.rejects(one(type, data, reader), { code: 'invalid_input', param: `attachments[0].${field}` })
  })
}

test('a file is a PDF by its beginning, whatever its type', async () => {
  const part = await one('text/plain', base64('%PDF-1.4'), readAny)
  assert(part?.type === 'file')
  assert.match(part.text, /read/)
})

test('a text file has 1 MiB', async () => {
  const sized = (bytes: number) => one('text/plain', Buffer.alloc(bytes, 'a').toString('base64'))
  assert.equal((await sized(1024 * 1024))?.type, 'file')
  await assert.rejects(sized(1024 * 1024 + 1), { code: 'too_large', param: 'attachments[0].data' })
})
