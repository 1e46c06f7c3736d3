// Signing in by OAuth against a real server: tokens are brought, used, renewed by one of many, and ended only by its word.
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator, userId } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Store } from '#core/store.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { ToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { until } from '../../until.ts'
import { accessOver, seal } from './access-over.ts'
import { clientSecret, type Issuer, openIssuer } from './issuer.ts'
import { openMemoryStore } from '../../store/memory-store.ts'

const ada = userId('ada')
const redirectUri = 'http://127.0.0.1:4999/callback'
const minuteMs = 60_000

let issuer: Issuer
before(async () => {
  issuer = await openIssuer()
})
after(() => issuer.close())

type Rig = {
  readonly store: Store
  readonly access: ToolAccess
  readonly clock: { now: number }
  /** A process of its own over the same store. */
  secrets(): ToolSecrets
  value(user?: typeof ada, refused?: string): Promise<string | undefined>
  install(name: string, capabilities: object): Promise<void>
  signIn(owner?: typeof ada): Promise<void>
}

async function openRig(t: TestContext, at: Issuer = issuer, more: object = {}): Promise<Rig> {
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  const store = openMemoryStore({ seal, now })
  t.after(() => store.close())
  const { access, secrets, toolSecrets, capabilitiesOf } = accessOver({
    store,
    now,
    env: { THINGS_CLIENT_SECRET: clientSecret },
  })
  const install = (name: string, capabilities: object): Promise<void> =>
    store.tools.put(
      { name, sha256: name, capabilities: JSON.stringify(capabilities), description: '', schema: '{}' },
      new Uint8Array(),
    )
  await install('things', at.capabilities(more))
  return {
    store,
    access,
    clock,
    secrets,
    install,
    async value(user = operator, refused) {
      const capabilities = await capabilitiesOf('things')
      assert.ok(capabilities)
      return toolSecrets.valueOf('things_token', { name: 'things', capabilities }, user, refused)
    },
    async signIn(owner = operator) {
      const { url, state } = await access.begin({ tool: 'things', owner }, { redirectUri })
      await access.finish(await at.signIn(url), { owner, state })
    },
  }
}

async function takes(at: Issuer, token: string | undefined): Promise<boolean> {
  return (await fetch(`${at.url}/things`, { headers: { authorization: `Bearer ${token}` } })).status === 200
}

test('a person signs in at the server, and the token they bring works', async (t) => {
  const rig = await openRig(t)
  assert.equal((await rig.access.needs({ tool: 'things', owner: ada })).auth?.set, undefined)
  await rig.signIn(ada)
  assert.equal((await rig.access.needs({ tool: 'things', owner: ada })).auth?.set, 'own')
  assert.equal(await takes(issuer, await rig.value(ada)), true)
  assert.equal(await rig.value(), undefined, 'it is hers alone')
})

test('the operator’s sign-in stands for whoever has none of their own', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const shared = await rig.value()
  assert.equal(await rig.value(ada), shared)
  assert.equal((await rig.access.needs({ tool: 'things', owner: ada })).auth?.set, 'operator')
  await rig.signIn(ada)
  assert.notEqual(await rig.value(ada), shared)
  assert.equal(await rig.value(), shared)
})

test('a link has a proof key, the scopes, and a state that nobody else can make', async (t) => {
  const rig = await openRig(t)
  const begin = () => rig.access.begin({ tool: 'things', owner: ada }, { redirectUri })
  const [one, two] = [await begin(), await begin()]
  const query = new URL(one.url).searchParams
  assert.equal(query.get('code_challenge_method'), 'S256')
  assert.equal(query.get('scope'), 'openid offline_access things')
  assert.equal(query.get('redirect_uri'), redirectUri)
  assert.equal(query.get('prompt'), 'consent')
  assert.notEqual(one.state, two.state)
  assert.doesNotMatch(one.url, /ada/)
})

const unwelcome: readonly [what: string, spoil: (address: URL) => void, says: RegExp][] = [
  ['another state', (address) => address.searchParams.set('state', 'x'), /another sign-in/],
  ['another server’s word', (address) => address.searchParams.set('iss', 'https://evil.example'), /another server/],
  ['another address', (address) => void (address.pathname = '/elsewhere'), /is not the redirect address/],
  ['no code', (address) => address.searchParams.delete('code'), /no code/],
  ['no state', (address) => address.searchParams.delete('state'), /whole address/],
  ['a code of its own making', (address) => address.searchParams.set('code', 'forged'), /could not sign in/],
  ['a refusal', (address) => address.searchParams.set('error', 'access_denied'), /refused the sign-in: access_denied/],
]
for (const [what, spoil, says] of unwelcome) {
  test(`a browser that comes back with ${what} brings nothing`, async (t) => {
    const rig = await openRig(t)
    const { url, state } = await rig.access.begin({ tool: 'things', owner: ada }, { redirectUri })
    const address = new URL(await issuer.signIn(url))
    spoil(address)
    await assert.rejects(rig.access.finish(address.href, { owner: ada, state }), says)
    assert.equal(await rig.value(ada), undefined)
  })
}

test('only who began a sign-in ends it, or the browser that began it, within ten minutes', async (t) => {
  const rig = await openRig(t)
  const begin = () => rig.access.begin({ tool: 'things', owner: ada }, { redirectUri, browser: 'a-secret' })
  const address = await issuer.signIn((await begin()).url)
  await assert.rejects(rig.access.finish(address, { owner: operator }), { code: 'forbidden' })
  await assert.rejects(rig.access.finish(address, { browser: 'another' }), { code: 'forbidden' })
  await assert.rejects(rig.access.finish(address, {}), { code: 'forbidden' })
  assert.deepEqual((await rig.access.finish(address, { browser: 'a-secret' })).owner, ada)
  const late = await issuer.signIn((await begin()).url)
  rig.clock.now += 11 * minuteMs
  await assert.rejects(rig.access.finish(late, { owner: ada }), /took too long/)
})

test('a code alone is enough where the proof key binds it, and needs the state of its beginning', async (t) => {
  const rig = await openRig(t)
  const { url, state } = await rig.access.begin({ tool: 'things', owner: ada }, { redirectUri })
  const code = new URL(await issuer.signIn(url)).searchParams.get('code') ?? ''
  await assert.rejects(rig.access.finish(code, { owner: ada }), /not the end of a sign-in/)
  await rig.access.finish(code, { owner: ada, state })
  assert.equal(await takes(issuer, await rig.value(ada)), true)
})

test('a token is renewed early, and by one process alone however many ask', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const before = issuer.refreshes()
  rig.clock.now += 57 * minuteMs
  assert.equal(await rig.value(), first, 'three minutes before its end it is as it was')
  rig.clock.now += 2 * minuteMs
  const capabilities = readCapabilities(JSON.stringify(issuer.capabilities())).capabilities
  const tool = { name: 'things', capabilities }
  const processes = [rig.secrets(), rig.secrets(), rig.secrets()]
  const ask = () => processes.flatMap((each) => [1, 2].map(() => each.valueOf('things_token', tool, operator)))
  assert.deepEqual(new Set(await Promise.all(ask())), new Set([first]), 'nobody waits while it works')
  await until(async () => (await rig.value()) !== first)
  assert.equal(issuer.refreshes() - before, 1)
  const next = await rig.value()
  assert.equal(await takes(issuer, next), true)
})

test('a token that the server gave is kept though the database is away for a moment', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  rig.clock.now += 61 * minuteMs
  const real = { ...rig.store.secrets }
  let away = 2
  t.mock.method(rig.store.secrets, 'endRenewal', (...given: Parameters<SecretStore['endRenewal']>) => {
    if (given[1].type === 'renewed' && away-- > 0) return Promise.reject(new AppError('database_unavailable', 'away'))
    return real.endRenewal(...given)
  })
  const next = await rig.value()
  assert.notEqual(next, first)
  assert.equal(await takes(issuer, next), true)
})

test('where it has ended, everybody waits for the one that renews it', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const before = issuer.refreshes()
  rig.clock.now += 61 * minuteMs
  const capabilities = readCapabilities(JSON.stringify(issuer.capabilities())).capabilities
  const values = await Promise.all(
    [rig.secrets(), rig.secrets(), rig.secrets()].map((each) =>
      each.valueOf('things_token', { name: 'things', capabilities }, operator),
    ),
  )
  assert.equal(issuer.refreshes() - before, 1)
  assert.equal(new Set(values).size, 1)
  assert.notEqual(values[0], first)
})

test('a refresh token is kept where the server sends no other, and replaced where it does', async (t) => {
  for (const rotate of [false, true]) {
    const own = await openIssuer({ rotate })
    t.after(() => own.close())
    const rig = await openRig(t, own)
    await rig.signIn()
    const token = async () => (await rig.store.secrets.find('tool/things/things_token', operator))?.renewal?.token
    const before = await token()
    assert.ok(before)
    rig.clock.now += 61 * minuteMs
    assert.equal(await takes(own, await rig.value()), true)
    assert.equal((await token()) === before, !rotate)
    rig.clock.now += 61 * minuteMs
    assert.equal(await takes(own, await rig.value()), true, 'and it renews again')
  }
})

test('a server in trouble ends no sign-in; its word that the grant is over does', async (t) => {
  const own = await openIssuer()
  t.after(() => own.close())
  const rig = await openRig(t, own)
  await rig.signIn()
  const first = await rig.value()
  own.breakRefresh(503)
  rig.clock.now += 59 * minuteMs
  assert.equal(await rig.value(), first, 'it works for a while yet')
  rig.clock.now += 2 * minuteMs
  await assert.rejects(rig.value(), /could not be renewed just now/)
  own.breakRefresh(undefined)
  assert.equal(await takes(own, await rig.value()), true)
  await own.revokeAll()
  rig.clock.now += 61 * minuteMs
  assert.equal(await rig.value(), undefined)
  assert.equal(await rig.store.secrets.find('tool/things/things_token', operator), undefined)
})

test('a user whose sign-in has ended is asked again, and does not go out under the operator’s', async (t) => {
  const theirs = await openIssuer()
  t.after(() => theirs.close())
  const rig = await openRig(t, theirs)
  await rig.signIn(ada)
  await rig.store.secrets.set('tool/things/things_token', 'of the operator')
  rig.clock.now += 61 * minuteMs
  assert.equal(await takes(theirs, await rig.value(ada)), true)
  await theirs.revokeAll()
  rig.clock.now += 61 * minuteMs
  assert.equal(await rig.value(ada), undefined)
  assert.equal(await rig.value(ada), undefined, 'and stays so')
  assert.equal((await rig.access.needs({ tool: 'things', owner: ada })).auth?.set, undefined)
  assert.equal(await rig.value(operator), 'of the operator')
  assert.deepEqual(await rig.store.secrets.values(ada), [])
  assert.equal(await rig.access.forget({ tool: 'things', owner: ada }, 'things_token'), true)
  assert.equal(await rig.value(ada), 'of the operator', 'by their own choice')
})

test('a token that the server refuses is renewed once, before its time', async (t) => {
  const rig = await openRig(t)
  await rig.signIn()
  const first = await rig.value()
  const next = await rig.value(operator, first)
  assert.notEqual(next, first)
  assert.equal(await takes(issuer, next), true)
})

test('a client without a secret, and one that has to say it in the form, sign in too', async (t) => {
  for (const options of [{ secret: false }, { authMethod: 'client_secret_post' } as const]) {
    const own = await openIssuer(options)
    t.after(() => own.close())
    const rig = await openRig(t, own)
    await rig.signIn()
    assert.equal(await takes(own, await rig.value()), true)
  }
})

test('the client comes from the set-up where no variable has it, and is asked for before anything else', async (t) => {
  const rig = await openRig(t)
  const file = issuer.capabilities()
  const oauth = {
    ...file.auth.oauth,
    client_id: undefined,
    client_id_env: 'OTHER_CLIENT_ID',
    client_secret_env: 'OTHER_CLIENT_SECRET',
  }
  await rig.install('things', { ...file, auth: { ...file.auth, oauth } })
  const whose = { tool: 'things', owner: operator }
  await assert.rejects(rig.access.begin(whose, { redirectUri }), { code: 'credential_missing' })
  const { setup } = await rig.access.needs(whose)
  assert.deepEqual(
    setup.map(({ name, optional }) => [name, optional]),
    [
      ['other_client_id', false],
      ['other_client_secret', true],
    ],
  )
  // A client that the server does not take: the way out is the set-up, not another try.
  await rig.access.setUp(whose, { other_client_id: 'a-tool', other_client_secret: 'wrong' })
  await assert.rejects(rig.signIn(), /invalid_client.*; run `atrium tool setup things`, then begin again$/)
  await rig.access.setUp(whose, { other_client_secret: clientSecret })
  await rig.signIn()
  assert.equal(await takes(issuer, await rig.value()), true)
})

test('a token is kept only when it works where the file says how to tell', async (t) => {
  const validation = { validation_endpoint: { url: `${issuer.url}/things` } }
  const rig = await openRig(t, issuer, { oauth: undefined, ...validation })
  const whose = { tool: 'things', owner: ada }
  await assert.rejects(rig.access.giveToken(whose, 'made-up'), /does not work.*401.*nothing was stored/)
  assert.equal(await rig.value(ada), undefined)
  const other = await openRig(t)
  await other.signIn()
  await rig.access.giveToken(whose, (await other.value()) ?? '')
  assert.equal(await takes(issuer, await rig.value(ada)), true)
  const away = { validation_endpoint: { url: `${issuer.url}/elsewhere` } }
  const blocked = await openRig(t, issuer, { oauth: undefined, ...away })
  assert.match((await blocked.access.giveToken(whose, 'made-up')).warning ?? '', /could not be checked/)
})

test('a tool that signs in by OAuth takes no text for a token', async (t) => {
  const rig = await openRig(t)
  await assert.rejects(rig.access.giveToken({ tool: 'things', owner: ada }, 'any text'), /signs in by OAuth/)
})

test('a secret of the same name is offered with the hosts it would go to, and used only when somebody says so', async (t) => {
  const rig = await openRig(t)
  await rig.install('other', issuer.capabilities())
  await rig.signIn(ada)
  const whose = { tool: 'other', owner: ada }
  const { auth } = await rig.access.needs(whose)
  assert.equal(auth?.set, undefined)
  assert.deepEqual(auth?.offers, [{ tool: 'things', hosts: [new URL(issuer.url).host] }])
  assert.deepEqual(
    (await rig.access.needs({ ...whose, owner: operator })).auth?.offers,
    [],
    'hers is offered to nobody else',
  )
  await assert.rejects(rig.access.share({ ...whose, owner: operator }, 'things_token', 'things'), {
    code: 'invalid_input',
  })
  await rig.access.share(whose, 'things_token', 'things')
  assert.deepEqual(await rig.access.shares(ada), [{ tool: 'other', secret: 'things_token', from: 'things' }])
  const capabilities = readCapabilities(JSON.stringify(issuer.capabilities())).capabilities
  const value = () => rig.secrets().valueOf('things_token', { name: 'other', capabilities }, ada)
  assert.equal(await value(), await rig.value(ada))
  rig.clock.now += 61 * minuteMs
  assert.equal(await takes(issuer, await value()), true, 'it is renewed through either tool')
  assert.equal(await rig.access.forget(whose, 'things_token'), true)
  assert.equal(await value(), undefined)
  assert.equal(await takes(issuer, await rig.value(ada)), true)
})
