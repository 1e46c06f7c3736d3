// Sign-ins to a server that says itself how, against a real authorization server.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { silentLog } from '#lib/log.ts'
import { createDial, type Dial } from '#net/dial.ts'
import { createResourceAccess } from '#oauth/resource-access.ts'
import { openTestStore } from '../agent/bench.ts'
import { seal } from '../sandbox/auth/access-over.ts'
import { type IssuerOptions, openIssuer } from '../sandbox/auth/issuer.ts'
import { rejectsWith } from '../store/harness.ts'

const redirectUri = 'http://127.0.0.1:1/callback'
const from = { redirectUri, owner: operator }

async function house(t: TestContext, options: IssuerOptions = {}) {
  const issuer = await openIssuer({ registers: true, ...options })
  t.after(() => issuer.close())
  const store = openTestStore(t)
  let now = Date.now()
  /** The access of one process. */
  const open = (privateHosts: readonly string[] = []) =>
    createResourceAccess({
      secrets: store.secrets,
      seal,
      dial: createDial({ lookup: () => Promise.resolve([]) }),
      privateHosts,
      now: () => now,
      clock: () => now,
      log: silentLog,
      prefix: 'mcp',
    })
  const resource = { name: 'desk', url: `${issuer.url}/mcp` }
  const access = open()
  const signIn = async (): Promise<void> => {
    const { url } = await access.begin(resource, from)
    await access.finish(await issuer.signIn(url), { owner: operator })
  }
  const takes = async (token: string | undefined): Promise<number> =>
    (await fetch(resource.url, { headers: { authorization: `Bearer ${token}` } })).status
  const pass = (ms: number): void => {
    now += ms
  }
  return { issuer, store, open, access, resource, signIn, takes, pass }
}

test('a sign-in is found out, its client registered, and the server takes the token', async (t) => {
  const { access, resource, issuer, takes, store } = await house(t)
  assert.equal(await access.token(resource), undefined)
  const { url } = await access.begin(resource, from)
  const link = new URL(url)
  assert.equal(link.searchParams.get('resource'), resource.url)
  assert.equal(link.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(link.searchParams.get('scope'), 'openid things offline_access')
  const returned = await issuer.signIn(url)
  assert.deepEqual(await access.finish(returned, { owner: operator }), { name: 'desk' })
  const token = await access.token(resource)
  assert.equal(await takes(token), 200)
  const [form] = issuer.asked
  assert.deepEqual([form?.get('resource'), form?.get('grant_type')], [resource.url, 'authorization_code'])
  assert.ok((form?.get('code_verifier') ?? '').length > 40)
  assert.deepEqual(
    (await store.secrets.list()).map(({ name }) => name),
    ['mcp/desk/client', 'mcp/desk/token'],
  )
  // A token is for the server that it was made for.
  assert.equal(await access.token({ ...resource, url: 'https://evil.example/mcp' }), undefined)
})

test('a server of the older era has no metadata: its host is its authorization server', async (t) => {
  const { access, resource, signIn, takes } = await house(t, { unnamedMetadata: 404 })
  await signIn()
  assert.equal(await takes(await access.token(resource)), 200)
})

test('a server whose metadata cannot be had now is not taken for one of the older era', async (t) => {
  const { signIn } = await house(t, { unnamedMetadata: 503 })
  await assert.rejects(signIn(), /does not say how to sign in: .* answered 503/)
})

test('a second sign-in from the same address keeps the client', async (t) => {
  const { access, resource, signIn } = await house(t)
  const clientIn = (url: string): string | null => new URL(url).searchParams.get('client_id')
  await signIn()
  const [first, second] = [await access.begin(resource, from), await access.begin(resource, from)]
  assert.equal(clientIn(first.url), clientIn(second.url))
  const other = await access.begin(resource, { ...from, redirectUri: 'http://127.0.0.1:2/callback' })
  assert.notEqual(clientIn(other.url), clientIn(first.url))
})

test('a client that the server has lost is registered again', async (t) => {
  const { access, resource, signIn, issuer, pass } = await house(t)
  const clientIn = (url: string): string => new URL(url).searchParams.get('client_id') ?? ''
  await signIn()
  const lost = clientIn((await access.begin(resource, from)).url)
  await issuer.forgetClient(lost)
  pass(3_600_000)
  assert.equal(await access.token(resource), undefined, 'somebody must sign in')
  assert.notEqual(clientIn((await access.begin(resource, from)).url), lost)
  await signIn()
  assert.ok(await access.token(resource))
})

test('a sign-in is ended by whom it was begun', async (t) => {
  const { access, resource, issuer } = await house(t)
  const { url } = await access.begin(resource, { ...from, browser: 'a secret' })
  const returned = await issuer.signIn(url)
  await rejectsWith(access.finish(returned, { owner: userId('eve') }), 'forbidden')
  await rejectsWith(access.finish(returned, { browser: 'another' }), 'forbidden')
  await rejectsWith(access.finish(returned.replace(/state=[^&]*/, 'state=x'), { owner: operator }), 'invalid_input')
  const elsewhere = returned.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')
  await rejectsWith(access.finish(elsewhere, { owner: operator }), 'tool_refused')
  assert.deepEqual(await access.finish(returned, { browser: 'a secret' }), { name: 'desk' })
})

test('the code of a sign-in is not sent with another client than it began with', async (t) => {
  const { access, resource, issuer } = await house(t)
  const first = await access.begin(resource, from)
  const returned = await issuer.signIn(first.url)
  const second = await access.begin(resource, { ...from, client: { id: 'another' } })
  assert.notEqual(first.url, second.url)
  await rejectsWith(access.finish(returned, { owner: operator }), 'invalid_input')
  assert.deepEqual(issuer.asked, [])
})

test('a client given by hand that the server does not know is told with the way out', async (t) => {
  const { access, resource, signIn, issuer } = await house(t)
  await signIn()
  const id = new URL((await access.begin(resource, from)).url).searchParams.get('client_id') ?? ''
  const { url } = await access.begin(resource, { ...from, client: { id } })
  const returned = await issuer.signIn(url)
  await issuer.forgetClient(id)
  await assert.rejects(access.finish(returned, { owner: operator }), /invalid_client.*another --client-id/)
})

test('a server that registers nobody needs a client by hand', async (t) => {
  const { access, resource, signIn, issuer } = await house(t, { registers: false, secret: false })
  await assert.rejects(signIn(), { code: 'tool_refused', message: /`atrium mcp auth NAME --client-id ID`$/ })
  const { url } = await access.begin(resource, { ...from, client: { id: 'a-tool' } })
  await access.finish(await issuer.signIn(url), { owner: operator })
  assert.ok(await access.token(resource))
})

test('two processes that need a new token renew it once', async (t) => {
  const { access, open, resource, signIn, issuer, takes, pass } = await house(t, { rotate: true })
  await signIn()
  const old = await access.token(resource)
  pass(3_600_000)
  const other = open()
  const [one, two, three] = await Promise.all([access, other, other].map((each) => each.token(resource)))
  assert.equal(issuer.refreshes(), 1)
  assert.deepEqual([one, three], [two, two])
  assert.notEqual(one, old)
  assert.equal(await takes(one), 200)
  const refresh = issuer.asked.find((form) => form.get('grant_type') === 'refresh_token')
  assert.equal(refresh?.get('resource'), resource.url)
})

test('a token is read from the store once in ten seconds, and again when a server refuses it', async (t) => {
  const { access, open, resource, signIn, store, pass } = await house(t)
  await signIn()
  let reads = 0
  const find = store.secrets.find.bind(store.secrets)
  t.mock.method(store.secrets, 'find', (...of: Parameters<typeof find>) => (reads++, find(...of)))
  const first = await access.token(resource)
  for (let request = 0; request < 50; request++) assert.equal(await access.token(resource), first)
  assert.equal(reads, 1)
  const other = open()
  const next = await other.token(resource, first)
  reads = 0
  assert.equal(await access.token(resource), first, 'another process has renewed it')
  assert.equal(reads, 0)
  assert.equal(await access.token(resource, first), next)
  pass(10_001)
  reads = 0
  assert.equal(await access.token(resource), next)
  assert.equal(reads, 1)
})

test('a refused token is renewed', async (t) => {
  const { access, resource, signIn, issuer } = await house(t)
  await signIn()
  const old = await access.token(resource)
  const next = await access.token(resource, old)
  assert.ok(next !== undefined && next !== old)
  assert.equal(issuer.refreshes(), 1)
})

test('a renewal that fails never erases the refresh token', async (t) => {
  const { access, resource, signIn, issuer, store, pass } = await house(t)
  await signIn()
  const kept = (await store.secrets.find('mcp/desk/token', operator))?.renewal?.token
  assert.ok(kept)
  pass(3_600_000)
  const still = async () => (await store.secrets.find('mcp/desk/token', operator))?.renewal?.token
  for (const status of [500, 400, 401, 200]) {
    issuer.breakRefresh(status)
    await rejectsWith(access.token(resource), 'tool_refused')
    assert.equal(await still(), kept)
  }
  issuer.breakRefresh(undefined)
  await access.token(resource)
  await issuer.revokeAll()
  // The server calls it invalid: it is kept all the same, and a refused token says that a sign-in is needed.
  const current = await access.token(resource)
  assert.equal(await access.token(resource, current), undefined)
  assert.ok(await still())
  pass(3_600_000)
  assert.equal(await access.token(resource), undefined, 'an expired token says so, too')
  assert.ok(await still())
})

/** A server at a private address that names an authorization server, and everything that is dialled. */
function naming(issuer: string, url = 'http://127.0.0.1:7001/mcp') {
  const dialled: string[] = []
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    code_challenge_methods_supported: ['S256'],
  }
  const dial: Dial = ({ method, target }) => {
    assert.equal(method, target.path === '/mcp' ? 'POST' : 'GET')
    dialled.push(`${target.host}:${target.port}`)
    const found = target.path.includes('protected-resource')
      ? { resource: url, authorization_servers: [issuer] }
      : metadata
    const answer = {
      type: 'answer',
      status: 200,
      headers: new Map(),
      body: Buffer.from(JSON.stringify(found)),
    } as const
    return Promise.resolve(answer)
  }
  return { url, dial, dialled }
}

const privateServers: readonly [issuer: string, listed: readonly string[], reached: boolean][] = [
  ['https://10.0.0.8:7002', [], false],
  ['http://10.0.0.8:7002', [], false],
  ['https://127.0.0.1:7002', [], false],
  ['https://10.0.0.8:7002', ['10.0.0.8:7003'], false],
  ['https://10.0.0.8:7002', ['10.0.0.8:7002'], true],
  ['http://10.0.0.8:7002', ['10.0.0.8'], true],
  ['http://127.0.0.1:7001', [], true],
]
for (const [issuer, privateHosts, reached] of privateServers) {
  test(`an authorization server at ${issuer} is ${reached ? '' : 'not '}reached with [${privateHosts.join()}] listed`, async (t) => {
    const { url, dial, dialled } = naming(issuer)
    const parts = { seal, dial, privateHosts, now: Date.now, log: silentLog, prefix: 'mcp' }
    const access = createResourceAccess({ ...parts, secrets: openTestStore(t).secrets })
    const begun = access.begin({ name: 'desk', url }, { ...from, client: { id: 'c' } })
    if (reached) assert.equal(new URL((await begun).url).origin, issuer)
    else await rejectsWith(begun, 'tool_refused')
    assert.equal(dialled.includes(new URL(issuer).host), reached)
  })
}

for (const origin of ['https://10.0.0.8', 'http://10.0.0.8']) {
  test(`a server at ${origin} may be its own authorization server: its port need not be written out`, async (t) => {
    const { url, dial } = naming(origin, `${origin}/mcp`)
    const parts = { seal, dial, privateHosts: [], now: Date.now, log: silentLog, prefix: 'mcp' }
    const access = createResourceAccess({ ...parts, secrets: openTestStore(t).secrets })
    const begun = await access.begin({ name: 'desk', url }, { ...from, client: { id: 'c' } })
    assert.equal(new URL(begun.url).origin, origin)
  })
}

test('what is known of a server is forgotten with it', async (t) => {
  const { access, resource, signIn, store } = await house(t)
  await signIn()
  await access.forget('desk')
  assert.equal(await access.token(resource), undefined)
  assert.deepEqual(await store.secrets.list(), [])
})
