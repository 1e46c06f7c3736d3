// Messages that did not arrive, or may not have: what is tried again, how often, and what is given up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../turns/house.ts'
import { sendBy } from '#reach/sender.ts'
import { ada } from '../store/harness.ts'
import { topic } from '../store/ntfy-topic.ts'
import { openReachHouse } from './reach-house.ts'

const hour = 3_600_000

test('a failed try is repeated with growing waits, ten times at most', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  house.outcomes.push(...Array.from({ length: 10 }, () => ({ type: 'later', why: 'busy' }) as const))
  await house.put('a')
  await house.pass(0)
  await house.pass(999)
  assert.equal(house.sent.length, 1)
  await house.pass(1)
  assert.equal(house.sent.length, 2)
  for (let each = 0; each < 10; each++) await house.pass(600_000)
  assert.equal(house.sent.length, 10)
  const [entry] = (await house.store.notifications.outbox(ada, { limit: 1 })).rows
  assert.deepEqual([entry?.state, entry?.tries, entry?.error], ['failed', 10, 'busy'])
})

test('a pause that the other side asks for holds everything on its way, and no other', async (t) => {
  const house = openReachHouse(t)
  const slow = await house.addWay()
  house.outcomes.push({ type: 'later', why: 'slow down', retryAfterMs: 120_000 })
  await house.put('a')
  await house.pass(0)
  await house.put('b')
  await house.pass(0)
  assert.equal(house.sent.length, 1 + 0, 'b waits with a')
  await house.addWay({ target: 'https://two.test/x' })
  await house.put('c')
  await house.pass(60_000)
  assert.equal(house.sent.filter(({ way }) => way.id !== slow.id).length, 1)
  await house.pass(60_000)
  assert.deepEqual(await house.states(), ['sent 2', 'sent 1', 'sent 1', 'sent 1'])
})

test('a way that is gone is removed and told; one that refuses stays', async (t) => {
  const house = openReachHouse(t)
  const way = await house.addWay()
  house.outcomes.push({ type: 'refused', why: 'no' }, { type: 'gone', why: 'the server answered 410' })
  await house.put('a')
  await house.pass(0)
  await house.put('b')
  await house.put('c')
  const { mock: changes } = t.mock.method(house.bus, 'publishChange')
  await house.pass(0)
  const { notifications } = house.store
  await until(() => changes.callCount() === 1)
  assert.deepEqual(changes.calls[0]?.arguments, [{ userId: ada }, {}], 'the page reads its ways again')
  assert.deepEqual(await notifications.ways(ada), [])
  assert.deepEqual(
    (await notifications.goneWays(ada)).map(({ id, because }) => [id, because]),
    [[way.id, 'the server answered 410']],
  )
  assert.deepEqual(
    (await house.states()).map((each) => each.split(' ')[0]),
    ['failed', 'failed', 'failed'],
  )
})

test('a send that broke behind the request is unknown and sent once more', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  const broken = { type: 'unknown', why: 'cut' } as const
  house.outcomes.push(broken, broken, broken)
  await house.put('a')
  await house.pass(0)
  assert.deepEqual(await house.states(), ['unknown 1'])
  for (let each = 0; each < 5; each++) await house.pass(hour)
  assert.deepEqual([house.sent.length, await house.states()], [2, ['unknown 2']])
})

test('what another process left in mid-send is sent once more by the next', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  await house.put('a')
  const { notifications } = house.store
  const [entry] = await notifications.due(house.clock.now, 1)
  await notifications.claim([entry?.id ?? ''], 'killed')
  house.sender.start()
  await house.pass(0)
  assert.deepEqual([house.sent.length, await house.states()], [1, ['sent 2']])
})

test('a message whose outcome could not be stored is sent once more', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  await house.put('a')
  const full = (): Promise<never> => Promise.reject(new Error('the disk is full'))
  t.mock.method(house.store.notifications, 'settle', full, { times: 1 })
  house.sender.start()
  await house.pass(0)
  assert.deepEqual([house.sent.length, await house.states()], [2, ['sent 2']])
})

test('a way that throws counts as unknown, and a kind that is not connected is tried later', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  house.outcomes.push(() => Promise.reject(new Error('bug')))
  await house.put('a')
  await house.pass(0)
  assert.deepEqual(await house.states(), ['unknown 1'])
  await house.addWay({ kind: 'telegram', target: 'chat' })
  await house.put('b')
  await house.pass(0)
  const { rows } = await house.store.notifications.outbox(ada, { limit: 1 })
  assert.deepEqual([rows[0]?.state, rows[0]?.error], ['due', 'telegram is not connected'])
})

test('a way that cannot be served is tried again later, and not in every look', async (t) => {
  const house = openReachHouse(t, { idle: true })
  await house.addWay()
  await house.put('a')
  const broken = (): Promise<never> => Promise.reject(new Error('a bug'))
  t.mock.method(house.store.notifications, 'quiet', broken, { times: 1 })
  house.sender.start()
  await house.pass(0)
  assert.deepEqual([house.sent.length, await house.states()], [0, ['due 0']])
  await house.pass(5_000)
  assert.deepEqual([house.sent.length, await house.states()], [1, ['sent 1']])
})

test('a way whose target cannot be opened any more is gone', async () => {
  const way = { ...topic, id: 'w', userId: ada, createdAt: 0, target: '' }
  const outcome = await sendBy({}, way, { type: 'test' }, AbortSignal.timeout(60_000))
  assert.equal(outcome.type, 'gone')
})

test('a shutdown cuts off what is on its way, which is then unknown', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  house.outcomes.push(
    (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ type: 'unknown', why: 'cut' }), { once: true })
      }),
  )
  await house.put('a')
  await until(() => house.sent.length === 1)
  await house.sender.close()
  assert.deepEqual(await house.states(), ['unknown 1'])
})

test('what was put off by a clock that was ahead is tried once it is set back', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  await house.pass(365 * 24 * hour)
  house.outcomes.push({ type: 'later', why: 'busy' })
  await house.put('a')
  await house.pass(0)
  assert.deepEqual(await house.states(), ['due 1'])
  await house.pass(-365 * 24 * hour)
  assert.deepEqual(await house.states(), ['sent 2'])
  await house.put('b')
  await house.pass(0)
  assert.deepEqual(await house.states(), ['sent 2', 'sent 1'])
})

test('so is what an earlier process has put off', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const { notifications } = house.store
  const way = await house.addWay()
  await house.put('a')
  await notifications.pauseWay(way.id, house.clock.now + 365 * 24 * hour)
  house.sender.start()
  await house.pass(0)
  await until(() => house.sent.length === 1)
})

test('a start, or a clock that is put right by a minute, ends no pause that the other side asked for', async (t) => {
  const house = openReachHouse(t, { idle: true })
  const { notifications } = house.store
  const way = await house.addWay()
  await house.put('a')
  const until = house.clock.now + 24 * hour
  await notifications.pauseWay(way.id, until)
  house.sender.start()
  await house.pass(0)
  await house.pass(-60_000)
  assert.deepEqual([house.sent.length, await notifications.nextDue()], [0, until])
})
