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
