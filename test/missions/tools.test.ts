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
  assert.ok(asked?.preview?.type === 'arguments')
  assert.equal(asked.question.text, 'Create the mission “Call Ada”?')
  const { title, schedule, next_runs: next, tools: may, prompt } = asked.preview.fields
  assert.match(schedule as string, /^Once, on /)
  assert.deepEqual(
    [title, (next as string[]).length, may, prompt],
    ['Call Ada', 1, 'all', 'Reply with this reminder: Call Ada.'],
  )
  assert.deepEqual(await missions.list(ada), [], 'nothing has happened yet')
  const context = { user: ada, threadId: 't', turnId: 'u', callId: 'c', signal }
  assert.match(await find('mission_create').run(args, context), /^created mission /)
  const [created] = await missions.list(ada)
  assert.ok(created)
  assert.match(await find('mission_list').run('{}', context), /Call Ada/)
  const change = JSON.stringify({ id: created.id, schedule: 'daily at 9am', title: 'Ada', cap_usd: 0.5 })
  const question = await find('mission_update').ask?.(change, { user: ada, signal })
  assert.equal(question?.question.text, 'Change the mission “Ada”?')
  assert.ok(question?.preview?.type === 'arguments')
  assert.equal(question.preview.fields['cap_usd'], 0.5)
  await find('mission_update').run(change, context)
  const { schedule: now, capUsd } = await missions.get(ada, created.id)
  assert.deepEqual([now, capUsd], ['daily at 9am', 0.5])
  await find('mission_remove').run(JSON.stringify({ id: created.id }), context)
  assert.deepEqual(await missions.list(ada), [])
  for (const name of ['mission_create', 'mission_update', 'mission_remove']) assert.equal(find(name).asksEachTime, true)
})
