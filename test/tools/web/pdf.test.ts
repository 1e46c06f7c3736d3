// The text of a PDF, page by page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOfPdf, readPdf } from '#tools/web/pdf.ts'
import { pdfOf } from '../../pdf.ts'

const read = (text: string) => readPdf(new Uint8Array(Buffer.from(text, 'latin1')))

test('the texts of pages are read in order, with the title and the number of pages', async () => {
  const expected = { title: 'Tide table', pages: 3, texts: ['High water', '', 'Low water'] }
  assert.deepEqual(await read(pdfOf(['High water', '', 'Low water'])), expected)
})

test('of a long document the first 300 pages are read', async () => {
  const { pages, texts } = await read(pdfOf(Array.from({ length: 302 }, (_, at) => `page ${at}`)))
  assert.deepEqual([pages, texts.length, texts.at(-1)], [302, 300, 'page 299'])
})

test('a document with a password says so, and what is no PDF fails', async () => {
  await assert.rejects(read(pdfOf(['secret'], { locked: true })), { message: 'it is protected by a password' })
  await assert.rejects(read('%PDF-1.4\nnothing'))
})

test('as a page of the web it says what it lacks', () => {
  assert.deepEqual(pageOfPdf({ title: '', pages: 3, texts: ['a', 'b'] }), {
    title: '',
    text: '[page 1 of 3]\na\n\n[page 2 of 3]\nb\n\n[the PDF has 3 pages, the first 2 were read]',
  })
  assert.equal(pageOfPdf({ title: 'T', pages: 1, texts: [''] }).text, '(The PDF has no text: its pages are pictures.)')
})
