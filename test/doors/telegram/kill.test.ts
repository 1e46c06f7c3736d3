// A service that is killed while it talks with Telegram; `kill.long.test.ts` does it a hundred times.
import { test } from 'node:test'
import { killWhileChatting } from './kill.ts'

test('killed between two steps, no message is lost and none is answered twice', async () => {
  await killWhileChatting([0, 8, 10])
})
