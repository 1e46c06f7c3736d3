// Files that go with a message: what they are by their bytes, and how large they may be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { maxAttachedBytes, maxAttachments } from '#core/page-limits.ts'
import { isPictureType, pagesWithin, partOfFile, partOfPdf, pictureType } from '#turns/attachments.ts'

const mib = 1024 * 1024
const png = '\x89PNG\r\n\x1a\n'
const filled = (head: string, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(bytes - head.length, 0x61)])

const files: readonly [what: string, bytes: Buffer, taken: string][] = [
  ['a text', Buffer.from('hällo'), 'file'],
  ['nothing', Buffer.from(''), 'invalid_input'],
  ['a byte', Buffer.from('a'), 'file'],
  ['the longest text', filled('', mib), 'file'],
  ['a longer text', filled('', mib + 1), 'too_large'],
  ['the largest picture', filled(png, 8 * mib), 'image/png'],
  ['a larger picture', filled(png, 8 * mib + 1), 'too_large'],
  ['a JPEG', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'image/jpeg'],
  ['the first GIF', Buffer.from('GIF87a...'), 'image/gif'],
  ['a GIF', Buffer.from('GIF89a...'), 'image/gif'],
  ['what is nearly a GIF', Buffer.from('GIF88a...'), 'file'],
  ['a WebP', Buffer.from('RIFF\n\r\0\x01WEBPVP8 ', 'latin1'), 'image/webp'],
  ['another RIFF', Buffer.from('RIFF\x01\x02\x03\x04WAVE', 'latin1'), 'file'],
  ['bytes with a NUL', Buffer.from('a\0b'), 'invalid_input'],
  ['bytes that are no UTF-8', Buffer.from([0xc3, 0x28]), 'invalid_input'],
]
for (const [what, bytes, expected] of files) {
  test(`${what} is ${expected}`, () => {
    const taken = (): string => {
      try {
        const part = partOfFile('a', bytes)
        return part.type === 'image' ? (/^data:([^;]+);base64,/.exec(part.url)?.[1] ?? '') : part.type
      } catch (error) {
        return (error as AppError).code
      }
    }
    assert.equal(taken(), expected)
    assert.equal(pictureType(bytes) !== undefined, expected.startsWith('image/') || what === 'a larger picture')
  })
}

test('a file that is too large is named with its size and the limit of its kind', () => {
  const text = { message: 'a.txt has 1048577 bytes, a text file has at most 1048576' }
  const picture = { message: 'a.png has 8388609 bytes, a picture has at most 8388608' }
  assert.throws(() => partOfFile('a.txt', filled('', mib + 1)), text)
  assert.throws(() => partOfFile('a.png', filled(png, 8 * mib + 1)), picture)
})

test('a message has 20 files of 10 MiB together; four kinds of pictures are known', () => {
  assert.deepEqual([maxAttachments, maxAttachedBytes], [20, 10 * mib])
  const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
  assert.ok(types.every(isPictureType))
  assert.ok(!['image/svg+xml', 'text/plain', 'toString', ''].some(isPictureType))
})

test('of a PDF the first pages that fit are kept, and it says how many there are', () => {
  const pages = (all: number, ...texts: string[]) => ({ title: '', pages: all, texts })
  assert.deepEqual(pagesWithin(pages(2, 'a', 'b'), 99), {
    text: '[page 1 of 2]\na\n\n[page 2 of 2]\nb',
    pages: { all: 2, read: 2 },
  })
  assert.deepEqual(pagesWithin(pages(12, 'a', 'x'.repeat(50)), 200), {
    text: '[page 1 of 12]\na\n\n[the PDF has 12 pages, the first 1 are here]',
    pages: { all: 12, read: 1 },
  })
})

test('a page of a PDF that is too long is cut at a character, and it says so', () => {
  const long = pagesWithin({ title: '', pages: 1, texts: ['€'.repeat(mib)] }, mib)
  assert.match(long.text, /^\[page 1 of 1\]\n€+\n\n\[page 1 is too long: only its beginning is here\]$/)
  assert.deepEqual(long.pages, { all: 1, read: 1 })
  const first = pagesWithin({ title: '', pages: 9, texts: ['x'.repeat(999), 'y'] }, 500)
  assert.match(first.text, /xx\n\n\[page 1 is too long: .*\]\n\n\[the PDF has 9 pages, the first 1 are here\]$/)
})

test('the text of a PDF and what it says behind it stay within the bound, so that it can be sent again', () => {
  for (const length of [1, 99, 440, 447, 448, 449, 460, 485, 500, 2_000]) {
    for (const all of [1, 2, 300, 99_999]) {
      for (const texts of [['x'.repeat(length)], ['x'.repeat(length), '€'.repeat(20)]]) {
        const { text } = pagesWithin({ title: '', pages: Math.max(all, texts.length), texts }, 500)
        assert.ok(Buffer.byteLength(text) <= 500, `${length} ${all} ${texts.length}`)
        assert.ok(Buffer.byteLength(text) > Math.min(length, 300), 'as much as there is room for')
      }
    }
  }
})

test('a PDF that cannot be read is refused with the way out', async () => {
  const read = (texts: readonly string[] | Error, bytes = 9) =>
    partOfPdf(
      { name: 'a.pdf', bytes: new Uint8Array(bytes), param: 'attachments' },
      () => (texts instanceof Error ? Promise.reject(texts) : Promise.resolve({ title: '', pages: 2, texts })),
      AbortSignal.timeout(60_000),
    )
  const part = await read(['a', ''])
  assert.deepEqual(part, {
    type: 'file',
    name: 'a.pdf',
    text: '[page 1 of 2]\na\n\n[page 2 of 2]\n',
    pages: { all: 2, read: 2 },
  })
  await assert.rejects(read(['', '']), {
    code: 'invalid_input',
    message: /^a\.pdf is a PDF without text: .* as png or jpeg/,
  })
  await assert.rejects(read(new Error('it is protected by a password')), {
    code: 'invalid_input',
    message: /cannot be read: it is protected by a password\. Attach a copy without a password, or its text$/,
  })
  await assert.rejects(read(['a'], 8 * mib + 1), { code: 'too_large' })
})

test('a PDF that nobody had time for is not to blame', async () => {
  const read = (fault: Error, signal = new AbortController().signal) =>
    partOfPdf({ name: 'a.pdf', bytes: new Uint8Array(9), param: 'attachments' }, () => Promise.reject(fault), signal)
  const stopped = new AppError('tool_refused', 'it took too long and was stopped')
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  await assert.rejects(read(stopped, late), {
    code: 'overloaded',
    message: /^a\.pdf was not read in time: .*try again/,
  })
  await assert.rejects(read(stopped), { code: 'invalid_input' })
  const full = new AppError('overloaded', 'too many wait')
  await assert.rejects(read(full), full)
  const down = new AppError('shutting_down', 'the service is going down')
  await assert.rejects(read(stopped, AbortSignal.abort(down)), down)
})
