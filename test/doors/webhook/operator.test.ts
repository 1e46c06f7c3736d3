// The operator alone sees the channel's jobs, threads and gates in the web gateway; users with tokens never do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSubmission, turnOf } from '#doors/webhook/submit.ts'
import { calls, createWriter, says } from '../test-app.ts'
import { openHouse } from '../web/house.ts'

test('jobs, threads and gates of the channel are the operator’s, and nobody else’s', async (t) => {
  const ran: unknown[] = []
  const house = await openHouse(t, {
    tools: [createWriter(ran)],
    say: ({ items }) => (items.at(-1)?.type === 'result' ? says('done') : calls('write_note', { a: 1 })),
  })
  const token = await house.addUser('ada')
  const { turn, events } = await house.turns.start(
    turnOf(readSubmission({ user_id: 'ada', message: 'note this' }, undefined)),
  )
  for await (const _ of events);
  const paths = [`/api/jobs/${turn.id}`, `/api/threads/${turn.threadId}`]
  for (const path of paths) {
    assert.equal((await house.call('GET', path)).status, 200, path)
    assert.equal((await house.call('GET', path, { token })).status, 404, path)
  }
  const jobs = (await house.call('GET', '/api/jobs?status=waiting')).json.jobs
  assert.deepEqual([jobs.length, jobs[0].id, jobs[0].door], [1, turn.id, 'webhook'])
  assert.equal((await house.call('GET', '/api/threads')).json.threads[0].title, 'note this')
  assert.deepEqual((await house.call('GET', '/api/jobs', { token })).json.jobs, [])
  assert.deepEqual((await house.call('GET', '/api/threads', { token })).json.threads, [])

  const { gate } = (await house.call('GET', `/api/jobs/${turn.id}`)).json
  const answer = (by: string | undefined) =>
    house.call('POST', `/api/threads/${turn.threadId}/gates/${gate.id}`, {
      body: { action: 'approve' },
      ...(by && { token: by }),
    })
  assert.equal((await answer(token)).status, 404)
  assert.equal((await house.call('POST', `/api/jobs/${turn.id}/cancel`, { token })).status, 404)
  assert.equal((await house.call('DELETE', `/api/threads/${turn.threadId}`, { token })).status, 404)
  const watch = house.turns.follow(turn.userId, turn)
  assert.equal((await answer(undefined)).status, 200)
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  assert.deepEqual([ran.length, (await house.call('GET', `/api/jobs/${turn.id}`)).json.response], [1, 'done'])
  assert.equal((await house.call('DELETE', `/api/threads/${turn.threadId}`)).status, 204)
  assert.equal((await house.call('GET', `/api/jobs/${turn.id}`)).status, 404)
})
