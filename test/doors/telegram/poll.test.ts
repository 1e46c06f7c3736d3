// Long polls of Telegram's updates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { silentLog } from '#lib/log.ts'
import { update } from './scripted-bot.ts'

const token = '4711:AAE-a-token-for-the-tests-of-atrium'
const picture = (id: number, chat = 7) => ({
  update_id: id,
  message: {
    message_id: id,
    chat: { id: chat, type: 'private' },
    media_group_id: 'g',
    photo: [{ file_id: `p${id}`, width: 1, height: 1 }],
  },
})
const words = (id: number, chat = 7) => ({
  update_id: id,
  message: { message_id: id, chat: { id: chat, type: 'private' }, text: 'hi' },
})

/** Polls until so many updates were taken; `answer` gives the updates for an offset and a limit. */
async function take(count: number, answer: (offset: number, limit: number) => readonly object[]) {
  const api = createBotApi({
    api: 'http://127.0.0.1:1/',
    token,
    send({ body }) {
      const { limit, offset = 1 } = JSON.parse(body?.toString() ?? '') as { limit: number; offset?: number }
      const result = answer(offset, limit)
      return Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify({ ok: true, result })) })
    },
  })
  const stop = new AbortController()
  const taken: (readonly number[])[] = []
  for await (const batch of createTelegramChannel({ api, log: silentLog }).updates(stop.signal)) {
    taken.push(...batch.map(({ ids }) => ids))
    if (taken.flat().length >= count) stop.abort()
  }
  return taken
}

test('an album that comes in two answers is one message, also beside other chats', async () => {
  const all = [words(1), picture(2), words(3, 8), picture(4), picture(5), words(6)]
  let known = 3
  const taken = await take(6, (offset) => {
    const given = all.slice(offset - 1, known)
    known = all.length
    return given
  })
  assert.deepEqual(taken, [[1], [2, 4, 5], [3], [6]])
})

test('an album at the end of a full answer is taken with the next', async () => {
  const all = [...Array.from({ length: 98 }, (_, at) => words(at + 1)), picture(99), picture(100), picture(101)]
  const taken = await take(101, (offset, limit) => all.slice(offset - 1, offset - 1 + limit))
  assert.deepEqual(taken.at(-1), [99, 100, 101])
})

test('a send whose answer is lost is tried once more when Telegram answers again, then refused', async () => {
  const asked: string[] = []
  const api = createBotApi({
    api: 'http://127.0.0.1:1/',
    token,
    send({ url }) {
      const method = url.slice(url.lastIndexOf('/') + 1)
      asked.push(method)
      // Telegram is away for a while.
      const answers = method === 'getMe' && asked.length > 2
      const me = Buffer.from('{"ok":true,"result":{"id":1}}')
      return Promise.resolve(answers ? { status: 200, body: me } : { fault: 'the connection broke', sent: true })
    },
  })
  const channel = createTelegramChannel({ api, log: silentLog })
  const { signal } = new AbortController()
  const refused = { type: 'refused', why: 'it is not known whether it arrived: the connection broke' }
  assert.deepEqual(await channel.send('7', { type: 'plain', text: 'x' }, { signal }), refused)
  assert.deepEqual(asked.splice(0), ['sendMessage', 'getMe', 'getMe', 'sendMessage'])
  asked.push('', '')
  assert.deepEqual(await channel.send('7', { type: 'file', name: 'a.txt', text: 'x' }, { signal }), refused)
  assert.deepEqual(asked.slice(2), ['sendDocument', 'getMe', 'sendDocument'])
})

const manyValues = Buffer.from(
  JSON.stringify({ ok: true, result: Array.from({ length: 99 }, () => Array(2_100).fill(0)) }),
)
const unread = [
  ['bytes', { fault: 'too large', sent: true, tooLarge: true }],
  ['values', { status: 200, body: manyValues }],
] as const

for (const [what, answer] of unread) {
  test(`updates that have too many ${what} together are asked for in smaller parts`, async () => {
    const limits: number[] = []
    const api = createBotApi({
      api: 'http://127.0.0.1:1/',
      token,
      send({ body }) {
        const { limit, offset = 1 } = JSON.parse(body?.toString() ?? '') as { limit: number; offset?: number }
        limits.push(limit)
        if (limit > 1 && offset === 1) return Promise.resolve(answer)
        return Promise.resolve({
          status: 200,
          body: Buffer.from(JSON.stringify({ ok: true, result: [update(offset)] })),
        })
      },
    })
    const stop = new AbortController()
    const ids: number[] = []
    for await (const batch of createTelegramChannel({ api, log: silentLog }).updates(stop.signal)) {
      ids.push(...batch.flatMap((incoming) => incoming.ids))
      if (ids.length === 2) stop.abort()
    }
    assert.deepEqual(
      [limits, ids],
      [
        [100, 50, 25, 12, 6, 3, 1, 100],
        [1, 2],
      ],
    )
  })
}
