// Following one turn: its text goes through as it comes, and the subscription ends however the reading does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subscription } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import type { Turn } from '#core/turn.ts'
import { createQueue } from '#lib/queue.ts'
import { followTurn } from '#turns/watch.ts'
import { fake } from '../fake.ts'

const limit = 3

const text = (at: number, turnId = 'turn'): Event => ({ type: 'delta', turnId, itemId: 'item', offset: at, text: 'a' })
const end: Event = { type: 'turn', turn: fake<Turn>({ id: 'turn', status: 'completed' }) }

/** A follower of the turn, what publishes to it, and how often it closed its subscription. */
function followed() {
  const queue = createQueue<Event>(limit)
  const closed = { times: 0 }
  const subscription: Subscription = {
    partial: undefined,
    close() {
      closed.times++
      queue.close()
    },
    [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator](),
  }
  const read = () => Promise.resolve({ entries: [], more: false })
  return { follow: followTurn(subscription, { turnId: 'turn', after: 0, read }), queue, closed }
}

test('text before and after what belongs to another turn comes in order, up to the rest', async () => {
  const { follow, queue, closed } = followed()
  const all = Array.fromAsync(follow)
  for (const batch of [[text(0)], [text(0, 'other')], [text(1)], [end]]) {
    queue.push(batch)
    await new Promise(setImmediate)
  }
  assert.deepEqual(await all, [[text(0)], [text(1)], [end]])
  assert.ok(closed.times > 0)
  assert.equal(queue.push([text(2)]), false)
})

for (const [what, events] of [
  ['text', [text(0)]],
  ['the text of another turn', [text(0, 'other'), text(0)]],
] as const) {
  test(`a reader that stops after ${what} closes the subscription`, async () => {
    const { follow, queue, closed } = followed()
    queue.push(events)
    for await (const _ of follow) break
    assert.ok(closed.times > 0)
  })
}

for (const first of [[text(0)], [text(0, 'other'), text(0)]]) {
  test(`a reader that falls behind after ${JSON.stringify(first)} gets an error, and the subscription is closed`, async () => {
    const { follow, queue, closed } = followed()
    const reader = follow[Symbol.asyncIterator]()
    queue.push(first)
    assert.equal((await reader.next()).done, false)
    queue.push([text(1), text(2), text(3)])
    queue.push([text(4)])
    await assert.rejects(reader.next(), /fell 3 events behind/)
    assert.ok(closed.times > 0)
  })
}

test('a close from outside ends a reader that waits', async () => {
  const { follow, closed } = followed()
  const all = Array.fromAsync(follow)
  await new Promise(setImmediate)
  follow.close()
  assert.deepEqual(await all, [])
  assert.ok(closed.times > 0)
})
