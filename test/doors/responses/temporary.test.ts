// `store: false`: a thread that is in no list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { serve, textIn } from './serve.ts'

const ann = userId('ann')

test('store: false is echoed, its thread is in no list, and GET and replays find it', async (t) => {
  const served = await serve({ rules: { fields: 'reference' }, replies: [{ text: 'One.' }, { text: 'Two.' }] })
  t.after(() => served.close())
  const first = (await served.create({ input: 'Count', store: false })).body
  assert.equal(first['store'], false)
  assert.equal((await served.get(`/responses/${String(first['id'])}`)).body['store'], false)
  const input = [
    { role: 'user', content: 'Count' },
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'On' },
  ]
  const second = (await served.create({ input, store: false })).body
  assert.equal(textIn(second), 'Two.')
  assert.equal(String(second['id']).slice(-32), String(first['id']).slice(-32), 'one thread')
  assert.deepEqual((await served.threads.list(ann, { limit: 9 })).rows, [])
  assert.deepEqual((await served.turns.list(ann, { limit: 9 })).rows, [])
})

test('the gate of a temporary thread is listed and answered', async (t) => {
  const write = { calls: [{ name: 'workspace_write', args: { path: 'a' } }] }
  const served = await serve({ rules: { fields: 'reference' }, replies: [write, { text: 'Done.' }] })
  t.after(() => served.close())
  const { body } = await served.create({ input: 'Write', store: false })
  assert.equal(body['status'], 'failed')
  const [open] = await served.gates.list(ann)
  assert.ok(open)
  await served.gates.answer(ann, open.turn.threadId, { callId: open.gate.callId, decision: 'allow', by: ann })
  const turn = await served.turns.get(ann, open.turn.id)
  assert.ok(turn)
  for await (const events of served.turns.follow(ann, turn)) {
    if (events.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  }
  assert.equal(textIn((await served.get(`/responses/${String(body['id'])}`)).body), 'Done.')
})

test('without RESPONSES_FIELDS=reference the field is ignored', async (t) => {
  const served = await serve()
  t.after(() => served.close())
  const { body } = await served.create({ input: 'Hi', store: false })
  assert.equal(body['store'], true)
  assert.equal((await served.threads.list(ann, { limit: 9 })).rows.length, 1)
})
