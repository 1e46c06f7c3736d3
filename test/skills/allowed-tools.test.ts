// The tools that a skill names narrow its turn and never widen it; names of other agents are read as ours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tool } from '#core/tool.ts'
import { loadedOf } from '#skills/tools.ts'
import { calls, createWriter, says } from '../doors/test-app.ts'
import { ada } from '../store/harness.ts'
import { skillFolder } from './folders.ts'
import { open, reader, scripted, send } from './skill-turns.ts'

test('a tool learns which skills its turn has loaded, so that what it runs is narrowed too', async (t) => {
  const seen: unknown[] = []
  const look: Tool = { ...reader([]), run: (_, { skills }) => Promise.resolve(String(seen.push(skills))) }
  const { say } = scripted(calls('look', {}), says('done'))
  const app = await open(t, { say, tools: [look] })
  await app.skills.add(ada, skillFolder('pdf', { head: 'allowed-tools: look\n' }))
  await send(app, '/pdf go')
  assert.deepEqual(seen, [[loadedOf({ name: 'pdf', allowedTools: ['look'] })]])
})

test('tools with names that every object has are names like others', () => {
  const { tools } = loadedOf({ name: 'pdf', allowedTools: ['constructor', '__proto__', 'Read(*)'] })
  assert.deepEqual(tools?.slice(3), ['constructor', '__proto__', 'Read', 'workspace_read'])
})

test('a skill that names its tools narrows the turn that loads it, and no later one', async (t) => {
  const ran: string[] = []
  const tools = [reader(ran), reader(ran, 'peek')]
  const { say } = scripted(calls('peek', {}), calls('look', {}), says('waits'), calls('look', {}))
  const app = await open(t, { say, tools })
  await app.skills.add(ada, skillFolder('pdf', { head: 'allowed-tools: peek\n' }))
  const { turn, items } = await send(app, '/pdf go')
  assert.equal(turn.status, 'waiting')
  assert.deepEqual(ran, ['peek'], 'what it names runs unasked')
  const gate = items.find((item) => item.type === 'gate')
  assert.match(gate?.reason ?? '', /look is not among the tools of the skill pdf/)
  await app.gates.answer(ada, turn.threadId, { callId: gate?.callId ?? '', decision: 'allow', by: 'ada' })
  const next = await send(app, 'and now', { threadId: turn.threadId })
  assert.equal(next.turn.status, 'completed')
  assert.deepEqual(ran, ['peek', 'look', 'look'])
})

test('a skill never widens: a tool that it names asks as ever', async (t) => {
  const ran: unknown[] = []
  const { say } = scripted(calls('write_note', {}))
  const app = await open(t, { say, tools: [createWriter(ran)] })
  await app.skills.add(ada, skillFolder('pdf', { head: 'allowed-tools: write_note\n' }))
  const { turn } = await send(app, '/pdf go')
  assert.equal(turn.status, 'waiting')
  assert.deepEqual(ran, [])
})

test('names of tools that other agents use are read as ours; a pattern is not', () => {
  assert.deepEqual(loadedOf({ name: 'a' }), { name: 'a' })
  const { tools } = loadedOf({ name: 'a', allowedTools: ['Read', 'Grep(*)', 'Bash(git:*)', 'time'] })
  assert.deepEqual(tools, [
    'skill_load',
    'skill_read',
    'skill_search',
    'Read',
    'workspace_read',
    'Grep',
    'workspace_search',
    'Bash(git:*)',
    'time',
  ])
})

const ours: readonly [theirs: string, ...ours: string[]][] = [
  ['Read', 'workspace_read'],
  ['Write', 'workspace_write'],
  ['Edit', 'workspace_edit'],
  ['MultiEdit', 'workspace_edit'],
  ['LS', 'workspace_list'],
  ['Glob', 'workspace_list', 'workspace_search'],
  ['Grep', 'workspace_search'],
  ['Bash', 'workspace_shell'],
  ['Shell', 'workspace_shell'],
  ['WebFetch', 'web_fetch'],
]
for (const [theirs, ...tools] of ours) {
  test(`the tool ${theirs} of other agents is ${tools.join(' and ')}`, () => {
    assert.deepEqual(loadedOf({ name: 'a', allowedTools: [theirs] }).tools?.slice(3), [theirs, ...tools])
  })
}
