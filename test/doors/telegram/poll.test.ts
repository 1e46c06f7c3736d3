// Long polls of Telegram's updates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { silentLog } from '#lib/log.ts'

test('updates that are too large together are asked for in smaller parts', async () => {
  const limits: number[] = []
  const update = (id: number) => ({
    update_id: id,
    message: { message_id: id, chat: { id: 7, type: 'private' }, text: 'hi' },
  })
  const api = createBotApi({
    api: 'http://127.0.0.1:1/',
    token: '4711:AAE-a-token-for-the-tests-of-atrium',
    send({ body }) {
      const { limit, offset = 1 } = JSON.parse(body?.toString() ?? '') as { limit: number; offset?: number }
      limits.push(limit)
      if (limit > 1 && offset === 1) return Promise.resolve({ fault: 'too large', sent: true, tooLarge: true })
      return Promise.resolve({ status: 200, body: Buffer.from(JSON.stringify({ ok: true, result: [update(offset)] })) })
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
