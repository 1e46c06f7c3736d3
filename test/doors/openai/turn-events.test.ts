// Joining a turn that is over: what is stored of it, read for one reader after the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { attach } from '#doors/openai/turn-events.ts'
import type { Turns } from '#turns/turns.ts'
import { fake } from '../../fake.ts'

test('readers of a turn that is over read it in turns of the event loop of their own', async () => {
  const user = userId('ann')
  const turn: Turn = {
    id: 't',
    threadId: 'h',
    userId: user,
    door: 'responses',
    status: 'completed',
    options: {},
    createdAt: 0,
    usage: noUsage,
  }
  let loops = 0
  const reads: number[] = []
  const turns = fake<Turns>({
    follow: () => ({ close() {}, async *[Symbol.asyncIterator]() {} }),
    get: () => Promise.resolve(turn),
    entries: () => Promise.resolve((reads.push(loops), [])),
  })
  let over = false
  const all = Promise.all(Array.from({ length: 10 }, () => attach(turns, user, turn))).finally(() => (over = true))
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve))
    loops++
  }
  await all
  assert.equal(new Set(reads).size, 10)
})
