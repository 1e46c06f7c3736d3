// Files that go with a message: what they are by their bytes, and how large they may be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { isPictureType, maxAttachments, maxTotalBytes, partOfFile, pictureType } from '#turns/attachments.ts'

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
  assert.deepEqual([maxAttachments, maxTotalBytes], [20, 10 * mib])
  const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
  assert.ok(types.every(isPictureType))
  assert.ok(!['image/svg+xml', 'text/plain', 'toString', ''].some(isPictureType))
})
