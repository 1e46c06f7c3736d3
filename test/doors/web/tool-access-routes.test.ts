// Signing a tool in over HTTP, against a real OAuth server, and the turn that waited for it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { atrium, serve } from '../../atrium.ts'
import { until } from '../../until.ts'
import { openAuthHome } from '../../sandbox/auth/house.ts'

const operatorToken = 'operator-token-for-the-test-of-tools'

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Answer = { status: number; json: any; cookie: string }

async function openHouse(t: TestContext, auth: object = {}) {
  const { home, issuer, env } = await openAuthHome(t, auth)
  const service = await serve(home, { ...env, GATEWAY_AUTH_TOKEN: operatorToken })
  t.after(() => service.stop())
  async function call(
    method: string,
    path: string,
    { token = operatorToken, body }: { token?: string; body?: object } = {},
  ): Promise<Answer> {
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text, cookie }
  }
  const user = async (name: string): Promise<string> =>
    (JSON.parse((await atrium(home, ['user', 'add', name, '--json'])).stdout) as { token: string }).token
  return { home, issuer, service, call, user }
}

const text = (job: Answer): string => String(job.json.response ?? '')

test('a turn that lacks a sign-in waits at a gate that says which; after the sign-in in a browser it goes on by itself', async (t) => {
  const { issuer, service, call, user } = await openHouse(t)
  const [ada, bob] = [await user('ada'), await user('bob')]
  const waiting = await call('POST', '/api/chat', { token: ada, body: { message: 'the things' } })
  assert.equal(waiting.json.status, 'waiting')
  assert.deepEqual(
    [waiting.json.gate.kind, waiting.json.gate.credential],
    ['credential', { tool: 'things', secret: 'things_token', title: 'Things' }],
  )
  const other = await call('POST', '/api/chat', { token: bob, body: { message: 'the things' } })
  assert.equal(other.json.status, 'waiting')

  const needs = (await call('GET', '/api/tools/things/auth', { token: ada })).json
  assert.deepEqual([needs.auth.how, needs.auth.set, needs.auth.display_name], ['oauth', null, 'Things'])
  const begun = await call('POST', '/api/tools/things/auth', { token: ada, body: {} })
  assert.equal(begun.json.status, 'sign_in')
  const address = await issuer.signIn(begun.json.url)
  assert.ok(address.startsWith(`${service.url}/api/tools/oauth/callback?`), address)

  const stranger = await fetch(address)
  assert.equal(stranger.status, 403, 'another browser ends no sign-in of hers')
  assert.match(await stranger.text(), /in the browser that began it/)
  const ended = await fetch(address, { headers: { cookie: begun.cookie } })
  assert.equal(ended.status, 200)
  assert.match(ended.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.match(await ended.text(), /things is signed in/)

  const look = (): Promise<Answer> => call('GET', `/api/jobs/${waiting.json.turn_id}`, { token: ada })
  await until(async () => (await look()).json.status === 'completed')
  const job = await look()
  assert.match(text(job), /They said: [^]*"ok"/)
  assert.equal(
    (await call('GET', `/api/jobs/${other.json.turn_id}`, { token: bob })).json.status,
    'waiting',
    'hers is not his',
  )
  assert.equal((await call('GET', '/api/tools/things/auth', { token: ada })).json.auth.set, 'own')
  assert.equal((await call('GET', '/api/tools/things/auth', { token: bob })).json.auth.set, null)

  const again = await call('POST', '/api/tools/things/auth', { body: {} })
  const returned = await issuer.signIn(again.json.url)
  const foreign = await call('POST', '/api/tools/things/auth', { token: bob, body: { returned } })
  assert.equal(foreign.status, 403, 'a pasted address is only good for who began')
  const pasted = await call('POST', '/api/tools/things/auth', { body: { returned } })
  assert.deepEqual([pasted.json.status, pasted.json.continued], ['stored', 1], 'the operator’s stands for everybody')
  await until(
    async () => (await call('GET', `/api/jobs/${other.json.turn_id}`, { token: bob })).json.status === 'completed',
  )
})

test('a token that the service behind a tool refuses opens a gate, though the tool says nothing of it', async (t) => {
  const { issuer, call, user } = await openHouse(t, { oauth: undefined })
  const ada = await user('ada')
  const stored = await call('POST', '/api/tools/things/auth', { token: ada, body: { token: 'an-old-token' } })
  assert.equal(stored.json.status, 'stored')
  const refused = await call('POST', '/api/chat', { token: ada, body: { message: 'the things' } })
  assert.equal(refused.json.gate.kind, 'credential')
  assert.match(refused.json.gate.prompt, /refused the secret things_token.*401/)
  assert.doesNotMatch(JSON.stringify(refused.json), /an-old-token/)
  assert.equal((await call('POST', '/api/tools/things/auth', { token: ada, body: {} })).status, 400)
  assert.ok(issuer.url)
})

test('a set-up takes what the file asks for and nothing else, and a share is listed and taken back', async (t) => {
  const { home, call, user } = await openHouse(t, { oauth: undefined })
  const ada = await user('ada')
  assert.equal(
    (await call('POST', '/api/tools/things/setup', { token: ada, body: { secrets: { other: 'x' } } })).status,
    400,
  )
  assert.equal((await call('POST', '/api/tools/nothing/setup', { token: ada, body: {} })).status, 404)
  assert.deepEqual((await call('POST', '/api/tools/things/setup', { token: ada, body: {} })).json, {
    stored: [],
    missing: [],
    continued: 0,
  })
  await call('POST', '/api/tools/things/auth', { token: ada, body: { token: 'hers' } })
  const install = [
    'tool',
    'install',
    `${home}/things.wasm`,
    '--capabilities',
    `${home}/things.json`,
    '--name',
    'second',
  ]
  assert.equal((await atrium(home, install)).code, 0)
  const { auth } = (await call('GET', '/api/tools/second/auth', { token: ada })).json
  assert.deepEqual([auth.set, auth.offers[0].tool], [null, 'things'])
  assert.equal(
    (await call('POST', '/api/tools/second/auth', { token: ada, body: { use: 'things' } })).json.status,
    'stored',
  )
  assert.deepEqual((await call('GET', '/api/shares', { token: ada })).json, {
    shares: [{ tool: 'second', secret: 'things_token', from: 'things' }],
  })
  assert.equal((await call('DELETE', '/api/tools/second/secrets/things_token', { token: ada })).status, 204)
  assert.deepEqual((await call('GET', '/api/shares', { token: ada })).json, { shares: [] })
  assert.equal((await call('GET', '/api/tools/things/auth', { token: ada })).json.auth.set, 'own')
})
