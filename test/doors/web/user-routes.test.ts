// Users: only the operator adds, lists and removes them; their tokens come and go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHold, echo, eventually, type Say, userTexts } from '../test-app.ts'
import { openHouse } from './house.ts'

test('a user is added with a token that is shown once and works', async (t) => {
  const { call, store } = await openHouse(t)
  const { status, json } = await call('POST', '/api/users', { body: { name: 'ada' } })
  assert.equal(status, 201)
  assert.equal(json.user.name, 'ada')
  assert.match(json.token, /^atr_[\w-]{43}$/)
  assert.equal(json.expires_at, null)
  assert.equal((await call('GET', '/api/jobs', { token: json.token })).status, 200)
  const list = await call('GET', '/api/users')
  assert.deepEqual(list.json.users, [
    { ...json.user, tokens: 1, expires_at: json.expires_at, issuer: null, last_seen_at: null },
  ])
  assert.doesNotMatch(list.text, /atr_/)
  assert.equal(await store.accounts.findByToken(json.token, Date.now()), undefined)
  const sent = await call('POST', '/api/chat', { token: json.token, body: { message: 'hello' } })
  const [{ last_seen_at }] = (await call('GET', '/api/users')).json.users
  assert.equal(
    last_seen_at,
    (await call('GET', `/api/jobs/${sent.json.turn_id}`, { token: json.token })).json.created_at,
  )
})

test("a user's token never reaches the operator's routes", async (t) => {
  const { call, addUser } = await openHouse(t)
  const token = await addUser('ada')
  for (const [method, path] of [
    ['GET', '/api/users'],
    ['POST', '/api/users'],
    ['DELETE', '/api/users/ada'],
    ['HEAD', '/api/users'],
  ] as const) {
    const answer = await call(method, path, { token, ...(method === 'POST' && { body: { name: 'eve' } }) })
    assert.equal(answer.status, 403, `${method} ${path}`)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    if (method !== 'HEAD') assert.equal(answer.text, 'Forbidden')
  }
  assert.equal((await call('GET', '/api/users')).json.users.length, 1)
})

test('a removed user is refused on the next request', async (t) => {
  const { call, addUser } = await openHouse(t)
  const token = await addUser('ada lovelace')
  assert.equal((await call('GET', '/api/jobs', { token })).status, 200)
  assert.equal((await call('DELETE', '/api/users/ada%20lovelace')).status, 200)
  assert.equal((await call('GET', '/api/jobs', { token })).status, 401)
  assert.equal((await call('DELETE', '/api/users/ada%20lovelace')).status, 404)
})

test('removing a user ends what runs and waits for them, and erases all that is theirs and nothing else', async (t) => {
  const hold = createHold()
  const say: Say = (request, signal) =>
    userTexts(request.items).at(-1) === 'long' ? hold.say(request, signal) : echo(request, signal)
  const { call, addUser } = await openHouse(t, { say })
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const done = await call('POST', '/api/chat', { token: ada, body: { message: 'one' } })
  const kept = await call('POST', '/api/chat', { token: bob, body: { message: 'mine' } })
  const waiting = call('POST', '/api/chat', { token: ada, body: { message: 'long' } })
  const model = 'any'
  const stream = call('POST', '/v1/responses', { token: ada, body: { model, input: 'long', stream: true } })
  await eventually(async () => (await call('GET', '/api/status', { token: ada })).json.active_jobs === 2)
  const removed = await call('DELETE', '/api/users/ada')
  assert.equal(removed.status, 200)
  assert.deepEqual(removed.json, {
    name: 'ada',
    erased: { threads: 3, turns: 3, items: 4, documents: 0, grants: 0, secrets: 0, skills: 0, files: 0 },
  })
  assert.match((await stream).text, /event: response.failed[\s\S]*"status":"cancelled"/)
  assert.ok([401, 404].includes((await waiting).status))
  await eventually(async () => (await call('GET', '/api/status')).json.active_jobs === 0)
  assert.equal((await call('GET', '/api/jobs', { token: ada })).status, 401)
  const again = await addUser('ada')
  assert.equal((await call('GET', `/api/threads/${done.json.thread_id}`, { token: again })).status, 404)
  assert.equal((await call('GET', `/api/threads/${kept.json.thread_id}`, { token: bob })).status, 200)
})

test('a token works until its expiry and not from then on', async (t) => {
  let now = 1_800_000_000_000
  const { call } = await openHouse(t, { now: () => now })
  const { json } = await call('POST', '/api/users', { body: { name: 'ada', expires_in_days: 2 } })
  assert.equal(json.expires_at, new Date(now + 2 * 86_400_000).toISOString())
  now += 2 * 86_400_000 - 1
  assert.equal((await call('GET', '/api/jobs', { token: json.token })).status, 200)
  now += 1
  assert.equal((await call('GET', '/api/jobs', { token: json.token })).status, 401)
})

test('a token may use the tools that it was made with', async (t) => {
  const { call } = await openHouse(t)
  await call('POST', '/api/users', { body: { name: 'ada', tools: [] } })
  await call('POST', '/api/users/ada/tokens', { body: { tools: ['time', 'time', 'calculate'] } })
  await call('POST', '/api/users/ada/tokens', { body: { tools: null } })
  const { tokens } = (await call('GET', '/api/users/ada/tokens')).json
  const made = tokens.map(({ tools = ['all'] }: { tools?: string[] }) => tools.join())
  assert.deepEqual(new Set(made), new Set(['', 'time,calculate', 'all']))
})

const refused: readonly [body: unknown, message: RegExp][] = [
  ['', /the body is empty/],
  [{}, /^name is missing/],
  [{ name: '' }, /^name must be 1 to 64/],
  [{ name: ' a' }, /^name must be/],
  [{ name: 'a\nb' }, /^name must be/],
  [{ name: 'a'.repeat(65) }, /^name must be/],
  [{ name: 7 }, /^name must be a string/],
  [{ name: 'taken' }, /exists already/],
  [{ name: 'a', expires_in_days: 0 }, /^expires_in_days must be/],
  [{ name: 'a', expires_in_days: 1.5 }, /^expires_in_days must be a whole number/],
  [{ name: 'a', expires_in_days: 3_651 }, /^expires_in_days must be/],
  [{ name: 'a', expires_in_days: '7' }, /^expires_in_days must be/],
  [{ name: 'a', tools: 'none' }, /^tools must be a list/],
  [{ name: 'a', tools: ['a b'] }, /^tools\[0\] must be the name of a tool/],
  [{ name: 'a', tools: Array.from({ length: 501 }, () => 'a') }, /^tools must have at most 500 names/],
  [{ name: 'Operator' }, /^name must be .* not operator or expiry$/],
  [{ name: 'expiry' }, /^name must be .* not operator or expiry$/],
]
test('bad users are refused with the field named', async (t) => {
  const { call, addUser } = await openHouse(t)
  await addUser('taken')
  for (const [body, message] of refused) {
    const { status, json } = await call('POST', '/api/users', { body })
    assert.equal(status, 400, JSON.stringify(body))
    assert.match(json.error.message, message)
  }
  assert.equal((await call('GET', '/api/users')).json.users.length, 1)
})
