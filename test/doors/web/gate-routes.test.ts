// Gates and grants over HTTP: what waits, the answer to it, and what is allowed from then on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import { calls, createWriter, eventually, type Say, says } from '../test-app.ts'
import { tool } from '../../agent/tools.ts'
import { message } from '../../turns/house.ts'
import { completedJob, openHouse } from './house.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Calls once for each message, and says what came of it. */
const asksFirst: Say = ({ items }) => {
  const last = items.at(-1)
  return last?.type === 'result' ? says(last.output) : calls('write_note', {})
}

test('a gate is denied with a word that the model reads', async (t) => {
  const ran: unknown[] = []
  const writer = { ...createWriter(ran), secrets: ['github_token'] }
  const { call } = await openHouse(t, { say: asksFirst, tools: [writer] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'write' } })
  assert.deepEqual(json.gate.secrets, ['github_token'])
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  const denied = await call('POST', path, { body: { action: 'deny', word: 'not now' } })
  assert.deepEqual([denied.json.thread_id, denied.json.turn_id], [json.thread_id, json.turn_id])
  assert.match(denied.json.status, /^(queued|running)$/)
  const job = await completedJob({ call }, json.turn_id)
  assert.match(job.json.response, /did not allow write_note: not now/)
  assert.deepEqual(ran, [])
  const again = await call('POST', path, { body: { action: 'approve' } })
  assert.equal(again.status, 409)
  assert.equal(again.json.error.code, 'gate_closed')
})

const form = {
  type: 'form',
  server: 'desk',
  message: 'Which table?',
  fields: [{ type: 'integer', name: 'table', title: 'Table', min: 1, max: 9, required: true }],
} as const
const desk = tool('write_note', { untrusted: true }, (_, { input }) => {
  if (input) return Promise.resolve(JSON.stringify(input))
  throw new AppError('input_required', 'which table?', { input: { request: form, state: 'not shown' } })
})

test('a form is answered with values; one that does not fit is 400, names the field and leaves it open', async (t) => {
  const { call } = await openHouse(t, { say: asksFirst, tools: [desk] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'book' } })
  assert.equal(json.status, 'waiting')
  const { gates } = (await call('GET', '/api/gates')).json
  assert.deepEqual(gates[0].input, {
    ...form,
    fields: [{ ...form.fields[0], hint: 'a whole number from 1 to 9' }],
  })
  assert.equal(gates[0].question.text, 'Answer desk?')
  assert.ok(!JSON.stringify([json, gates]).includes('not shown'))
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  const late = await call('POST', path, { body: { action: 'answer', values: { table: 10 } } })
  assert.deepEqual(
    [late.status, late.json.error],
    [400, { code: 'invalid_input', message: 'Table must be at most 9', param: 'values.table' }],
  )
  assert.equal((await call('POST', path, { body: { action: 'approve' } })).status, 400)
  assert.equal((await call('GET', '/api/gates')).json.gates.length, 1)
  assert.equal((await call('POST', path, { body: { action: 'answer', values: { table: 9 } } })).status, 200)
  const job = await completedJob({ call }, json.turn_id)
  assert.match(job.json.response, /"action":"accept","values":\{"table":9\}/)
  const answered = (await call('GET', '/api/gates/answered')).json.gates
  assert.deepEqual([answered[0].kind, answered[0].decision], ['input', 'allow'])
})

test('a form takes as many long values as it may have fields', async (t) => {
  const fields = Array.from({ length: 50 }, (_, n) => ({ type: 'text', name: `f${n}` }) as const)
  const long = tool('write_note', { untrusted: true }, (_, { input }) => {
    if (input) return Promise.resolve('filled in')
    throw new AppError('input_required', 'fill it in', { input: { request: { ...form, fields }, state: '' } })
  })
  const { call } = await openHouse(t, { say: asksFirst, tools: [long] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'book' } })
  const values = Object.fromEntries(fields.map(({ name }) => [name, 'x'.repeat(10_000)]))
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  assert.equal((await call('POST', path, { body: { action: 'answer', values } })).status, 200)
  await completedJob({ call }, json.turn_id)
})

test('a form is declined with deny', async (t) => {
  const { call } = await openHouse(t, { say: asksFirst, tools: [desk] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'book' } })
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  assert.equal((await call('POST', path, { body: { action: 'deny' } })).status, 200)
  const job = await completedJob({ call }, json.turn_id)
  assert.match(job.json.response, /"action":"decline"/)
})

test('a gate takes approve, always and deny from its owner alone', async (t) => {
  const ran: unknown[] = []
  const { call, addUser } = await openHouse(t, { say: asksFirst, tools: [createWriter(ran)] })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'write' } })
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  for (const token of [bob, 'operator-token-of-the-tests']) {
    assert.equal((await call('POST', path, { token, body: { action: 'approve' } })).status, 404)
  }
  for (const [body, message] of [
    ['', /body is empty/],
    [{}, /^action must be approve, always, deny or answer/],
    [{ action: 'approve', values: {} }, /^values go with action answer/],
    [{ action: 'answer', values: {} }, /kind approval: it takes no values/],
    [{ action: 'allow' }, /^action must be/],
    [{ action: 'deny', word: 5 }, /^word must be a string/],
    [{ action: 'always', scope: 'all' }, /^scope must be tool, target or file/],
    [{ action: 'always', for: 'ever' }, /^for must be hour, day or good/],
    [{ action: 'approve', for: 'day' }, /^scope, for and untrusted go with action always/],
    [{ action: 'deny', untrusted: true }, /^scope, for and untrusted go with action always/],
  ] as const) {
    const { status, json } = await call('POST', path, { token: ada, body })
    assert.equal(status, 400)
    assert.match(json.error.message, message)
  }
  assert.equal((await call('POST', `${path}x`, { token: ada, body: { action: 'approve' } })).status, 404)
  assert.equal((await call('POST', path, { token: ada, body: { action: 'always' } })).status, 200)
  await completedJob({ call }, json.turn_id, ada)
  assert.equal(ran.length, 1)
  const { items } = (await call('GET', `/api/threads/${json.thread_id}`, { token: ada })).json
  const answer = items.find(({ type }: { type: string }) => type === 'answer')
  assert.equal(answer.by, 'ada')
  const gate = items.find(({ type }: { type: string }) => type === 'gate')
  assert.equal(gate.call_id, json.gate.id)
  assert.notEqual(gate.id, json.gate.id)
})

test('what waits is listed with all that a person needs to decide, to whoever may answer', async (t) => {
  let now = Date.parse('2026-05-01T10:00:00Z')
  const { call, addUser, turns } = await openHouse(t, { say: asksFirst, tools: [createWriter([])], now: () => now })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'write' } })
  const { gates } = (await call('GET', '/api/gates', { token: ada })).json
  assert.deepEqual(gates, [
    {
      id: json.gate.id,
      kind: 'approval',
      name: 'write_note',
      args: {},
      prompt: 'Run `write_note`?',
      reason: 'write_note may change something',
      why: 'It may change something',
      question: { text: 'Run write_note?', brief: 'Run write_note', sentence: 'Nothing has happened yet.' },
      preview: { type: 'arguments', fields: {} },
      always: true,
      scopes: [{ scope: 'tool', words: 'whatever it is given' }],
      thread_id: json.thread_id,
      turn_id: json.turn_id,
      door: 'web',
      created_at: '2026-05-01T10:00:00.000Z',
      expires_at: '2026-05-02T10:00:00.000Z',
    },
  ])
  for (const token of [bob, undefined]) {
    assert.deepEqual((await call('GET', '/api/gates', token ? { token } : {})).json, { gates: [] })
  }
  const hooked = message('write', { user: userId('webhook:x'), door: 'webhook' })
  const { turn, events } = await turns.start(hooked)
  events.close()
  const [seen] = await eventually(async () => {
    const { gates } = (await call('GET', '/api/gates')).json
    return gates.length > 0 && gates
  })
  assert.deepEqual([seen.turn_id, seen.door, seen.sender], [turn.id, 'webhook', 'x'])
  now += 1
  const answered = await call('POST', `/api/threads/${turn.threadId}/gates/${seen.id}`, { body: { action: 'always' } })
  assert.equal(answered.status, 200)
  await completedJob({ call }, turn.id)
  assert.deepEqual((await call('GET', '/api/gates')).json, { gates: [] })
  const { grants } = (await call('GET', '/api/grants')).json
  assert.deepEqual([grants.length, grants[0].user, grants[0].by], [1, 'webhook:x', 'operator'])
})

test('what was answered is told with who said it, since a time', async (t) => {
  const { call, addUser } = await openHouse(t, { say: asksFirst, tools: [createWriter([])] })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const since = new Date().toISOString()
  const answered = async (token: string, from = since) =>
    (await call('GET', `/api/gates/answered?since=${encodeURIComponent(from)}`, { token })).json.gates
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'write' } })
  assert.deepEqual(await answered(ada), [])
  const body = { action: 'always', scope: 'tool', for: 'hour' }
  await call('POST', `/api/threads/${json.thread_id}/gates/${json.gate.id}`, { token: ada, body })
  const [{ answered_at, until, ...gate }] = await answered(ada)
  assert.ok(answered_at >= since)
  assert.equal(until, (await call('GET', '/api/grants', { token: ada })).json.grants[0].expires_at)
  const { thread_id, turn_id } = json
  const { created_at, expires_at, ...told } = gate
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), dayMs)
  assert.deepEqual(told, { ...json.gate, thread_id, turn_id, door: 'web', decision: 'allow', by: 'ada', scope: 'tool' })
  assert.equal((await call('GET', '/api/gates/answered', { token: ada })).json.gates.length, 1)
  assert.deepEqual(await answered(bob), [])
  assert.deepEqual(await answered(ada, new Date(Date.now() + dayMs).toISOString()), [])
  const other = (await call('POST', '/api/chat', { token: bob, body: { message: 'write' } })).json
  const no = { action: 'deny', word: 'Not today.' }
  await call('POST', `/api/threads/${other.thread_id}/gates/${other.gate.id}`, { token: bob, body: no })
  const [denied] = await answered(bob)
  assert.deepEqual([denied.decision, denied.word, 'scope' in denied], ['deny', 'Not today.', false])
  for (const wrong of ['yesterday', '2026-01-31']) {
    const refused = await call('GET', `/api/gates/answered?since=${wrong}`, { token: ada })
    assert.equal(refused.status, 400)
    assert.match(refused.json.error.message, /^since must be a time such as/)
  }
})

test('always allows the same again until it ends or is taken back; others are still asked', async (t) => {
  let now = Date.now()
  const ran: unknown[] = []
  const { call, addUser } = await openHouse(t, { say: asksFirst, tools: [createWriter(ran)], now: () => now })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const write = async (token: string) => (await call('POST', '/api/chat', { token, body: { message: 'write' } })).json
  const answer = async (token: string, body: object) => {
    const { thread_id, turn_id, gate } = await write(token)
    const { status } = await call('POST', `/api/threads/${thread_id}/gates/${gate.id}`, { token, body })
    assert.equal(status, 200)
    await completedJob({ call }, turn_id, token)
  }
  await answer(ada, { action: 'approve' })
  assert.equal((await write(ada)).status, 'waiting', 'once is once')
  await answer(ada, { action: 'always', scope: 'tool', for: 'day' })
  assert.equal((await write(ada)).status, 'completed')
  assert.equal((await write(bob)).status, 'waiting')
  const { grants } = (await call('GET', '/api/grants', { token: ada })).json
  const { id, created_at, expires_at, uses, ...rest } = grants[0]
  assert.equal(uses, 2, 'the call it was given for, and one more')
  assert.deepEqual(rest, {
    user: rest.user,
    tool: 'write_note',
    scope: 'tool',
    target: null,
    untrusted: true,
    by: 'ada',
  })
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), dayMs)
  assert.equal((await call('DELETE', `/api/grants/${id}`, { token: bob })).status, 404)
  assert.equal((await call('DELETE', `/api/grants/${id}`)).status, 404)
  assert.equal((await write(ada)).status, 'completed')
  assert.equal((await call('DELETE', `/api/grants/${id}`, { token: ada })).status, 204)
  assert.equal((await call('DELETE', `/api/grants/${id}`, { token: ada })).status, 404)
  assert.deepEqual((await call('GET', '/api/grants', { token: ada })).json, { grants: [] })
  assert.equal((await write(ada)).status, 'waiting')
  await answer(ada, { action: 'always', for: 'hour' })
  assert.equal((await write(ada)).status, 'completed')
  now += 3_600_000
  assert.equal((await write(ada)).status, 'waiting', 'an hour is over')
  assert.equal(ran.length, 6)
})

test('a call made after outside text was read can only be allowed once, and nothing is answered by the try', async (t) => {
  const page = tool('page', { untrusted: true }, () => Promise.resolve('a page'))
  const say: Say = ({ items }) => {
    const results = items.filter(({ type }) => type === 'result').length
    return results === 0 ? calls('page', {}) : results === 1 ? calls('write_note', {}) : says('done')
  }
  const ran: unknown[] = []
  const { call } = await openHouse(t, { say, tools: [page, createWriter(ran)] })
  const { json } = await call('POST', '/api/chat', { body: { message: 'go' } })
  assert.equal(json.gate.taint, 'page')
  assert.match(json.gate.reason, /the model has read page/)
  const path = `/api/threads/${json.thread_id}/gates/${json.gate.id}`
  const refused = await call('POST', path, { body: { action: 'always', scope: 'tool', for: 'good' } })
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'grant_refused'])
  assert.match(refused.json.error.message, /can only be allowed once/)
  assert.deepEqual([ran.length, (await call('GET', '/api/grants')).json], [0, { grants: [] }])
  assert.equal((await call('POST', path, { body: { action: 'approve' } })).status, 200)
  await completedJob({ call }, json.turn_id)
  assert.equal(ran.length, 1)
})
