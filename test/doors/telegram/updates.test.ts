// Updates of the Bot API as plain data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { albumStart, readUpdates, updateId } from '#doors/telegram/updates.ts'

const chat = { id: 7, type: 'private' }
const message = { message_id: 5, chat, date: 0 }
const photo = [
  { file_id: 'small', width: 90, height: 90 },
  { file_id: 'large', width: 800, height: 600, file_size: 9 },
]
const read = { type: 'message', ids: [1], chat: '7', message: '5', text: 'hi', files: [] }

const otherKinds =
  'voice audio video video_note sticker animation story paid_media checklist game location contact poll dice'.split(' ')

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
  [
    'a document without a name, and with its size',
    { message: { ...message, document: { file_id: 'd', file_size: 0 }, caption: 'hi' } },
    { ...read, files: [{ id: 'd', name: 'document', bytes: 0 }] },
  ],
  [
    'a document with a long name',
    { message: { ...message, document: { file_id: 'd', file_name: 'n'.repeat(201) } } },
    { ...read, text: '', files: [{ id: 'd', name: 'n'.repeat(200) }] },
  ],
  [
    'a photo whose largest size comes first, without a number of bytes',
    {
      message: {
        ...message,
        photo: [
          { file_id: 'wide', width: 800, height: 90 },
          { file_id: 'tall', width: 90, height: 600 },
        ],
      },
    },
    { ...read, text: '', files: [{ id: 'wide', name: 'photo.jpg' }] },
  ],
  ['a photo in no size', { message: { ...message, photo: [] } }, { ...read, text: '', unsupported: true }],
  [
    'an edited photo',
    { edited_message: { ...message, photo, caption: 'hi' } },
    { ...read, edited: true, files: [{ id: 'large', name: 'photo.jpg', bytes: 9 }] },
  ],
  [
    'a press without data',
    { callback_query: { id: 'q', message } },
    { type: 'press', ids: [1], chat: '7', message: '5', press: 'q', data: '' },
  ],
  [
    'a press in a group',
    { callback_query: { id: 'q', data: 'x', message: { ...message, chat: { id: -9, type: 'group' } } } },
    { type: 'ignored', ids: [1], chat: '-9' },
  ],
  ...otherKinds.map(
    (kind) => [kind, { message: { ...message, [kind]: {} } }, { ...read, text: '', unsupported: true }] as const,
  ),
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

test('an update is named by its id, whatever else it is', () => {
  assert.deepEqual([{ update_id: 0, message: 7 }, { update_id: 'x' }, null].map(updateId), [0, undefined, undefined])
})

const part = (chatId: number, group?: string) => ({
  update_id: 1,
  message: { ...message, chat: { id: chatId, type: 'private' }, ...(group !== undefined && { media_group_id: group }) },
})
const starts: readonly (readonly [what: string, batch: readonly object[], at: number | undefined])[] = [
  ['nothing', [], undefined],
  ['no album', [part(7)], undefined],
  ['an album at the end', [part(7), part(7, 'g'), part(7, 'g')], 1],
  ['an album from the start', [part(7, 'g')], 0],
  ['an album behind which its chat went on', [part(7, 'g'), part(7)], undefined],
  ['an album behind which another chat went on', [part(7, 'g'), part(8)], 0],
  ['two albums of one chat', [part(7, 'g'), part(7, 'h')], 1],
  ['albums of two chats under one name', [part(8), part(7, 'g'), part(8, 'g')], 1],
  ['an edit behind an album', [part(7, 'g'), { update_id: 2, edited_message: message }], 0],
]

for (const [what, batch, at] of starts) {
  test(`where an album begins that may go on: ${what}`, () => assert.equal(albumStart(batch), at))
}

test('an album of what is not served stays in parts, and one message between two parts comes behind', () => {
  const picture = (id: number) => ({ update_id: id, message: { ...message, photo, media_group_id: 'g' } })
  const all = readUpdates([picture(1), { update_id: 2, message: { ...message, text: 'hi' } }, picture(3)])
  assert.deepEqual(
    all.map(({ ids }) => ids),
    [[1, 3], [2]],
  )
  const pinned = (id: number) => ({ update_id: id, message: { ...message, media_group_id: 'g' } })
  assert.deepEqual(
    readUpdates([pinned(1), pinned(2)]).map(({ ids }) => ids),
    [[1], [2]],
  )
})
