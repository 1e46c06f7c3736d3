// Following a user's lists: each change of a turn or thread is told by its ids, to that user's followers alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListChange, ListChanges } from '#core/bus.ts'
import { operator, userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { ada, bob } from '../store/harness.ts'
import { eventsOf, message, openHouse, restOf, turnOver } from './house.ts'

/** What a follower has heard since it was last asked. */
function hear(changes: ListChanges) {
  let heard: ListChange[] = []
  const over = (async () => {
    for await (const batch of changes) heard.push(...batch)
  })()
  return {
    async since(): Promise<ListChange[]> {
      await turnOver()
      const now = heard
      heard = []
      return now
    },
    over,
  }
}

test('a start, a gate, an answer, an end and a removal are told to whoever follows the lists of their user', async (t) => {
  const { turns, threads, gates } = openHouse(t, {
    reply: (_, { items }) => (items.at(-1)?.type === 'result' ? ['done'] : [{ name: 'write' }]),
  })
  const [mine, theirs] = [turns.changes(ada), turns.changes(bob)]
  const [own, other] = [hear(mine), hear(theirs)]
  const { turn, events } = await turns.start(message('hi'))
  const change = { threadId: turn.threadId, turnId: turn.id }
  assert.deepEqual((await own.since())[0], change, 'it is there')
  const gate = (await eventsOf(events)).flatMap((event) => (event.type === 'entries' ? event.entries : []))
  const callId = gate.flatMap(({ item }) => (item.type === 'gate' ? [item.callId] : []))[0] ?? ''
  await own.since()
  const waiting = await turns.get(ada, turn.id)
  assert.ok(waiting)
  const follow = turns.follow(ada, waiting)
  await gates.answer(ada, turn.threadId, { callId, decision: 'allow', by: 'ada' })
  for await (const batch of follow)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  const told = await own.since()
  assert.ok(told.length >= 3, 'answered, running again, done')
  assert.ok(told.every((each) => each.turnId === turn.id))
  await turns.remove(ada, turn.id)
  assert.deepEqual(await own.since(), [{ turnId: turn.id }])
  await threads.remove(ada, turn.threadId)
  assert.deepEqual(await own.since(), [{ threadId: turn.threadId }])
  assert.deepEqual(await other.since(), [])
  mine.close()
  theirs.close()
  await Promise.all([own.over, other.over])
})

test("the operator's lists have what the channel made", async (t) => {
  const { turns } = openHouse(t)
  const changes = turns.changes(operator)
  const followed = hear(changes)
  const { turn, events } = await turns.start(message('hi', { user: userId('webhook:bot'), door: 'webhook' }))
  assert.equal(restOf(await eventsOf(events)), 'completed')
  assert.deepEqual(await followed.since(), [
    { threadId: turn.threadId, turnId: turn.id },
    { threadId: turn.threadId, turnId: turn.id },
  ])
  changes.close()
  await followed.over
})

test('the removal of an item is told: the thread may have lost its title with it', async (t) => {
  const { turns, threads } = openHouse(t)
  const { id } = await threads.create(ada, { door: 'web', items: [], metadata: {} })
  const [entry] = await threads.addItems(ada, id, [textMessage('user', 'hi')])
  const changes = turns.changes(ada)
  const own = hear(changes)
  await threads.removeItem(ada, id, entry?.id ?? '')
  assert.deepEqual(await own.since(), [{ threadId: id }])
  changes.close()
  await own.over
})
