// What is taken from a chat, over a store that notes its effects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEffect } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import { joinAlbum } from '#doors/channel/album.ts'
import type { IncomingMessage } from '#doors/channel/channel.ts'
import { maxFilesMs, takeMessage, type TakeParts } from '#doors/channel/take-message.ts'
import { fake } from '../../fake.ts'

const chat = { channel: 'telegram', chat: '7', user: operator } as const
const updates = { channel: 'telegram', account: '1', ids: [1] } as const
const sent: IncomingMessage = { type: 'message', ids: [1], chat: '7', message: '5', text: '', files: [] }

async function effectsOf(
  message: IncomingMessage,
  over: Partial<TakeParts> = {},
  leftMs = maxFilesMs,
): Promise<ChatEffect[]> {
  const effects: ChatEffect[] = []
  const store = fake<TakeParts['store']>({
    taken: () => Promise.resolve(false),
    answerTo: () => Promise.resolve(undefined),
    takeEffect: (_updates: unknown, _chat: unknown, effect: ChatEffect) => Promise.resolve(effects.push(effect) > 0),
  })
  const parts = { store, ...over } as TakeParts
  await takeMessage(parts, {
    updates: { ...updates, ids: message.ids },
    chat,
    message,
    signal: new AbortController().signal,
    filesTime: { leftMs },
  })
  return effects
}

const cases: readonly (readonly [what: string, over: Partial<IncomingMessage>, effect: ChatEffect])[] = [
  ['a location', { unsupported: true }, { note: 'Only text, photos, PDFs and text files are understood here.' }],
  ['a location that moves', { unsupported: true, edited: true }, {}],
  [
    'an edit behind the answer',
    { edited: true, text: 'hi' },
    { note: 'Your edit came too late: that message is done. Send a new one.' },
  ],
]

for (const [what, over, effect] of cases) {
  test(`a message is taken: ${what}`, async () => assert.deepEqual(await effectsOf({ ...sent, ...over }), [effect]))
}

test('files that take too long are given up, and that is said', async () => {
  const channel = fake<TakeParts['channel']>({
    fetchFile: (_file: unknown, _maxBytes: number, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      }),
  })
  const message = { ...sent, files: [{ id: 'f', name: 'slow.txt' }] }
  assert.deepEqual(await effectsOf(message, { channel }, 1), [
    { note: 'This message was not taken: slow.txt could not be fetched: it took too long' },
  ])
})

test('of an album that was taken in part, the rest is taken', async () => {
  const taken: (readonly number[])[] = []
  const fetched: string[] = []
  const picture = (id: number): IncomingMessage => ({
    ...sent,
    ids: [id],
    files: [{ id: `f${id}`, name: 'photo.jpg' }],
  })
  const store = fake<TakeParts['store']>({
    taken: ({ ids }: { ids: readonly number[] }) => Promise.resolve(ids.includes(1)),
    takeEffect: ({ ids }: { ids: readonly number[] }) => Promise.resolve(taken.push(ids) > 0),
  })
  const channel = fake<TakeParts['channel']>({
    fetchFile({ id }: { id: string }) {
      fetched.push(id)
      return Promise.resolve(fetched.length < 2 ? Buffer.from('text') : { fault: 'enough' })
    },
  })
  await effectsOf([1, 2, 3].map(picture).reduce(joinAlbum), { store, channel })
  assert.deepEqual([fetched, taken], [['f2', 'f3'], [[2, 3]]])
  await effectsOf(picture(1), { store, channel })
  assert.equal(taken.length, 1)
})
