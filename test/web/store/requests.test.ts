// What each action of a page asks of the gateway, and what it reads again afterwards.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, type Asked, freshPage, gateway, ok, refusal, serveAll, settled } from './page.ts'
import { ApiFault } from '../../../web/api/client.ts'
import { go } from '../../../web/router.ts'
import { activity, latest, span, spans } from '../../../web/store/activity.ts'
import { now } from '../../../web/store/clock.ts'
import { answeredToday, answerGate, applyGate, gates, waiting } from '../../../web/store/gates.ts'
import { grants, revokeGrant } from '../../../web/store/grants.ts'
import { stopJob } from '../../../web/store/jobs.ts'
import { receiptOf } from '../../../web/store/receipts.ts'
import { service } from '../../../web/store/service.ts'
import {
  changeSettings,
  chooseModel,
  failedItsTest,
  resetPolicy,
  setPolicy,
  settings,
  switchMark,
  tryModel,
} from '../../../web/store/settings.ts'
import {
  forgetSecret,
  openTool,
  readNeeds,
  removeTool,
  setUpTool,
  signToolIn,
  switchTool,
  toolAddress,
  tools,
  tryTool,
} from '../../../web/store/tools.ts'
import {
  addToken,
  addUser,
  newToken,
  removeUser,
  revokeToken,
  revokeTokens,
  tokensOf,
  users,
} from '../../../web/store/users.ts'

const line = ({ method, path, body }: Asked): string =>
  `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`

/** What the work asks for, in order. */
async function asks(work: () => unknown): Promise<string[]> {
  gateway.asked.length = 0
  await work()
  await settled()
  return gateway.asked.map(line)
}

test('tools: the list is read again after a change; names are safe in the address', async (t) => {
  serveAll(t)
  gateway.on('GET /api/tools', ok({ tools: [{ name: 'a b' }] }))
  const list = 'GET /api/tools'
  assert.deepEqual(await asks(() => switchTool('a b', false)), ['PATCH /api/tools/a%20b {"enabled":false}', list])
  assert.deepEqual(tools.data.value, [{ name: 'a b' }])
  assert.deepEqual(await asks(() => removeTool('a')), ['DELETE /api/tools/a', list])
  assert.deepEqual(await asks(() => tryTool('a', { params: { x: 1 } })), ['POST /api/tools/a/test {"params":{"x":1}}'])
  assert.deepEqual(await asks(() => readNeeds('a')), ['GET /api/tools/a/auth'])
  assert.deepEqual(await asks(() => signToolIn('a', { token: 't' })), ['POST /api/tools/a/auth {"token":"t"}'])
  assert.deepEqual(await asks(() => setUpTool('a', { s: 'v' })), ['POST /api/tools/a/setup {"secrets":{"s":"v"}}'])
  assert.deepEqual(await asks(() => forgetSecret('a', 's/1')), ['DELETE /api/tools/a/secrets/s%2F1'])
  go(toolAddress('a b'))
  assert.deepEqual([address.search, openTool.value], ['?tool=a+b', 'a b'])
  go('/tools')
  assert.equal(openTool.value, undefined)
})

test('users: a new token is shown once, and goes with its user', async (t) => {
  serveAll(t)
  const list = 'GET /api/users'
  gateway.on('POST /api/users*', ok({ token: 'secret' }))
  assert.deepEqual(await asks(() => addUser('ada', 90)), ['POST /api/users {"name":"ada","expires_in_days":90}', list])
  assert.deepEqual(newToken.value, { name: 'ada', token: 'secret' })
  assert.deepEqual(await asks(() => addUser('bob', undefined)), ['POST /api/users {"name":"bob"}', list])
  assert.deepEqual(await asks(() => removeUser('a/da')), ['DELETE /api/users/a%2Fda', list])
  assert.deepEqual(newToken.value, { name: 'bob', token: 'secret' })
  await removeUser('bob')
  assert.equal(newToken.value, undefined)
  assert.deepEqual(await asks(() => addToken('bob')), ['POST /api/users/bob/tokens {}', list])
  assert.deepEqual(newToken.value, { name: 'bob', token: 'secret' })
  assert.deepEqual(users.data.value, [])
})

test('tokens are revoked alone or all, and the list is right even if one could not be', async (t) => {
  serveAll(t)
  gateway.on('GET /api/users/bob/tokens', ok({ tokens: [{ id: '1' }, { id: '2' }] }))
  const list = 'GET /api/users'
  const tokens = tokensOf('bob')
  await tokens.load()
  assert.deepEqual(tokens.data.value, [{ id: '1' }, { id: '2' }])
  assert.deepEqual(await asks(() => revokeToken('bob', '1')), ['DELETE /api/users/bob/tokens/1', list])
  newToken.value = { name: 'ada', token: 'x' }
  assert.deepEqual(await asks(() => revokeTokens('bob')), [
    'GET /api/users/bob/tokens',
    'DELETE /api/users/bob/tokens/1',
    'DELETE /api/users/bob/tokens/2',
    list,
  ])
  assert.equal(newToken.value?.name, 'ada')
  newToken.value = { name: 'bob', token: 'x' }
  gateway.on('DELETE /api/users/bob/tokens/1', refusal(500, 'internal'))
  const told = await asks(() => assert.rejects(revokeTokens('bob'), { status: 500 }))
  assert.deepEqual([told.at(-1), newToken.value], [list, undefined])
})

test('settings: what the gateway answers is shown, and the service read again', async (t) => {
  serveAll(t)
  gateway.on('PATCH /api/settings', ok({ marks_off: ['x'] }))
  const patch = 'PATCH /api/settings'
  const status = 'GET /api/status'
  assert.deepEqual(await asks(() => changeSettings({ spend_per_day_usd: 1 })), [
    `${patch} {"spend_per_day_usd":1}`,
    status,
  ])
  assert.deepEqual(settings.data.value, { marks_off: ['x'] })
  const rules = { clean: 'ask', tainted: 'deny' } as const
  assert.deepEqual(await asks(() => setPolicy('shell', rules)), [
    `${patch} {"policy":{"shell":{"clean":"ask","tainted":"deny"}}}`,
    status,
  ])
  assert.deepEqual(await asks(() => resetPolicy('shell')), [`${patch} {"policy":{"shell":null}}`, status])
  assert.deepEqual(await asks(() => switchMark('urgency', false)), [`${patch} {"marks":{"urgency":false}}`, status])
  assert.deepEqual(await asks(() => tryModel()), ['POST /api/settings/test {}'])
  assert.deepEqual(await asks(() => settings.load()), ['GET /api/settings'])
})

test('a model is chosen with its address; it is no fallback of itself', async (t) => {
  serveAll(t)
  const model = { provider: 'openai', name: 'gpt', base_url: undefined } as never
  for (const [fallback, rest] of [
    [['openai/gpt', 'a/b', 'openai/gpt@http://x', 'openai/gpt-mini'], 'a/b, openai/gpt-mini'],
    [['openai/gpt'], null],
  ] as const) {
    gateway.on('GET /api/settings', ok({ model: { fallback } }))
    await chooseModel(model)
    const change = { provider: 'openai', model: 'gpt', base_url: null, fallback: rest }
    assert.deepEqual(gateway.bodies('PATCH /api/settings').at(-1), change)
    await chooseModel(model, { force: true })
    assert.deepEqual(gateway.bodies('PATCH /api/settings').at(-1), { ...change, force: true })
  }
  await chooseModel({ provider: 'ollama', name: 'm', base_url: 'http://y' } as never)
  assert.equal((gateway.bodies('PATCH /api/settings').at(-1) as { base_url: string }).base_url, 'http://y')
})

test('a model that failed its test is told from other faults', () => {
  const fault = (code: string) => new ApiFault(400, code, '')
  assert.deepEqual(
    [fault('model_unreachable'), fault('invalid_request'), new Error('model_unreachable')].map(failedItsTest),
    [true, false, false],
  )
})

test('grants, jobs and receipts', async (t) => {
  serveAll(t)
  assert.deepEqual(await asks(() => revokeGrant('g/1')), ['DELETE /api/grants/g%2F1', 'GET /api/grants'])
  assert.deepEqual(grants.data.value, [])
  assert.deepEqual(await asks(() => stopJob('j')), ['POST /api/jobs/j/cancel {}'])
  const receipt = receiptOf('t1')
  assert.deepEqual(await asks(() => receipt.load()), ['GET /api/turns/t1/receipt'])
  assert.equal(receiptOf('t1'), receipt)
  for (let at = 2; at <= 500; at++) receiptOf(`t${at}`)
  assert.equal(receiptOf('t1'), receipt, 'five hundred are kept')
  receiptOf('t501')
  assert.equal(receiptOf('t1'), receipt, 'the one used last goes last')
  for (let at = 600; at < 1_100; at++) receiptOf(`t${at}`)
  assert.notEqual(receiptOf('t1'), receipt)
})

test('a gate is answered, and the list read again, also when somebody else was first', async (t) => {
  serveAll(t)
  const path = 'POST /api/threads/t/gates/g%201'
  const answer = { action: 'allow' } as never
  assert.deepEqual(await asks(() => answerGate('t', 'g 1', answer)), [`${path} {"action":"allow"}`, 'GET /api/gates'])
  gateway.on(path, refusal(409, 'gate_closed'))
  const told = await asks(() => assert.rejects(answerGate('t', 'g 1', answer), { code: 'gate_closed' }))
  assert.equal(told[1], 'GET /api/gates')
})

test('gates come and go by frames; what a caller owes is not for a person to answer', (t) => {
  serveAll(t)
  gates.data.value = undefined
  assert.deepEqual(waiting.value, [])
  const gate = (id: string, kind = 'approval') => ({ type: 'gate', id, kind, thread_id: 't', waiting: 1 }) as never
  const ids = () => waiting.value.map(({ id }) => id)
  for (const each of [gate('1'), gate('2'), gate('3', 'output'), gate('1')]) applyGate(each)
  assert.deepEqual(ids(), ['2', '1'])
  applyGate({ type: 'gate', id: '2', thread_id: 't', closed: true, waiting: 0 })
  assert.deepEqual([ids(), gates.data.peek()?.length], [['1'], 2])
})

test('the gates answered today are those since the reader’s midnight', async (t) => {
  freshPage(t, { now: new Date(2026, 4, 7, 15, 30, 20, 5).getTime() })
  gateway.on('GET /api/gates/answered', ok({ gates: [{ id: 'g' }] }))
  await answeredToday.load()
  const since = gateway.asked[0]?.query.get('since') ?? ''
  assert.equal(new Date(since).getTime(), new Date(2026, 4, 7).getTime())
  assert.deepEqual(answeredToday.data.value, [{ id: 'g' }])
})

test('usage is asked for by days; the latest turns have the number of their tool calls, read once', async (t) => {
  serveAll(t)
  const row = { date: '2026-05-07', model: 'm', user: 'u', turns: 2, input_tokens: 1, output_tokens: 1, cost_usd: 1 }
  gateway.on('GET /api/usage', ok({ days: [row] }))
  now.value = Date.parse('2026-05-07T12:00:00Z')
  assert.equal(activity.data.peek(), undefined)
  await activity.load()
  assert.equal(gateway.asked[0]?.query.toString(), 'days=30&totals=true')
  const { turns, days, failed, stopped, before, byDoor } = activity.data.value ?? assert.fail()
  assert.deepEqual([turns, days.length, failed, stopped, before, byDoor], [2, 30, 0, 0, undefined, []])
  assert.deepEqual(spans, ['7', '30', '90'])
  span.value = '7'
  const totals = { before_usd: 3, before_unpriced_calls: 1, failed: 1, cancelled: 2, doors: [], missions: [] }
  gateway.on('GET /api/usage', ok({ days: [row], totals }))
  await activity.load()
  assert.deepEqual([activity.data.value?.days.length, activity.data.value?.before], [7, { usd: 3, unpriced: 1 }])

  const jobs = [
    { id: 'ended', completed_at: 'then' },
    { id: 'running', completed_at: null },
  ]
  gateway.on('GET /api/jobs', ok({ jobs }))
  gateway.on('GET /api/turns/*', ok({ tools: [{}, {}] }))
  assert.deepEqual(await asks(() => latest.load()), [
    'GET /api/jobs',
    'GET /api/turns/ended/receipt',
    'GET /api/turns/running/receipt',
  ])
  assert.equal(gateway.asked[0]?.query.get('limit'), '5')
  assert.deepEqual(
    latest.data.value?.map((each) => each.tools),
    [2, 2],
  )
  assert.deepEqual((await asks(() => latest.load())).slice(1), ['GET /api/turns/running/receipt'])
  // Fifty counts are kept; the next one begins anew.
  const many = Array.from({ length: 50 }, (_, at) => ({ id: `j${at}`, completed_at: 'then' }))
  gateway.on('GET /api/jobs', ok({ jobs: many.slice(0, 49) }))
  await latest.load()
  gateway.on('GET /api/jobs', ok({ jobs: [jobs[0], many[0]] }))
  assert.equal((await asks(() => latest.load())).length, 1)
  gateway.on('GET /api/jobs', ok({ jobs: many.slice(49) }))
  await latest.load()
  gateway.on('GET /api/jobs', ok({ jobs: [jobs[0]] }))
  assert.equal((await asks(() => latest.load())).length, 2)
})

test('the service is read', async (t) => {
  serveAll(t)
  assert.deepEqual(await asks(() => service.load()), ['GET /api/status'])
})
