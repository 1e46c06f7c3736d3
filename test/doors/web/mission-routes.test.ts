// Missions over HTTP: created, listed, changed, run and removed by their user; and the user's time zone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, operator } from '#core/ids.ts'
import { farTime } from '../../far-schedule.ts'
import { addDone } from '../../store/daily-mission.ts'
import { openHouse } from './house.ts'

const { time, zone } = farTime()
const body = { prompt: 'Read the status page\nand tell me', schedule: `weekdays at ${time}`, zone }

test('a mission is created, listed, read, changed and removed', async (t) => {
  const { call } = await openHouse(t)
  const created = await call('POST', '/api/missions', { body: { ...body, cap_usd: 0.5 } })
  assert.equal(created.status, 201)
  const { id, next_runs: next, understood, created_at: _, ...rest } = created.json
  assert.deepEqual(rest, { ...body, title: 'Read the status page', status: 'active', cap_usd: 0.5, missed: 'once' })
  assert.equal(next.length, 3)
  assert.match(
    understood,
    new RegExp(`^Weekdays at ${time}, ${zone}\\. Next: \\w{3} \\d+ \\w{3} \\d{4} ${time}; .*${time}; .*${time}\\.$`),
  )
  assert.deepEqual((await call('GET', '/api/missions')).json.missions, [created.json])
  assert.deepEqual((await call('GET', `/api/missions/${id}`)).json, created.json)
  const change = { status: 'paused', title: 'Status', cap_usd: null, missed: 'skip' }
  const paused = await call('PATCH', `/api/missions/${id}`, { body: change })
  assert.deepEqual(
    [paused.json.status, paused.json.next_runs, paused.json.title, paused.json.cap_usd, paused.json.missed],
    ['paused', [], 'Status', undefined, 'skip'],
  )
  assert.equal((await call('DELETE', `/api/missions/${id}`)).status, 204)
  for (const path of [id, 'x', newId()]) assert.equal((await call('GET', `/api/missions/${path}`)).status, 404)
  assert.deepEqual((await call('GET', '/api/missions')).json.missions, [])
})

test('the cursor of a list of missions reads older ones that are done', async (t) => {
  const { call, store } = await openHouse(t)
  const ids = await addDone(store, operator, 101)
  const { missions, next_cursor: cursor } = (await call('GET', '/api/missions')).json
  assert.deepEqual([missions.length, cursor], [100, ids[99]])
  const older = (await call('GET', `/api/missions?cursor=${cursor}`)).json
  assert.deepEqual([older.missions.length, older.missions[0].id, older.next_cursor], [1, ids[100], null])
  const wrong = await call('GET', '/api/missions?cursor=x')
  assert.deepEqual([wrong.status, wrong.json.error.param], [400, 'cursor'])
})

test('a prompt of 16,000 characters is taken, however its JSON is written', async (t) => {
  const { call } = await openHouse(t)
  const text = JSON.stringify({ ...body, prompt: '' }).replace('""', `"${String.raw`\u65e5`.repeat(16_000)}"`)
  const { status, json } = await call('POST', '/api/missions', { body: text })
  assert.equal(status, 201)
  const changed = await call('PATCH', `/api/missions/${json.id}`, { body: text })
  assert.deepEqual([changed.status, changed.json.prompt], [200, '日'.repeat(16_000)])
})

test('a mission runs by hand, also while it is paused, and shows its run', async (t) => {
  const { call } = await openHouse(t)
  const { id } = (await call('POST', '/api/missions', { body })).json
  await call('PATCH', `/api/missions/${id}`, { body: { status: 'paused' } })
  const run = await call('POST', `/api/missions/${id}/run`)
  assert.deepEqual([run.status, run.json.outcome, run.json.ended_at], [202, null, null])
  const { runs, next_cursor: cursor } = (await call('GET', `/api/missions/${id}/runs?limit=5`)).json
  assert.deepEqual([runs.length, runs[0].id, cursor], [1, run.json.id, null])
  assert.equal((await call('GET', `/api/jobs/${run.json.turn_id}`)).json.door, 'mission')
  assert.equal((await call('GET', `/api/missions/${id}`)).json.last_run.id, run.json.id)
})

test('a mission that runs is 409 for another run, and can be removed', async (t) => {
  const { call } = await openHouse(t)
  const { id } = (await call('POST', '/api/missions', { body })).json
  const runs = await Promise.all([1, 2, 3].map(() => call('POST', `/api/missions/${id}/run`)))
  const statuses = runs.map(({ status }) => status)
  assert.ok(statuses.includes(202) && statuses.every((status) => status === 202 || status === 409), String(statuses))
  for (const { status, json } of runs) if (status === 409) assert.equal(json.error.code, 'mission_running')
  assert.equal((await call('DELETE', `/api/missions/${id}`)).status, 204)
  assert.equal((await call('GET', `/api/missions/${id}/runs`)).status, 404)
})

test('a schedule is previewed as it is typed, and one that cannot be read is 400 with the forms that can', async (t) => {
  const { call } = await openHouse(t)
  const preview = (schedule: string, zone?: string) =>
    call('POST', '/api/missions/preview', { body: { schedule, ...(zone && { zone }) } })
  const { status, json } = await preview('daily at 9am', 'Asia/Tokyo')
  assert.deepEqual([status, json.zone, json.next_runs.length], [200, 'Asia/Tokyo', 3])
  assert.match(json.next_runs[0], /T00:00:00\.000Z$/)
  for (const schedule of ['whenever', '', '* * * * * *', '0 0 30 2 *', 'at 2020-01-01 09:00']) {
    const refused = await preview(schedule)
    assert.deepEqual([refused.status, refused.json.error.param], [400, 'schedule'], schedule)
    assert.match(refused.json.error.message, /every 2h · every 15 minutes · in 30m/)
  }
  assert.equal((await preview('@daily', 'Mars/Base')).json.error.param, 'zone')
  for (const [wrong, param] of [
    [{ ...body, prompt: ' ' }, 'prompt'],
    [{ ...body, tools: ['nothing'] }, 'tools'],
    [{ ...body, cap_usd: -1 }, 'cap_usd'],
    [{ ...body, missed: 'all' }, 'missed'],
  ] as const) {
    const refused = await call('POST', '/api/missions', { body: wrong })
    assert.deepEqual([refused.status, refused.json.error.param], [400, param])
  }
})

test('a user has a time zone, which missions take', async (t) => {
  const { call } = await openHouse(t)
  const machine = Intl.DateTimeFormat().resolvedOptions().timeZone
  const me = { user: 'operator', operator: true, zone: null, default_zone: machine }
  assert.deepEqual((await call('GET', '/api/me')).json, me)
  const tokyo = { ...me, zone: 'Asia/Tokyo', default_zone: 'Asia/Tokyo' }
  assert.deepEqual((await call('PATCH', '/api/me', { body: { zone: 'Asia/Tokyo' } })).json, tokyo)
  assert.equal((await call('PATCH', '/api/me', { body: { zone: 'Nowhere' } })).status, 400)
  const { json } = await call('POST', '/api/missions', { body: { prompt: 'x', schedule: '@daily' } })
  assert.equal(json.zone, 'Asia/Tokyo')
  assert.deepEqual((await call('PATCH', '/api/me', { body: { zone: null } })).json, me)
})
