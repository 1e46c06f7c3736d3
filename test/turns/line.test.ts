// The line for a place: who may wait, who gets the next place, and how the line and the queue share places.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import { createLine } from '#turns/line.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'
import { eventsOf, message, openHouse, restOf, until } from './house.ts'

/** So many turns run at a time, until they are let go; `started` has the messages in the order in which they began to run. */
function openNarrow(t: TestContext, limit = 1) {
  const started: string[] = []
  const held: (() => void)[] = []
  const house = openHouse(t, {
    limit,
    reply(text) {
      started.push(text)
      const { promise, resolve } = Promise.withResolvers<void>()
      held.push(resolve)
      return async function* (_, signal) {
        signal.addEventListener('abort', () => resolve())
        await promise
        yield [{ type: 'text', text: 'done' }]
      }
    },
  })
  /** Ends the turn that began last; the next one begins. */
  const endTurn = async (): Promise<void> => {
    const count = started.length
    held[count - 1]?.()
    await until(() => started.length === count + 1)
  }
  const queue = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at++) {
      const { events } = await house.turns.start(message(`job ${at}`, { door: 'webhook' }))
      events.close()
    }
    await until(() => started.length === Math.min(count, limit))
  }
  return { ...house, started, endTurn, queue }
}

test('a user with 1,000 queued turns delays the message and the job of another by one turn each', async (t) => {
  const { turns, started, endTurn, queue } = openNarrow(t)
  await queue(1_000)
  const waiting = turns.start(message('hello', { user: bob }))
  const job = await turns.start(message('job of another', { user: userId('carl'), door: 'webhook' }))
  job.events.close()
  await endTurn()
  await endTurn()
  assert.deepEqual(started, ['job 0', 'hello', 'job of another'])
  assert.equal(restOf(await eventsOf((await waiting).events)), 'completed')
})

test('those who wait and those who are queued get places by turns', async (t) => {
  const { turns, started, endTurn, queue } = openNarrow(t)
  await queue(10)
  for (const name of ['b', 'c', 'd']) {
    const waiting = turns.start(message(name, { user: userId(name) }))
    await endTurn()
    // The place after the first one goes to the queue.
    if (name !== 'b') await endTurn()
    ;(await waiting).events.close()
  }
  assert.deepEqual(started, ['job 0', 'b', 'job 1', 'c', 'job 2', 'd'])
})

test('only the first turn of a user waits: with another in line or running, it is refused at once', async (t) => {
  const { turns, started, endTurn, queue } = openNarrow(t)
  await queue(1)
  assert.equal(turns.refusal(ada)?.retryAfterSecs, 2, 'runs a turn')
  assert.equal(turns.refusal(bob), undefined)
  const first = turns.start(message('one', { user: bob }))
  assert.equal(turns.refusal(bob)?.code, 'overloaded', 'is in line')
  await rejectsWith(turns.start(message('two', { user: bob })), 'overloaded')
  await endTurn()
  await rejectsWith(turns.start(message('two', { user: bob })), 'overloaded')
  assert.deepEqual(started, ['job 0', 'one'])
  ;(await first).events.close()
})

test('a place that a start does not use goes to the next in line', async (t) => {
  const { turns, started, endTurn, queue } = openNarrow(t, 4)
  await queue(4)
  const failing = rejectsWith(turns.start(message('lost', { user: bob, threadId: 'none' })), 'not_found')
  const next = turns.start(message('next', { user: userId('carl') }))
  await endTurn()
  await failing
  assert.equal(started.at(-1), 'next')
  ;(await next).events.close()
})

test('shutdown refuses those in line', async (t) => {
  const { turns, runner, queue } = openNarrow(t)
  await queue(1)
  const waiting = rejectsWith(turns.start(message('hello', { user: bob })), 'shutting_down')
  await runner.drain(0)
  await waiting
})

test('the line has room for half of the turns that may run, 500 at most, keeps its order, and gives up after 30 s', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let free = 0
  const line = createLine(() => line.given < free, 4_000)
  const entered: number[] = []
  const waits = Array.from({ length: 500 }, (_, at) => {
    const user = userId(`user ${at}`)
    assert.ok(line.takes(user))
    return line.wait(user).then(
      () => entered.push(at),
      (error: unknown) => (error instanceof AppError ? error.code : error),
    )
  })
  assert.equal(line.takes(userId('one more')), false)
  assert.equal(line.advance(), false)
  free = 2
  assert.equal(line.advance(), true)
  t.mock.timers.tick(30_000)
  const ends = await Promise.all(waits)
  assert.deepEqual(entered, [0, 1])
  assert.ok(ends.slice(2).every((end) => end === 'overloaded'))
  assert.ok(line.takes(userId('one more')))
  const short = createLine(() => false, 3)
  const refused = short.wait(ada).catch(() => {})
  assert.equal(short.takes(bob), false)
  short.close(new AppError('shutting_down', 'over'))
  await refused
})
