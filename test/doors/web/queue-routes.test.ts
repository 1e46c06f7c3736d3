// Queued messages over HTTP: change, remove, stop everything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#core/ids.ts'
import { createHold } from '../test-app.ts'
import { openHouse } from './house.ts'

test('queued messages are changed and removed, and stopped together with the turn', async (t) => {
  const hold = createHold()
  const { call, addUser } = await openHouse(t, { say: hold.say })
  const send = async (message: string, thread_id?: string) =>
    (await call('POST', '/api/chat/send', { body: { message, ...(thread_id && { thread_id }) } })).json
  const first = await send('first')
  await hold.asked
  const thread = `/api/threads/${first.thread_id}`
  const [second, third, fourth] = [
    await send('second', first.thread_id),
    await send('third', first.thread_id),
    await send('fourth', first.thread_id),
  ]
  const edited = await call('PATCH', `${thread}/queued/${second.turn_id}`, { body: { message: 'changed' } })
  assert.deepEqual(
    [edited.status, edited.json],
    [200, { thread_id: first.thread_id, turn_id: second.turn_id, status: 'queued' }],
  )
  assert.equal((await call('DELETE', `${thread}/queued/${third.turn_id}`)).status, 204)
  const { queued } = (await call('GET', thread)).json
  assert.deepEqual(
    queued.map(({ turn_id, content }: { turn_id: string; content: { text: string }[] }) => [turn_id, content[0]?.text]),
    [
      [second.turn_id, 'changed'],
      [fourth.turn_id, 'fourth'],
    ],
  )
  assert.equal((await call('GET', `/api/jobs/${third.turn_id}`)).json.status, 'cancelled')
  const late = await call('PATCH', `${thread}/queued/${first.turn_id}`, { body: { message: 'x' } })
  assert.deepEqual([late.status, late.json.error.code], [409, 'turn_started'])
  assert.equal((await call('DELETE', `${thread}/queued/${third.turn_id}`)).json.error.code, 'turn_started')
  const empty = await call('PATCH', `${thread}/queued/${second.turn_id}`, { body: { message: ' ' } })
  assert.deepEqual([empty.status, empty.json.error.param], [400, 'message'])
  for (const path of [
    `${thread}/queued/${newId()}`,
    `/api/threads/${newId()}/queued/${second.turn_id}`,
    `${thread}/queued/x`,
  ]) {
    assert.equal((await call('DELETE', path)).status, 404, path)
  }
  const bob = await addUser('bob')
  assert.equal((await call('DELETE', `${thread}/queued/${second.turn_id}`, { token: bob })).status, 404)
  assert.equal((await call('POST', `${thread}/stop`, { token: bob })).status, 404)
  const stopped = (await call('POST', `${thread}/stop`)).json
  assert.deepEqual([stopped.removed.toSorted(), stopped.stopped], [[second.turn_id, fourth.turn_id], first.turn_id])
  assert.deepEqual((await call('POST', `${thread}/stop`)).json, { thread_id: first.thread_id, removed: [] })
})
