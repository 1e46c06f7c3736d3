// The attachments of a message that is sent again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../bytes.ts'
import { filesIn } from '../../../web/lib/message-files.ts'

test('files, pictures and texts from outside are sent again, a PDF with its pages', () => {
  const pages = { all: 3, read: 1 }
  const files = filesIn([
    { type: 'text', text: 'mine' },
    { type: 'text', text: 'theirs', origin: 'mail' },
    { type: 'file', name: 'a.pdf', text: 'Hello', pages },
    { type: 'file', name: 'b.txt', text: 'Bye' },
    { type: 'image', url: 'data:image/png;base64,AAAA' },
  ])
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  assert.deepEqual(files, [
    { name: 'mail', media_type: 'text/plain', data: base64('theirs') },
    { name: 'a.pdf', media_type: 'text/plain', data: base64('Hello'), pages },
    { name: 'b.txt', media_type: 'text/plain', data: base64('Bye') },
    { name: 'picture-4', media_type: 'image/png', data: 'AAAA' },
  ])
})
