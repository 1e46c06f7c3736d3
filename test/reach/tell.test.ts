// News of real turns, gates and missions, from the turn to the message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { Mission, MissionChange, SettledMission } from '#core/mission.ts'
import { newsOfMission } from '#reach/events.ts'
import type { Script } from '../agent/tools.ts'
import { ada, bob } from '../store/harness.ts'
import { eventsOf, message, until } from '../turns/house.ts'
import { openReachHouse, type ReachHouse } from './reach-house.ts'

const hourMs = 3_600_000
const callWrite = { name: 'write', args: '{"secret":"hunter2"}' }
/** The model asks for a call that needs an approval, and then says what became of it. */
const asks = {
  reply: (_: string, { items }: { items: readonly { type: string }[] }) => {
    return items.some(({ type }) => type === 'result') ? ['Done, with hunter2.'] : [callWrite]
  },
}

// oxlint-disable-next-line require-yield
const broken: Script = async function* () {
  throw new AppError('model_failed', 'the model is broken')
}

async function run(house: ReachHouse, text: string) {
  const { turn, events } = await house.turns.start(message(text))
  await eventsOf(events)
  return turn
}

test('a gate is news with the title of its thread, and its words only where the way has them', async (t) => {
  const house = openReachHouse(t, asks)
  await house.addWay()
  await house.addWay({ target: 'https://two.test/x', content: true })
  const { threadId, id } = await run(house, 'Plan my hunter2 holiday')
  await until(() => house.sent.length === 2)
  const [bare, full] = house.sent.toSorted((a, b) => Number(a.way.content) - Number(b.way.content))
  const news = { event: 'needs_you', title: 'Plan my *** holiday', threadId, turnId: id, waitsFor: 'approval' }
  assert.deepEqual(bare?.message, { type: 'news', news })
  assert.ok(full?.message.type === 'news' && full.message.news.content)
  assert.match(full.message.news.content.text, /^Run write\?/)
  assert.equal(full.message.news.content.gate?.name, 'write')
})

test('a gate that was answered before its message went out is told to nobody', async (t) => {
  const house = openReachHouse(t, { ...asks, idle: true })
  await house.addWay()
  const { threadId } = await run(house, 'hello')
  await house.teller.close()
  assert.deepEqual(await house.states(), ['due 0'])
  const [open] = await house.store.turns.openGates(ada, { threadId, limit: 1 })
  await house.gates.answer(ada, threadId, { callId: open?.gate.callId ?? '', decision: 'deny', by: 'ada' })
  house.sender.start()
  await house.pass(0)
  assert.deepEqual([house.sent, await house.states()], [[], []])
})

test('a long turn that ended and one that failed are news; a short one is none', async (t) => {
  const house = openReachHouse(t, {
    reply: (text) => {
      if (text === 'long') house.clock.now += 60_001
      return text === 'broken' ? broken : ['said hunter2']
    },
  })
  await house.addWay({ content: true })
  await run(house, 'short')
  await run(house, 'long')
  await until(() => house.sent.length === 1)
  await run(house, 'broken')
  await until(() => house.sent.length === 2)
  const told = house.sent.map((each) => each.message.type === 'news' && each.message.news)
  assert.deepEqual(
    told.map((news) => news && [news.event, news.title, news.content?.text]),
    [
      ['finished', 'long', 'said ***'],
      ['failed', 'broken', 'the model is broken'],
    ],
  )
})

test('nothing is read or stored for users without a way', async (t) => {
  const house = openReachHouse(t, asks)
  await house.store.notifications.addWay(
    bob,
    { kind: 'ntfy', target: 'https://x.test/y', label: 'x', events: ['needs_you'], content: false },
    9,
  )
  await run(house, 'hello')
  await house.teller.close()
  assert.deepEqual([await house.states(), house.sent], [[], []])
})

test('a gate whose process was killed before it told is told at the next start, once', async (t) => {
  const house = openReachHouse(t, { ...asks, idle: true })
  await run(house, 'before there was a way')
  await house.teller.close()
  house.clock.now += 1
  await house.addWay()
  const { notifications } = house.store
  const untouched = { ...notifications }
  Object.assign(notifications, { enqueue: () => Promise.reject(new Error('killed')) })
  const { threadId } = await run(house, 'hello')
  await house.teller.close()
  Object.assign(notifications, untouched)
  house.sender.start()
  await until(() => house.sent.length === 1)
  assert.equal(house.sent[0]?.message.type === 'news' && house.sent[0].message.news.threadId, threadId)
  await house.teller.catchUp()
  await house.pass(0)
  assert.equal(house.sent.length, 1)
})

test('a turn that failed within a day before a start is told once', async (t) => {
  const house = openReachHouse(t, { reply: (text) => (text === 'broken' ? broken : ['fine']), idle: true })
  await house.addWay()
  const { notifications } = house.store
  const untouched = { ...notifications }
  Object.assign(notifications, { enqueue: () => Promise.reject(new Error('killed')) })
  await run(house, 'broken')
  house.clock.now += hourMs * 2
  const { id } = await run(house, 'broken')
  await run(house, 'short')
  await house.teller.close()
  Object.assign(notifications, untouched)
  house.clock.now += hourMs * 23
  await house.teller.catchUp()
  await house.teller.catchUp()
  const { rows } = await notifications.outbox(ada, { limit: 9 })
  assert.deepEqual(
    rows.map(({ turnId }) => turnId),
    [id],
  )
})

test('a turn that ended with a call for its client is no news, also once the client has answered', async (t) => {
  const house = openReachHouse(t, {
    reply: (_, { items }) => {
      if (items.at(-1)?.type !== 'message') return ['done']
      house.clock.now += 60_001
      return [{ name: 'look' }]
    },
    idle: true,
  })
  await house.addWay()
  const options = { tools: [{ name: 'look', description: '', parameters: {} }] }
  const { turn, events } = await house.turns.start(message('hello', { options }))
  await eventsOf(events)
  const { threadId } = turn
  const { openCall: callId = '' } = (await house.threads.get(ada, threadId)) ?? {}
  const output = { type: 'answer', callId, decision: 'output', output: 'seen', by: 'ada' } as const
  await eventsOf((await house.turns.start({ ...message(''), threadId, resumes: callId, input: [output] })).events)
  await house.teller.close()
  await house.teller.catchUp()
  assert.deepEqual([callId !== '', await house.states()], [true, []])
})

test('a turn whose news cannot be read keeps back no other at a catch-up', async (t) => {
  const house = openReachHouse(t, { reply: () => broken, idle: true })
  const { notifications, threads } = house.store
  const [first, second] = [await run(house, 'one'), await run(house, 'two')]
  await house.teller.close()
  await house.addWay()
  const get = threads.get.bind(threads)
  for (const bad of [first, second]) {
    const { mock } = t.mock.method(threads, 'get', (...given: Parameters<typeof get>) =>
      given[1] === bad.threadId ? Promise.reject(new Error('a bug')) : get(...given),
    )
    await house.teller.catchUp()
    mock.restore()
  }
  const { rows } = await notifications.outbox(ada, { limit: 9 })
  assert.deepEqual(new Set(rows.map(({ turnId }) => turnId)), new Set([first.id, second.id]))
})

test('a catch-up while the database is away fails as a whole, and the next one tells everything', async (t) => {
  const house = openReachHouse(t, { reply: () => broken, idle: true })
  const { notifications, threads } = house.store
  const { id } = await run(house, 'one')
  await house.teller.close()
  await house.addWay()
  const away = (): Promise<never> => Promise.reject(new AppError('database_unavailable', 'away'))
  // The second fault comes after the users.
  for (const takeAway of [
    () => t.mock.method(notifications, 'usersWithWays', away),
    () => t.mock.method(threads, 'get', away),
  ]) {
    const { mock } = takeAway()
    await assert.rejects(house.teller.catchUp(), { code: 'database_unavailable' })
    mock.restore()
    house.clock.now += hourMs
  }
  await house.teller.catchUp()
  const { rows } = await notifications.outbox(ada, { limit: 9 })
  assert.deepEqual(
    rows.map(({ turnId }) => turnId),
    [id],
  )
})

test('a mission that failed tells its owner, and says so when it was paused', async (t) => {
  const house = openReachHouse(t)
  await house.addWay()
  const planned = {
    title: 'News',
    prompt: 'Look',
    schedule: '@daily',
    zone: 'UTC',
    missed: 'once',
    from: 0,
    nextAt: 5,
  } as const
  const { missions } = house.store
  const mission: Mission = await missions.add(ada, planned, 9)
  const tell = async (settled: Omit<SettledMission, 'mission'>, change: MissionChange): Promise<Mission> => {
    const news = newsOfMission({ ...settled, mission })
    const changed = await missions.change((await missions.get(ada, mission.id)) ?? mission, change, 9, news)
    house.teller.added(ada)
    return changed ?? mission
  }
  await tell({ paused: false, outcome: 'quiet', at: 5 }, {})
  await tell({ paused: false, outcome: 'failed', at: 5 }, {})
  await until(() => house.sent.length === 1)
  await tell({ paused: true, outcome: 'failed', at: 6 }, { status: 'paused', nextAt: null })
  await until(() => house.sent.length === 2)
  const news = { event: 'failed', title: 'News', missionId: mission.id }
  assert.deepEqual(
    house.sent.map((each) => each.message),
    [
      { type: 'news', news },
      { type: 'news', news: { ...news, paused: true } },
    ],
  )
})
