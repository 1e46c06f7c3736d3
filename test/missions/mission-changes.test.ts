// What a run may do and tells, and what a change of its mission brings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mission } from '#core/mission.ts'
import { ended as hasEnded } from '#core/turn-status.ts'
import { tool } from '../agent/tools.ts'
import { ada, rejectsWith } from '../store/harness.ts'
import { createHeldReply, until } from '../turns/house.ts'
import { ended, hour, open, outcomes, start } from './clock-house.ts'

test('news of a run is stored with its end: a process that is killed behind it has told', async (t) => {
  const house = open(t, { model: () => Promise.reject(new Error('no model')) })
  const way = { kind: 'ntfy', target: 'https://x.test/y', label: 'x', events: ['failed'], content: false } as const
  await house.store.notifications.addWay(ada, way, 9)
  const mission = await house.add()
  const broken = await house.add({ schedule: 'every 2h' })
  await house.store.missions.change(broken, { zone: 'Mars/Base' }, 100)
  await house.at(start + hour)
  const [run] = await ended(house, mission)
  const news = async () => (await house.store.notifications.outbox(ada, { limit: 9 })).rows
  assert.deepEqual(
    (await news()).map(({ event, missionId, turnId, state }) => [event, missionId, turnId, state]),
    [['failed', mission.id, run?.turnId, 'due']],
  )
  await house.at(start + 2 * hour)
  await until(async () => (await news()).some(({ missionId }) => missionId === broken.id))
})

test('so many runs are under way at once; all come to run', async (t) => {
  let most = 0
  const house = open(t, {}, { maxRunning: 2 })
  const all: Mission[] = []
  for (let count = 0; count < 9; count++) all.push(await house.add())
  const due = house.at(start + hour)
  await until(async () => {
    // As the store has it: there a turn has ended a moment before its process is done with it.
    const { rows } = await house.store.turns.list(ada, { limit: 100 })
    most = Math.max(most, rows.filter(({ status }) => !hasEnded(status)).length)
    return rows.length === all.length
  })
  await due
  assert.ok(most <= 2, `${most} ran at once`)
  for (const each of all) assert.deepEqual(outcomes(await ended(house, each)), [[1, 'ok']])
})

test('a run may use the tools of its mission, and spend what it may', async (t) => {
  const offered: string[][] = []
  const house = open(t, {
    reply(_, { tools }) {
      offered.push(tools.map(({ name }) => name))
      return ['done']
    },
  })
  const mission = await house.add({ tools: ['read'], capUsd: 0.01 })
  await house.missions.run(ada, mission.id)
  const [run] = await ended(house, mission)
  assert.deepEqual([offered, run?.byHand], [[['read']], true])
  const turn = await house.turns.get(ada, run?.turnId ?? '')
  assert.deepEqual(turn?.options, { serviceTools: ['read'], capUsd: 0.01 })
  await rejectsWith(house.add({ tools: ['nothing'] }), 'invalid_input')
  await rejectsWith(house.add({ capUsd: 0 }), 'invalid_input')
})

test('what a run read from outside taints the next one', async (t) => {
  const house = open(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['read it'] : [{ name: 'page', args: '{}' }],
    tools: [tool('page', { untrusted: true })],
  })
  const mission = await house.add()
  await house.at(start + hour)
  await ended(house, mission)
  await house.at(start + 2 * hour)
  const [second] = await ended(house, mission)
  const { entries } = await house.store.threads.entries(ada, second?.threadId ?? '', { after: 0, limit: 1 })
  const message = entries[0]?.item
  assert.ok(message?.type === 'message')
  assert.deepEqual(message.content.at(-1), { type: 'framing', text: 'read it', origin: 'page' })
})

test('a change of schedule begins anew, a change of words does not', async (t) => {
  const house = open(t)
  const mission = await house.add()
  await house.at(start + hour / 2)
  const renamed = await house.missions.change(ada, mission.id, { title: 'Other', prompt: 'Do', missed: 'skip' })
  assert.deepEqual(
    [renamed.title, renamed.prompt, renamed.missed, renamed.nextAt],
    ['Other', 'Do', 'skip', start + hour],
  )
  const moved = await house.missions.change(ada, mission.id, { schedule: 'every 2h' })
  assert.equal(moved.nextAt, start + 2.5 * hour)
  assert.deepEqual(
    moved.nextRuns,
    [2.5, 4.5, 6.5].map((hours) => start + hours * hour),
  )
  const paused = await house.missions.change(ada, mission.id, { status: 'paused', zone: 'Asia/Tokyo' })
  assert.deepEqual([paused.status, paused.nextAt, paused.zone], ['paused', undefined, 'Asia/Tokyo'])
  assert.equal(paused.understood, 'Every 2 hours, Asia/Tokyo. No run while it is paused.')
  await house.missions.remove(ada, mission.id)
  await rejectsWith(house.missions.get(ada, mission.id), 'not_found')
})

test('a title that was taken from the prompt follows it', async (t) => {
  const house = open(t)
  const [derived, own] = [await house.add({ prompt: 'Read the news' }), await house.add({ title: 'News' })]
  assert.equal(
    (await house.missions.change(ada, derived.id, { prompt: 'Read the paper\ntwice' })).title,
    'Read the paper',
  )
  assert.equal((await house.missions.change(ada, own.id, { prompt: 'Read the paper' })).title, 'News')
})

test('a mission whose schedule cannot be read any more is listed, and paused when it is due', async (t) => {
  const house = open(t)
  const mission = await house.add()
  await house.store.missions.change(mission, { zone: 'Mars/Base' }, 100)
  const [listed] = (await house.missions.list(ada)).rows
  assert.match(listed?.understood ?? '', /^Its schedule cannot be read: .*no time zone/)
  await house.at(start + hour)
  const { status, pausedBecause } = await house.missions.get(ada, mission.id)
  assert.deepEqual([status, pausedBecause], ['paused', listed?.understood])
  const [told] = house.settled
  assert.deepEqual([told?.paused, told?.outcome, told?.at], [true, 'failed', start + hour])
  assert.deepEqual(house.news, [ada])
})

test('a mission that is removed while it runs leaves its thread, and nothing else', async (t) => {
  const { script, letGo } = createHeldReply()
  const house = open(t, { reply: () => script })
  const mission = await house.add()
  await house.at(start + hour)
  const [run] = await house.runs(mission)
  await house.missions.remove(ada, mission.id)
  letGo()
  await until(async () => (await house.turns.get(ada, run?.turnId ?? ''))?.status === 'completed')
  assert.ok(await house.threads.get(ada, run?.threadId ?? ''))
  assert.deepEqual([(await house.missions.list(ada)).rows, await house.store.missions.unsettled(9)], [[], []])
})

test('a zone is the user’s, else the machine’s', async (t) => {
  const { missions } = open(t)
  const { used } = await missions.zone(ada)
  assert.equal(used, Intl.DateTimeFormat().resolvedOptions().timeZone)
  await rejectsWith(missions.setZone(ada, 'Mars/Base'), 'invalid_input')
  await missions.setZone(ada, 'Asia/Tokyo')
  assert.deepEqual(await missions.zone(ada), { own: 'Asia/Tokyo', used: 'Asia/Tokyo' })
  assert.match((await missions.preview(ada, { schedule: 'daily at 9am' })).understood, /Asia\/Tokyo/)
  assert.equal((await missions.add(ada, { prompt: 'Look', schedule: 'daily at 9am' })).zone, 'Asia/Tokyo')
  await missions.setZone(ada, null)
  assert.equal((await missions.zone(ada)).own, undefined)
  await rejectsWith(missions.preview(ada, { schedule: '0 0 30 2 *' }), 'invalid_input')
})
