// The models of threads over HTTP: listed, chosen with a message or for a thread, refused when they are not offered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OfferedModels } from '#core/admin.ts'
import { openHouse } from './house.ts'

const prices = { inputUsd: 1, outputUsd: null }
const models: OfferedModels = {
  names: () => ['ollama/big'],
  list: () =>
    Promise.resolve([
      { id: 'test/test-1', name: 'test-1', role: 'usual', ...prices },
      { id: 'ollama/big', name: 'big', role: 'offered', ...prices },
    ]),
}

test('everybody sees the names of the models for threads, the operator also their prices', async (t) => {
  const { call, addUser } = await openHouse(t, { models })
  const listed = await call('GET', '/api/models')
  assert.deepEqual(listed.json.models[1], {
    id: 'ollama/big',
    name: 'big',
    role: 'offered',
    input_usd: 1,
    output_usd: null,
  })
  const user = await call('GET', '/api/models', { token: await addUser('ada') })
  assert.deepEqual(user.json, {
    models: [
      { id: 'test/test-1', name: 'test-1', role: 'usual' },
      { id: 'ollama/big', name: 'big', role: 'offered' },
    ],
  })
  assert.deepEqual((await call('GET', '/api/status')).json.llm_offered, ['ollama/big'])
})

test('a model is chosen with a message or for a thread, and taken back; one that is not offered is refused', async (t) => {
  const { call, store } = await openHouse(t, { models })
  const say = (body: object) => call('POST', '/api/chat', { body: { message: 'hi', ...body } })
  const modelOf = async (turnId: string) => (await store.turns.get('operator' as never, turnId))?.options.model
  const first = (await say({ model: 'ollama/big' })).json
  assert.equal(await modelOf(first.turn_id), 'ollama/big')
  const path = `/api/threads/${first.thread_id}`
  assert.equal((await call('GET', path)).json.thread.model, 'ollama/big')
  const back = await call('PATCH', path, { body: { model: null } })
  assert.deepEqual([back.status, 'model' in back.json], [200, false])
  assert.equal(await modelOf((await say({ thread_id: first.thread_id })).json.turn_id), undefined)
  assert.equal((await call('PATCH', path, { body: { model: 'ollama/big' } })).json.model, 'ollama/big')
  for (const refused of [await say({ model: 'ollama/huge' }), await call('PATCH', path, { body: { model: 'x' } })]) {
    assert.deepEqual([refused.status, refused.json.error.param], [400, 'model'])
  }
  assert.equal((await call('PATCH', path, { body: {} })).status, 400)
})
