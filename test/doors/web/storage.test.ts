// The storage quota at the doors: what stores is refused with one code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../responses/serve.ts'
import { openHouse as openWebhookHouse } from '../webhook/house.ts'
import { openHouse } from './house.ts'

const maxUserBytes = 10_000
const long = 'x'.repeat(maxUserBytes)

test('the gateway refuses a message, a file, a document and a fork over the quota, and says how much is stored', async (t) => {
  const { call, addUser } = await openHouse(t, { maxUserBytes })
  const token = await addUser('ada')
  const { thread_id: thread, turn_id: turn } = (await call('POST', '/api/chat', { token, body: { message: 'hello' } }))
    .json
  assert.ok(turn)
  const file = { name: 'a.txt', media_type: 'text/plain', data: Buffer.from(long).toString('base64') }
  for (const [method, path, body] of [
    ['POST', '/api/chat', { message: long }],
    ['POST', '/api/chat/send', { message: long, thread_id: thread }],
    ['POST', '/api/chat', { message: 'see', attachments: [file] }],
    ['PUT', '/api/memory/documents/a.md', { content: long }],
  ] as const) {
    const { status, json } = await call(method, path, { token, body })
    assert.deepEqual([status, json.error.code], [413, 'storage_full'], path)
  }
  const fork = (): ReturnType<typeof call> =>
    call('POST', `/api/threads/${thread}/fork`, { token, body: { before_seq: 3 } })
  let last = await fork()
  for (let left = 20; last.status === 201 && left > 0; left--) last = await fork()
  assert.deepEqual([last.status, last.json.error.code], [413, 'storage_full'])
  const { storage } = (await call('GET', '/api/status', { token })).json
  assert.equal(storage.max_bytes, maxUserBytes)
  assert.ok(storage.used_bytes > 1_000 && storage.used_bytes <= maxUserBytes)
  assert.ok(
    (await call('GET', '/api/status')).json.storage.used_bytes < storage.used_bytes,
    'the operator sees their own',
  )
})

test('the Responses API refuses a request over the quota, a replayed history too', async (t) => {
  const { create, gateway } = await serve({ maxUserBytes })
  t.after(() => gateway.close(0))
  for (const input of [
    long,
    [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: long },
      { role: 'user', content: 'go on' },
    ],
  ]) {
    const { status, body } = await create({ input })
    assert.equal(status, 413)
    assert.equal((body as { error: { code: string } }).error.code, 'storage_full')
  }
})

test('the webhook channel refuses a message over the quota of its sender', async (t) => {
  const house = await openWebhookHouse(t, { maxUserBytes })
  const refused = await house.post({ user_id: 'bot', message: long })
  assert.deepEqual([refused.status, refused.json.error.code], [413, 'storage_full'])
  assert.equal((await house.post({ user_id: 'bot', message: 'hello' })).status, 200)
})
