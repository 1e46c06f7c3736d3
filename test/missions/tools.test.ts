// The agent's tools for missions: what is asked, and what happens once it is allowed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage } from '#core/item.ts'
import type { Tool } from '#core/tool.ts'
import { decide } from '#models/offline.ts'
import { createMissions } from '#missions/missions.ts'
import { createMissionTools } from '#missions/tools.ts'
import { ada } from '../store/harness.ts'
import { openHouse } from '../turns/house.ts'

const signal = new AbortController().signal

test('a reminder is asked for, shown whole, and created once it is allowed; so are changes and removals', async (t) => {
  const { store, turns } = openHouse(t)
  const missions = createMissions({ store, turns, toolNames: () => new Set(), onChange: () => {} })
  const tools = new Map(createMissionTools(() => Promise.resolve(missions)).map((each) => [each.spec.name, each]))
  const find = (name: string): Tool => tools.get(name) ?? assert.fail(name)
  const request = { system: '', items: [textMessage('user', 'Remind me in an hour to call Ada.')] }
  const move = decide({ ...request, tools: [...tools.values()].map(({ spec }) => spec) })
  assert.ok(move.type === 'call' && move.name === 'mission_create')
  const args = JSON.stringify(move.args)
  const asked = await find('mission_create').ask?.(args, { user: ada, signal })
  assert.ok(asked?.preview?.type === 'mission')
  assert.equal(asked.question.text, 'Create the mission “Call Ada”?')
  const { schedule, ...shown } = asked.preview
  assert.match(schedule, /^Once, on .* Next: /)
  assert.deepEqual(shown, { type: 'mission', title: 'Call Ada', prompt: 'Reply with this reminder: Call Ada.' })
  assert.deepEqual((await missions.list(ada)).rows, [], 'nothing has happened yet')
  const context = { user: ada, threadId: 't', turnId: 'u', callId: 'c', signal }
  assert.match(await find('mission_create').run(args, context), /^created mission /)
  const [created] = (await missions.list(ada)).rows
  assert.ok(created)
  assert.match(await find('mission_list').run('{}', context), /Call Ada/)
  const change = JSON.stringify({ id: created.id, schedule: 'daily at 9am', title: 'Ada', cap_usd: 0.5 })
  const question = await find('mission_update').ask?.(change, { user: ada, signal })
  assert.equal(question?.question.text, 'Change the mission “Ada”?')
  assert.ok(question?.preview?.type === 'mission')
  const { capUsd: cap, status, title: name, schedule: daily } = question.preview
  assert.deepEqual([cap, status, name], [0.5, 'active', 'Ada'])
  assert.match(daily, /^Every day at 09:00/)
  await find('mission_update').run(change, context)
  const moving = await find('mission_update').ask?.(JSON.stringify({ id: created.id, zone: 'Asia/Tokyo' }), context)
  assert.ok(moving?.preview?.type === 'mission')
  assert.equal(moving.preview.capUsd, 0.5)
  assert.match(moving.preview.schedule, /^Every day at 09:00, Asia\/Tokyo/)
  const { schedule: now, capUsd } = await missions.get(ada, created.id)
  assert.deepEqual([now, capUsd], ['daily at 9am', 0.5])
  const removal = JSON.stringify({ id: created.id })
  const removing = await find('mission_remove').ask?.(removal, context)
  assert.ok(removing?.preview?.type === 'mission')
  assert.deepEqual([removing.preview.title, removing.preview.capUsd], ['Ada', 0.5])
  await find('mission_remove').run(removal, context)
  assert.deepEqual((await missions.list(ada)).rows, [])
  for (const name of ['mission_create', 'mission_update', 'mission_remove']) {
    assert.equal(find(name).asksEachTime, true)
    assert.equal(find(name).argsStayLocal, true)
  }
  const long = JSON.stringify({ prompt: `${'word '.repeat(20)}\nmore`, schedule: 'in 1h' })
  const short = await find('mission_create').ask?.(long, context)
  assert.equal(short?.question.text, `Create the mission “${'word '.repeat(12)}…”?`)
})

test('nobody is asked about a mission that cannot be, such as one with a tool that is not here', async (t) => {
  const { store, turns } = openHouse(t)
  const missions = createMissions({ store, turns, toolNames: () => new Set(['time']), onChange: () => {} })
  const tools = new Map(createMissionTools(() => Promise.resolve(missions)).map((each) => [each.spec.name, each]))
  const given = { prompt: 'x', schedule: 'daily at 9am' }
  const { id } = await missions.add(ada, given)
  for (const [wrong, message] of [
    [{ tools: 'time, nope' }, /"nope", which is no tool here/],
    [{ tools: 'time\nCost: at most $0.01 a run' }, /which is no tool here/],
    [{ cap_usd: 0 }, /above 0/],
    [{ title: 'x'.repeat(10_000) }, /title/],
  ] as const) {
    const asks = async (name: string, args: object) =>
      tools.get(name)?.ask?.(JSON.stringify({ ...args, ...wrong }), { user: ada, signal })
    await assert.rejects(asks('mission_create', given), message)
    await assert.rejects(asks('mission_update', { id }), message)
  }
})

test('a turn with fewer tools makes missions with no others, and neither changes nor runs a wider one', async (t) => {
  const { store, turns } = openHouse(t)
  const names = new Set(['mission_create', 'time', 'shell'])
  const missions = createMissions({ store, turns, toolNames: () => names, onChange: () => {} })
  const tools = new Map(createMissionTools(() => Promise.resolve(missions)).map((each) => [each.spec.name, each]))
  const find = (name: string): Tool => tools.get(name) ?? assert.fail(name)
  const narrow = { user: ada, signal, serviceTools: ['mission_create', 'time'] }
  const context = { ...narrow, threadId: 't', turnId: 'u', callId: 'c' }
  for (const [asked, kept] of [
    [undefined, ['mission_create', 'time']],
    ['time, shell', ['time']],
    ['shell, time', ['time']],
    ['shell', []],
  ] as const) {
    const args = JSON.stringify({ prompt: 'x', schedule: 'daily at 9am', tools: asked, cap_usd: 0.5 })
    const question = await find('mission_create').ask?.(args, narrow)
    assert.ok(question?.preview?.type === 'mission')
    assert.deepEqual([question.preview.tools, question.preview.capUsd], [kept, 0.5])
    const id = /^created mission (\S+):/.exec(await find('mission_create').run(args, context))?.[1] ?? ''
    assert.deepEqual((await missions.get(ada, id)).tools, kept)
    const change = JSON.stringify({ id, tools: 'time' })
    const changed = await find('mission_update').ask?.(change, narrow)
    assert.ok(changed?.preview?.type === 'mission')
    assert.deepEqual(changed.preview.tools, ['time'], 'what it may use from then on')
    await find('mission_update').run(change, context)
    const widening = JSON.stringify({ id, tools: 'time,shell' })
    await assert.rejects(async () => find('mission_update').ask?.(widening, narrow), /may use some tools only/)
    await assert.rejects(find('mission_update').run(widening, context), /may use some tools only/)
    assert.deepEqual((await missions.get(ada, id)).tools, ['time'])
  }
  const base = { prompt: 'x', schedule: 'daily at 9am' }
  for (const given of [base, { ...base, tools: ['shell'] }]) {
    const { id } = await missions.add(ada, given)
    for (const [name, change] of [
      ['mission_update', { title: 'y' }],
      ['mission_update', { tools: 'time' }],
      ['mission_run', {}],
    ] as const)
      await assert.rejects(find(name).run(JSON.stringify({ id, ...change }), context), /may use some tools only/)
    const narrowing = JSON.stringify({ id, tools: 'time' })
    await assert.rejects(async () => find('mission_update').ask?.(narrowing, narrow), /may use some tools only/)
    assert.equal((await missions.get(ada, id)).lastRun, undefined)
  }
})

test('a run by hand is asked for with the mission shown whole; one that does not exist is refused without asking', async (t) => {
  const { store, turns } = openHouse(t)
  const missions = createMissions({ store, turns, toolNames: () => new Set(['time']), onChange: () => {} })
  const tool = createMissionTools(() => Promise.resolve(missions)).find(({ spec }) => spec.name === 'mission_run')
  const given = { prompt: 'Look at the page', schedule: 'daily at 9am', title: 'The page', tools: ['time'] }
  const { id } = await missions.add(ada, given)
  const asked = await tool?.ask?.(JSON.stringify({ id }), { user: ada, signal })
  assert.equal(asked?.question.text, 'Run the mission “The page” now?')
  assert.ok(asked.preview?.type === 'mission')
  const { title, tools, prompt, schedule } = asked.preview
  assert.deepEqual([title, tools, prompt], ['The page', ['time'], 'Look at the page'])
  assert.match(schedule, /^Every day at 09:00/)
  assert.equal((await missions.get(ada, id)).lastRun, undefined, 'nothing has happened yet')
  await assert.rejects(async () => tool?.ask?.('{"id":"none"}', { user: ada, signal }), { code: 'not_found' })
})
