// Updates of the Bot API as plain data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUpdates } from '#doors/telegram/updates.ts'

const chat = { id: 7, type: 'private' }
const message = { message_id: 5, chat, date: 0 }
const photo = [
  { file_id: 'small', width: 90, height: 90 },
  { file_id: 'large', width: 800, height: 600, file_size: 9 },
]
const read = { type: 'message', ids: [1], chat: '7', message: '5', text: 'hi', files: [] }

const cases: readonly (readonly [what: string, update: object, incoming: object])[] = [
  ['a text', { message: { ...message, text: 'hi' } }, read],
  ['an edit', { edited_message: { ...message, text: 'hi' } }, { ...read, edited: true }],
  [
    'a photo in its largest size',
    { message: { ...message, photo, caption: 'hi' } },
    { ...read, files: [{ id: 'large', name: 'photo.jpg', bytes: 9 }] },
  ],
  [
    'a document',
    { message: { ...message, document: { file_id: 'd', file_name: 'a.txt' } } },
    { ...read, text: '', files: [{ id: 'd', name: 'a.txt' }] },
  ],
  ['a voice message', { message: { ...message, voice: { file_id: 'v' } } }, { ...read, text: '', unsupported: true }],
  [
    'a press',
    { callback_query: { id: 'q', data: 'x', message } },
    { type: 'press', ids: [1], chat: '7', message: '5', press: 'q', data: 'x' },
  ],
  ['a press without its message', { callback_query: { id: 'q', data: 'x' } }, { type: 'ignored', ids: [1] }],
  [
    'a group',
    { message: { ...message, chat: { id: -9, type: 'supergroup' }, text: 'hi' } },
    { type: 'ignored', ids: [1], chat: '-9' },
  ],
  ['a pinned message', { message: { ...message, pinned_message: message } }, { type: 'ignored', ids: [1], chat: '7' }],
  ['another kind', { poll: {} }, { type: 'ignored', ids: [1] }],
  ['what cannot be read', { message: { text: 7 } }, { type: 'ignored', ids: [1] }],
]

for (const [what, update, incoming] of cases) {
  test(`an update is read: ${what}`, () => assert.deepEqual(readUpdates([{ update_id: 1, ...update }]), [incoming]))
}

test('what is no update at all is left out', () =>
  assert.deepEqual(readUpdates([null, {}, 'x', { update_id: 'y' }]), []))

test('the pictures of an album are one message; those of two chats are two', () => {
  const album = (id: number, more: object = {}) => ({
    update_id: id,
    message: { ...message, message_id: id, photo, media_group_id: 'g', ...more },
  })
  const all = readUpdates([album(1), album(2, { caption: 'both' }), album(3, { chat: { id: 8, type: 'private' } })])
  assert.deepEqual(
    all.map((each) => (each.type === 'message' ? [each.ids, each.text, each.files.length] : [])),
    [
      [[1, 2], 'both', 2],
      [[3], '', 1],
    ],
  )
})
