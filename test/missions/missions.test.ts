// The verbs of missions: what they refuse, what they change, and whom they tell.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { answerRequest } from '#missions/mission-request.ts'
import type { MissionJson } from '#missions/mission-wire.ts'
import { createMissions, type MissionInput } from '#missions/missions.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada, bob, rejectsWith } from '../store/harness.ts'
import { openHouse } from '../turns/house.ts'

const start = Date.parse('2026-11-16T08:00:00Z')
const hour = 3_600_000
const daily = { prompt: 'Look', schedule: 'daily at 9am', zone: 'UTC' }

function open(t: TestContext) {
  const time = { now: start }
  const store = openTestStore(t, () => time.now)
  const house = openHouse(t, { store })
  const told: string[] = []
  const missions = createMissions({
    store,
    turns: { startBy: (...given) => house.turns.startBy(...given), changed: (user) => void told.push(user) },
    toolNames: () => new Set(Array.from({ length: 101 }, (_, at) => `tool${at}`)),
    onChange: () => told.push('clock'),
  })
  return { missions, store, told, time, house }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `tool${at}`)
const refused: readonly (readonly [input: MissionInput, param: string])[] = [
  [{ prompt: '' }, 'prompt'],
  [{ prompt: ' \n' }, 'prompt'],
  [{ prompt: 'a\0' }, 'prompt'],
  [{ prompt: 'x'.repeat(16_001) }, 'prompt'],
  [{ prompt: '😀'.repeat(16_001) }, 'prompt'],
  [{ title: '' }, 'title'],
  [{ title: 'x'.repeat(201) }, 'title'],
  [{ tools: names(101) }, 'tools'],
  [{ tools: ['tool0', 'other'] }, 'tools'],
  [{ capUsd: 0 }, 'cap_usd'],
  [{ capUsd: -1 }, 'cap_usd'],
  [{ capUsd: 1_000_001 }, 'cap_usd'],
  [{ capUsd: Number.NaN }, 'cap_usd'],
  [{ schedule: '' }, 'schedule'],
  [{ schedule: 'at 2020-01-01 09:00' }, 'schedule'],
  [{ zone: 'Mars/Base' }, 'zone'],
]

test('a fault in a mission names its field, in a new one and in a change', async (t) => {
  const { missions, told } = open(t)
  const { id } = await missions.add(ada, daily)
  told.length = 0
  for (const [over, param] of refused) {
    const check = (error: AppError): boolean => {
      assert.deepEqual([error.code, error.param], ['invalid_input', param], JSON.stringify(over))
      return true
    }
    await assert.rejects(missions.add(ada, { ...daily, ...over }), check)
    await assert.rejects(missions.change(ada, id, over), check)
  }
  await assert.rejects(missions.add(ada, {}), (error: AppError) => error.param === 'prompt')
  assert.deepEqual([(await missions.list(ada)).rows.length, told], [1, []])
})

test('what is just within its bounds is taken, and null removes a choice', async (t) => {
  const { missions } = open(t)
  const whole = { prompt: 'x'.repeat(16_000), title: 'y'.repeat(200), tools: names(100), capUsd: 1_000_000 }
  const added = await missions.add(ada, { ...daily, ...whole, missed: 'skip', schedule: ' daily at 9am ' })
  const { prompt, title, tools, capUsd, missed, schedule } = added
  assert.deepEqual({ prompt, title, tools, capUsd }, whole)
  assert.deepEqual([missed, schedule], ['skip', 'daily at 9am'])
  const bare = await missions.change(ada, added.id, { tools: null, capUsd: null })
  assert.deepEqual([bare.tools, bare.capUsd, bare.title], [undefined, undefined, whole.title])
  const emoji = { prompt: '😀'.repeat(16_000), title: '😀'.repeat(200) }
  const drawn = await missions.add(ada, { ...daily, ...emoji })
  assert.deepEqual({ prompt: drawn.prompt, title: drawn.title }, emoji)
  const plain = await missions.add(ada, { ...daily, tools: null, capUsd: null })
  assert.deepEqual([plain.tools, plain.capUsd, plain.missed, plain.title], [undefined, undefined, 'once', 'Look'])
})

test('the clock and the user are told of everything that changed a mission', async (t) => {
  const { missions, told } = open(t)
  const { id } = await missions.add(ada, daily)
  await missions.change(ada, id, { title: 'Other' })
  await missions.run(ada, id)
  await missions.remove(ada, id)
  assert.deepEqual(told, Array.from({ length: 4 }, () => ['clock', 'ada']).flat())
})

test('a mission of another user does not exist', async (t) => {
  const { missions } = open(t)
  const { id } = await missions.add(ada, daily)
  for (const work of [
    () => missions.get(bob, id),
    () => missions.change(bob, id, { title: 'x' }),
    () => missions.remove(bob, id),
    () => missions.run(bob, id),
    () => missions.runs(bob, id, { limit: 1 }),
  ])
    await rejectsWith(work(), 'not_found')
  assert.deepEqual((await missions.list(bob)).rows, [])
})

test('a paused mission has no next run, goes on in its rhythm, and one that is done is not paused', async (t) => {
  const { missions, store, time } = open(t)
  const added = await missions.add(ada, { ...daily, schedule: 'every 2h' })
  assert.deepEqual(
    added.nextRuns,
    [2, 4, 6].map((each) => start + each * hour),
  )
  time.now = start + hour
  const paused = await missions.change(ada, added.id, { status: 'paused' })
  assert.deepEqual([paused.status, paused.nextAt, paused.nextRuns], ['paused', undefined, []])
  assert.match(paused.understood, /No run while it is paused\.$/)
  const renamed = await missions.change(ada, added.id, { title: 'x' })
  assert.deepEqual([renamed.status, renamed.nextAt, renamed.title], ['paused', undefined, 'x'])
  time.now = start + 5 * hour
  const resumed = await missions.change(ada, added.id, { status: 'active' })
  assert.deepEqual([resumed.nextAt, resumed.from], [start + 6 * hour, added.from])
  assert.equal((await missions.change(ada, added.id, { status: 'active' })).nextAt, start + 6 * hour)
  const moved = await missions.change(ada, added.id, { zone: 'Asia/Tokyo' })
  assert.deepEqual([moved.nextAt, moved.status, moved.zone], [time.now + 2 * hour, 'active', 'Asia/Tokyo'])
  const once = await missions.add(ada, { ...daily, schedule: 'in 1h' })
  await store.missions.change(once, { status: 'done', nextAt: null }, 100)
  const done = (error: AppError): boolean => error.param === 'status'
  await assert.rejects(missions.change(ada, once.id, { status: 'paused' }), done)
  const { status, nextAt } = await missions.change(ada, once.id, { title: 'x' })
  assert.deepEqual([status, nextAt], ['done', undefined])
  const asleep = await missions.change(ada, once.id, { schedule: 'in 2h', status: 'paused' })
  assert.deepEqual([asleep.status, asleep.nextAt], ['paused', undefined])
})

test('a change is tried again when the clock fired in between, five times at most', async (t) => {
  const { missions, store } = open(t)
  const { id } = await missions.add(ada, daily)
  const change: typeof store.missions.change = store.missions.change.bind(store.missions)
  let tries = 0
  const lose = (times: number) =>
    t.mock.method(store.missions, 'change', (...given: Parameters<typeof change>) => {
      return ++tries > times ? change(...given) : Promise.resolve(undefined)
    })
  lose(4)
  assert.equal((await missions.change(ada, id, { title: 'Fifth' })).title, 'Fifth')
  tries = 0
  lose(5)
  await rejectsWith(missions.change(ada, id, { title: 'Sixth' }), 'overloaded')
  assert.equal(tries, 5)
})

test('a run by hand reads the run before, and is the last one of its mission', async (t) => {
  const { missions, house } = open(t)
  const { id } = await missions.add(ada, daily)
  const run = await missions.run(ada, id)
  assert.deepEqual([run.byHand, run.outcome, run.nominalAt], [true, undefined, start])
  assert.equal((await missions.get(ada, id)).lastRun?.id, run.id)
  assert.equal((await missions.list(ada)).rows[0]?.lastRun?.id, run.id)
  assert.deepEqual(
    (await missions.runs(ada, id, { limit: 5 })).rows.map((each) => each.id),
    [run.id],
  )
  assert.equal((await house.turns.get(ada, run.turnId ?? ''))?.door, 'mission')
})

test('a preview has the next three runs and the zone', async (t) => {
  const { missions } = open(t)
  const next = [1, 25, 49].map((each) => start + each * hour)
  assert.deepEqual(await missions.preview(ada, { schedule: 'daily at 9am', zone: 'UTC' }), {
    understood: 'Every day at 09:00, UTC. Next: Mon 16 Nov 2026 09:00; Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00.',
    nextRuns: next,
    zone: 'UTC',
  })
  await rejectsWith(missions.preview(ada, {}), 'invalid_input')
})

test('a request of a command is answered as JSON', async (t) => {
  const { missions, store } = open(t)
  const answer = (request: Parameters<typeof answerRequest>[2]) => answerRequest(missions, ada, request)
  const added = (await answer({ do: 'add', ...daily, tools: ['tool1'], capUsd: 2 })) as { id: string }
  const { id } = added
  assert.deepEqual(added, {
    id,
    title: 'Look',
    prompt: 'Look',
    schedule: 'daily at 9am',
    understood: 'Every day at 09:00, UTC. Next: Mon 16 Nov 2026 09:00; Tue 17 Nov 2026 09:00; Wed 18 Nov 2026 09:00.',
    zone: 'UTC',
    status: 'active',
    next_runs: ['2026-11-16T09:00:00.000Z', '2026-11-17T09:00:00.000Z', '2026-11-18T09:00:00.000Z'],
    tools: ['tool1'],
    cap_usd: 2,
    missed: 'once',
    created_at: '2026-11-16T08:00:00.000Z',
  })
  assert.deepEqual(await answer({ do: 'list' }), { missions: [added], next_cursor: null })
  assert.deepEqual(await answer({ do: 'show', id }), added)
  const { status } = (await answer({ do: 'pause', id })) as { status: string }
  const paused = (await store.missions.get(ada, id)) ?? assert.fail()
  await store.missions.change(paused, { pausedBecause: 'It failed.' }, 100)
  assert.equal(((await answer({ do: 'show', id })) as MissionJson).paused_because, 'It failed.')
  const { status: again } = (await answer({ do: 'resume', id })) as { status: string }
  assert.deepEqual([status, again], ['paused', 'active'])
  const run = (await answer({ do: 'run', id })) as Record<string, string>
  const { id: runId, thread_id: threadId, turn_id: turnId, ...rest } = run
  assert.deepEqual(rest, {
    nominal_at: '2026-11-16T08:00:00.000Z',
    started_at: '2026-11-16T08:00:00.000Z',
    ended_at: null,
    outcome: null,
    cost_usd: 0,
  })
  assert.ok(runId && threadId && turnId)
  const [listed] = (await answer({ do: 'runs', id, limit: 1 })) as { id: string }[]
  assert.equal(listed?.id, runId)
  assert.equal(await answer({ do: 'remove', id }), undefined)
  assert.deepEqual(await answer({ do: 'list' }), { missions: [], next_cursor: null })
})
