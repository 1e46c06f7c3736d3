// A service that is killed at a hundred steps of its talk with Telegram.
import { test } from 'node:test'
import { killWhileChatting } from './kill.ts'

test('killed at a hundred steps, no message is lost and none is answered twice', async (t) => {
  const placeholders = await killWhileChatting(Array.from({ length: 100 }, (_, at) => at + 1))
  t.diagnostic(`${placeholders} placeholders were left over`)
})
