// Jobs: lists, pages, one, cancel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { createHold, type Say, says } from '../test-app.ts'
import { openHouse } from './house.ts'

test('jobs are listed newest first, in pages, with their response and times', async (t) => {
  const { call } = await openHouse(t)
  const ids: string[] = []
  for (const message of ['a', 'b', 'c'])
    ids.unshift((await call('POST', '/api/chat', { body: { message } })).json.turn_id)
  const first = (await call('GET', '/api/jobs?limit=2')).json
  assert.deepEqual(
    first.jobs.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  )
  const second = (await call('GET', `/api/jobs?limit=2&cursor=${first.next_cursor}`)).json
  assert.deepEqual(
    second.jobs.map(({ id }: { id: string }) => id),
    ids.slice(2),
  )
  assert.equal(second.next_cursor, null)
  assert.equal(first.total, undefined)
  assert.equal((await call('GET', '/api/jobs?limit=2&total=true')).json.total, 3)
  const [job] = second.jobs
  assert.equal(job.response, 'you said: a')
  assert.equal(job.status, 'completed')
  assert.equal(job.door, 'web')
  assert.match(job.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.ok(job.completed_at >= job.created_at)
  assert.deepEqual(Object.keys(job), [
    'id',
    'thread_id',
    'door',
    'status',
    'created_at',
    'completed_at',
    'response',
    'usage',
    'title',
    'message',
  ])
  assert.deepEqual([job.title, job.message], ['a', 'a'])
  assert.deepEqual((await call('GET', `/api/jobs/${job.id}`)).json, job)
})

test('jobs of one thread show their own words beside its title', async (t) => {
  const { call } = await openHouse(t)
  const { thread_id } = (await call('POST', '/api/chat', { body: { message: 'Plan the move' } })).json
  await call('POST', '/api/chat', { body: { thread_id, message: 'Shorter please\nand in German' } })
  const listed = (await call('GET', '/api/jobs')).json.jobs
  assert.deepEqual(
    listed.map(({ title, message }: Record<string, string>) => [title, message]),
    [
      ['Plan the move', 'Shorter please'],
      ['Plan the move', 'Plan the move'],
    ],
  )
  assert.equal((await call('GET', `/api/jobs/${listed[0].id}`)).json.message, 'Shorter please')
})

test('a list shows the beginning of a long response and says so; the job alone has all of it', async (t) => {
  const long = 'ü'.repeat(5_000)
  const { call } = await openHouse(t, { say: () => says(long) })
  const { json } = await call('POST', '/api/chat', { body: { message: 'a'.repeat(500_000) } })
  const listed = await call('GET', '/api/jobs?limit=100')
  const [job] = listed.json.jobs
  assert.deepEqual([job.id, job.response_cut, job.response], [json.turn_id, true, long.slice(0, 2_000)])
  assert.ok(listed.text.length < 10_000, 'what was sent is not in it')
  const alone = (await call('GET', `/api/jobs/${job.id}`)).json
  assert.deepEqual([alone.response, alone.response_cut], [long, undefined])
})

test('the operator sees who sent a job of the webhook channel; of its own it need not be told', async (t) => {
  const { call, turns } = await openHouse(t)
  const { userId } = await import('#core/ids.ts')
  const hooked = { user: userId('webhook:ci-bot'), door: 'webhook' as const, whenBusy: 'queue' as const }
  const { turn, events } = await turns.start({ ...hooked, input: [textMessage('user', 'hers')], options: {} })
  events.close()
  await call('POST', '/api/chat', { body: { message: 'mine' } })
  const listed = (await call('GET', '/api/jobs')).json.jobs.map((job: { sender?: string }) => job.sender)
  assert.deepEqual(listed, [undefined, 'ci-bot'])
  assert.equal((await call('GET', `/api/jobs/${turn.id}`)).json.sender, 'ci-bot')
  assert.equal((await call('GET', `/api/jobs/${turn.id}`)).json.message, 'hers')
  // Those of one of them are asked for by the name that the list of senders has.
  assert.deepEqual((await call('GET', '/api/senders')).json, { senders: ['webhook:ci-bot'] })
  const of = async (user: string) => (await call('GET', `/api/jobs?total=true&user=${user}`)).json
  const [hers, own, nobody] = [await of('webhook:ci-bot'), await of('operator'), await of('webhook:eve')]
  assert.deepEqual([hers.jobs[0].id, hers.total, own.jobs[0].sender, own.total], [turn.id, 1, undefined, 1])
  assert.deepEqual([nobody.jobs, nobody.total], [[], 0])
})

test('a page holds 20 jobs unless asked, and at most 100', async (t) => {
  const { call, turns } = await openHouse(t)
  const { operator } = await import('#core/ids.ts')
  for (let at = 0; at < 105; at++) {
    const { events } = await turns.start({ user: operator, door: 'web', input: [], options: {}, whenBusy: 'queue' })
    events.close()
  }
  const pageSize = async (query: string) => (await call('GET', `/api/jobs${query}`)).json.jobs.length
  assert.equal(await pageSize(''), 20)
  assert.equal(await pageSize('?limit=100'), 100)
  assert.equal(await pageSize('?limit=5000'), 100)
})

test('jobs are found by their status', async (t) => {
  const say: Say = ({ items }) => {
    if (JSON.stringify(items).includes('fail')) throw new Error('no')
    return says('yes')
  }
  const { call } = await openHouse(t, { say })
  await call('POST', '/api/chat', { body: { message: 'go' } })
  await call('POST', '/api/chat', { body: { message: 'fail' } })
  const found = async (status: string) => (await call('GET', `/api/jobs?status=${status}`)).json.jobs
  assert.equal((await found('completed')).length, 1)
  const [failed] = await found('failed')
  assert.equal(failed.error.code, 'internal')
  assert.equal(failed.response, undefined)
  for (const status of ['queued', 'running', 'waiting', 'cancelled']) assert.deepEqual(await found(status), [])
})

const badQueries: readonly [query: string, message: RegExp][] = [
  ['status=done', /^status must be one of queued/],
  ['status=queued&status=failed', /^status/],
  ['limit=0', /^limit must be/],
  ['limit=-1', /^limit must be/],
  ['limit=2.5', /^limit must be/],
  ['limit=ten', /^limit must be/],
  ['limit=', /^limit must be/],
  ['cursor=x', /^cursor must be/],
  ['cursor=%00', /^cursor must be/],
]
test('a bad query is 400 and names the field', async (t) => {
  const { call } = await openHouse(t)
  for (const [query, message] of badQueries) {
    const { status, json } = await call('GET', `/api/jobs?${query}`)
    assert.equal(status, 400, query)
    assert.equal(json.error.code, 'invalid_input')
    assert.match(json.error.message, message, query)
  }
})

test('cancel stops a running job, and again changes nothing', async (t) => {
  const hold = createHold()
  const { call } = await openHouse(t, { say: hold.say })
  const waiting = call('POST', '/api/chat', { body: { message: 'long' } })
  await hold.asked
  const [job] = (await call('GET', '/api/jobs?status=running')).json.jobs
  assert.equal(job.completed_at, null)
  assert.equal(job.usage.cost_usd, null, 'nobody knows yet what it costs')
  const cancelled = await call('POST', `/api/jobs/${job.id}/cancel`)
  assert.equal(cancelled.status, 200)
  assert.equal(cancelled.json.status, 'cancelled')
  assert.equal((await waiting).json.status, 'cancelled')
  const again = await call('POST', `/api/jobs/${job.id}/cancel`, { headers: { 'content-type': 'application/json' } })
  assert.deepEqual(again.json, cancelled.json)
})

test('unknown, malformed and foreign jobs are 404, the same for all', async (t) => {
  const { call, addUser } = await openHouse(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'mine' } })
  const ids = ['x', 'é', 'a'.repeat(500), '0197a000-0000-7000-8000-000000000000', json.turn_id]
  const texts = new Set<string>()
  for (const id of ids) {
    for (const [method, path] of [['GET', ''] as const, ['POST', '/cancel'] as const]) {
      const answer = await call(method, `/api/jobs/${encodeURIComponent(id)}${path}`, { token: bob })
      assert.equal(answer.status, 404, id)
      texts.add(answer.text)
    }
  }
  assert.equal(texts.size, 1)
  assert.deepEqual((await call('GET', '/api/jobs', { token: bob })).json.jobs, [])
  assert.deepEqual((await call('GET', '/api/jobs')).json.jobs, [])
  assert.equal((await call('GET', `/api/jobs/${json.turn_id}`, { token: ada })).json.status, 'completed')
})

test('a list and a job alone show the same reply, also where it has several parts', async (t) => {
  const parts = ['first', 'second', 'third']
  const { call } = await openHouse(t, {
    say: () => [
      { type: 'reasoning', text: 'hm' },
      ...parts.flatMap((text) => [
        { type: 'text' as const, text },
        { type: 'reasoning' as const, text: 'and', seal: 's' },
      ]),
      { type: 'done', usage: noUsage },
    ],
  })
  const { turn_id } = (await call('POST', '/api/chat', { body: { message: 'hi' } })).json
  const alone = (await call('GET', `/api/jobs/${turn_id}`)).json
  const [listed] = (await call('GET', '/api/jobs')).json.jobs
  assert.equal(alone.response, parts.join('\n\n'))
  assert.equal(listed.response, alone.response)
})

test('a gate at the end of a very long turn is shown', async (t) => {
  const { store, call } = await openHouse(t)
  const lease = await store.leases.join(newId())
  const input = [{ id: newId(), item: { type: 'message' as const, role: 'user' as const, content: [] } }]
  const { turn } = await store.turns.start({
    user: operator,
    door: 'web',
    title: 'long',
    input,
    options: {},
    whenBusy: 'queue',
    lease,
  })
  const attempts = Array.from({ length: 10_050 }, (_, at) => ({
    id: newId(),
    item: { type: 'attempt' as const, callId: `c${at}` },
  }))
  await store.turns.record(turn, lease, { drafts: attempts, usage: noUsage })
  const drafts = [
    { id: newId(), item: { type: 'call' as const, callId: 'last', name: 'act', args: '{}' } },
    {
      id: newId(),
      item: { type: 'gate' as const, callId: 'last', kind: 'approval' as const, name: 'act', args: '{}', prompt: '?' },
    },
  ]
  await store.turns.record(turn, lease, { drafts, usage: noUsage, outcome: { status: 'waiting' } })
  const job = (await call('GET', `/api/jobs/${turn.id}`)).json
  assert.deepEqual([job.status, job.gate?.id], ['waiting', 'last'])
})
