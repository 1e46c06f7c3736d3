// Files of a draft: what can be sent, and why the rest cannot.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import './page.ts'
import { addFiles, filesWith, moveRefused, removeFile, takeFiles } from '../../../web/store/files.ts'

const kb = 1024
const mb = 1024 * kb
let drafts = 0
const newDraft = (): string => `draft ${++drafts}`
const text = (name: string, size = 3) => new File(['a'.repeat(size)], name, { type: 'text/plain' })
const beginnings = {
  'image/png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  'image/jpeg': [0xff, 0xd8, 0xff],
  'image/gif': [...Buffer.from('GIF89a')],
  'image/webp': [...Buffer.from('RIFF1234WEBP')],
  'application/pdf': [...Buffer.from('%PDF-')],
} as const
/** Bytes that begin as a file of this type does. */
const bytesOf = (type: keyof typeof beginnings, size: number = beginnings[type].length): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(size)
  bytes.set(beginnings[type])
  return bytes
}
const picture = (size: number) => new File([bytesOf('image/png', size)], 'p', { type: 'image/png' })
const refusals = (draft: string) => filesWith(draft).map(({ refused }) => refused)

test('a text file and a picture go with their names, types and bytes', async (t) => {
  const shown = new Set<string>()
  t.mock.method(URL, 'createObjectURL', () => {
    shown.add('blob:1')
    return 'blob:1'
  })
  t.mock.method(URL, 'revokeObjectURL', (url: string) => shown.delete(url))
  const draft = newDraft()
  await addFiles(draft, [text('a.txt'), picture(8), new File(['x'], '', { type: '' })])
  assert.deepEqual(
    filesWith(draft).map(({ name, size, url }) => [name, size, url]),
    [
      ['a.txt', 3, undefined],
      ['p', 8, 'blob:1'],
      ['pasted', 1, undefined],
    ],
  )
  assert.deepEqual(filesWith('another draft'), [])
  assert.deepEqual(takeFiles(draft), [
    { name: 'a.txt', media_type: 'text/plain', data: 'YWFh' },
    { name: 'p', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    { name: 'pasted', media_type: 'text/plain', data: 'eA==' },
  ])
  assert.deepEqual([filesWith(draft), shown.size], [[], 0], 'they are taken once, and the preview is freed')
})

test('a file is removed alone', async () => {
  const draft = newDraft()
  await addFiles(draft, [text('a'), text('b')])
  const [first] = filesWith(draft)
  removeFile(draft, first?.id ?? '')
  removeFile(draft, 'unknown')
  assert.deepEqual(
    filesWith(draft).map(({ name }) => name),
    ['b'],
  )
})

test('a PDF is sent as it is, up to 8 MB', async () => {
  const draft = newDraft()
  const pdf = (size: number) => new File([bytesOf('application/pdf', size)], 'a.pdf', { type: 'application/pdf' })
  await addFiles(draft, [pdf(8 * mb + 1), pdf(5)])
  assert.deepEqual(refusals(draft), ['A PDF has at most 8.0 MB', undefined])
  assert.deepEqual(takeFiles(draft), [{ name: 'a.pdf', media_type: 'application/pdf', data: 'JVBERi0=' }])
})

test('what no model can read stays with its reason, and is not sent', async () => {
  const draft = newDraft()
  await addFiles(draft, [
    text('empty', 0),
    new File([new Uint8Array([0xff, 0xfe])], 'binary'),
    new File(['a\0b'], 'with NUL'),
    new File([new Uint8Array([0xff])], 'p', { type: 'image/tiff' }),
    new File([new Uint8Array([0xff])], 'broken.svg', { type: 'image/svg+xml' }),
  ])
  assert.deepEqual(refusals(draft), [
    'The file is empty',
    'Only pictures, PDFs and text files can be read',
    'Only pictures, PDFs and text files can be read',
    'Pictures can be PNG, JPEG, GIF or WebP',
    'Pictures can be PNG, JPEG, GIF or WebP',
  ])
  await addFiles(draft, [text('a.txt')])
  assert.deepEqual(
    takeFiles(draft).map(({ name }) => name),
    ['a.txt'],
  )
  assert.deepEqual(
    filesWith(draft).map(({ name }) => name),
    ['empty', 'binary', 'with NUL', 'p', 'broken.svg'],
  )
  assert.deepEqual(takeFiles(draft), [])
})

test('what the browser cannot read, such as a folder, says so, and the files after it are attached', async () => {
  const folder = new File(['a'.repeat(3)], 'folder')
  folder.slice = () => Object.assign(new Blob([]), { arrayBuffer: () => Promise.reject(new Error('NotFoundError')) })
  const draft = newDraft()
  await addFiles(draft, [folder, text('a.txt')])
  assert.deepEqual(refusals(draft), ['It could not be read: it is a folder, or has changed since', undefined])
})

test('what was refused goes along from a new thread to the one that it becomes', async () => {
  const [draft, thread] = [newDraft(), newDraft()]
  await addFiles(draft, [text('empty', 0), text('next')])
  moveRefused(draft, thread)
  assert.deepEqual([refusals(thread), refusals(draft)], [['The file is empty'], [undefined]])
})

test('the bytes of a file decide its type, not its name or the type that it comes with', async () => {
  for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'] as const) {
    const draft = newDraft()
    const bytes = bytesOf(type)
    await addFiles(draft, [
      new File([bytes], 'right', { type }),
      new File([bytes], 'without'),
      new File([bytes], 'a.txt', { type: 'text/plain' }),
      new File([bytes], 'a.bmp', { type: 'image/bmp' }),
    ])
    assert.deepEqual(
      filesWith(draft).map(({ url }) => url !== undefined),
      filesWith(draft).map(() => type !== 'application/pdf'),
    )
    assert.deepEqual(
      takeFiles(draft).map(({ media_type }) => media_type),
      [type, type, type, type],
    )
  }
  const draft = newDraft()
  await addFiles(draft, [
    new File(['words'], 'a.png', { type: 'image/png' }),
    new File([new Uint8Array([0x89, 0x50])], 'b.png', { type: 'image/png' }),
    new File([new Uint8Array([0xff])], 'c.pdf', { type: 'application/pdf' }),
  ])
  assert.deepEqual(refusals(draft), [
    undefined,
    'Pictures can be PNG, JPEG, GIF or WebP',
    'Only pictures, PDFs and text files can be read',
  ])
  assert.deepEqual(
    takeFiles(draft).map(({ name, media_type }) => [name, media_type]),
    [['a.png', 'text/plain']],
  )
})

test('a text file has at most 1 MB, a picture 8 MB', async () => {
  for (const [file, refused] of [
    [text('a', mb), undefined],
    [text('a', mb + 1), 'A text file has at most 1.0 MB'],
    [new File(['aö'.repeat(mb / 2)], 'cut within a letter'), 'A text file has at most 1.0 MB'],
    [new File([new Uint8Array(2 * mb)], 'bytes'), 'Only pictures, PDFs and text files can be read'],
    [picture(8 * mb), undefined],
    [picture(8 * mb + 1), 'A picture has at most 8.0 MB'],
  ] as const) {
    const draft = newDraft()
    await addFiles(draft, [file])
    assert.deepEqual(refusals(draft), [refused])
  }
})

test('all files together have at most 10 MB; what is refused does not count', async () => {
  const draft = newDraft()
  await addFiles(draft, [picture(9 * mb), picture(8 * mb), picture(2 * mb), picture(8)])
  const reason = 'All files together take at most 10.0 MB'
  assert.deepEqual(refusals(draft), ['A picture has at most 8.0 MB', undefined, undefined, reason])
})

test('twenty files go with a message; what is refused does not count', async () => {
  const draft = newDraft()
  await addFiles(
    draft,
    Array.from({ length: 22 }, (_, at) => text(String(at), at)),
  )
  const reason = 'At most 20 files go with a message'
  assert.deepEqual(refusals(draft).slice(19), [undefined, undefined, reason])
})
