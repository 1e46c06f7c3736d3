// `/name` at the start of a message loads a skill; any other message is an ordinary one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedOf } from '#skills/tools.ts'
import { ada } from '../store/harness.ts'
import { skillFolder } from './folders.ts'
import { open, scripted, send } from './skill-turns.ts'

for (const door of ['web', 'terminal', 'run'] as const) {
  test(`/name at the start of a message loads the skill at the door ${door}, and the line stands as typed`, async (t) => {
    const { say, asked } = scripted()
    const app = await open(t, { say })
    await app.skills.add(ada, skillFolder('pdf', { body: 'Read it twice.', head: 'allowed-tools: time\n' }))
    const { items } = await send(app, '/pdf read a.pdf\nplease', { door })
    const [message, call, result] = items
    assert.deepEqual(message, {
      type: 'message',
      role: 'user',
      content: [{ type: 'text', text: '/pdf read a.pdf\nplease' }],
    })
    assert.ok(call?.type === 'call' && call.name === 'skill_load' && call.args === '{"name":"pdf"}')
    assert.ok(result?.type === 'result' && result.output === 'Read it twice.')
    assert.deepEqual(result.skill, loadedOf({ name: 'pdf', allowedTools: ['time'] }))
    assert.equal(asked.length, 1)
    assert.deepEqual(
      asked[0]?.items.map(({ type }) => type),
      ['message', 'call', 'result'],
    )
  })
}

for (const [text, door] of [
  ['/unknown words', 'web'],
  ['/off words', 'web'],
  ['/pdfs words', 'web'],
  [' /pdf words', 'web'],
  ['words /pdf', 'terminal'],
  ['/pdf/a', 'run'],
  ['/pdf words', 'webhook'],
  ['/pdf words', 'responses'],
] as const) {
  test(`an ordinary message at the door ${door}: ${JSON.stringify(text)}`, async (t) => {
    const app = await open(t)
    await app.skills.add(ada, skillFolder('pdf'))
    await app.skills.add(ada, skillFolder('off'))
    await app.skills.enable(ada, 'off', false)
    const { items, turn } = await send(app, text, { door })
    assert.equal(turn.status, 'completed')
    assert.deepEqual(
      items.map(({ type }) => type),
      ['message', 'message'],
    )
  })
}
