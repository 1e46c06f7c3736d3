// Signing in by OAuth against a real server: who begins and ends it, with which client, and who uses the token.
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { clientSecret, type Issuer, openIssuer } from './issuer.ts'
import { ada, minuteMs, openAccess, redirectUri, takes } from './things-access.ts'

let issuer: Issuer
before(async () => {
  issuer = await openIssuer()
})
after(() => issuer.close())

const openRig = (t: TestContext, at: Issuer = issuer, more: object = {}) => openAccess(t, at, more)

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

test('the step that is open for each tool is told to each owner, until it is taken', async (t) => {
  const rig = await openRig(t)
  const stepOf = async (tool: string, owner = operator) => (await rig.access.openSteps(owner)).get(tool)
  const { auth: _, ...open } = issuer.capabilities()
  await rig.install('keyed', { ...open, setup: { required_secrets: ['some_key'] } })
  await rig.install('broken', { version: 7 })
  assert.deepEqual(
    [await stepOf('things'), await stepOf('keyed'), await stepOf('broken')],
    ['sign_in', 'setup', undefined],
  )
  await rig.signIn(ada)
  assert.deepEqual([await stepOf('things', ada), await stepOf('things')], [undefined, 'sign_in'])
  const given = Object.fromEntries(
    (await rig.access.needs({ tool: 'keyed', owner: operator })).setup.map(({ name }) => [name, 'a-value']),
  )
  await rig.access.setUp({ tool: 'keyed', owner: operator }, given)
  assert.deepEqual([await stepOf('keyed'), await stepOf('keyed', ada)], [undefined, undefined])
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

test('a code goes to no other server or client than those that its sign-in began with', async (t) => {
  const other = await openIssuer()
  t.after(() => other.close())
  const rig = await openRig(t)
  const { oauth } = issuer.capabilities().auth
  for (const change of [{ token_url: `${other.url}/token` }, { issuer: other.url }, { client_id: 'another' }]) {
    await rig.install('things', issuer.capabilities())
    const { url, state } = await rig.access.begin({ tool: 'things', owner: ada }, { redirectUri })
    const address = new URL(await issuer.signIn(url))
    const askedBefore = issuer.asked.length
    await rig.install('things', issuer.capabilities({ oauth: { ...oauth, ...change } }))
    await assert.rejects(rig.access.finish(address.href, { owner: ada, state }), {
      code: 'invalid_input',
      message: 'how things signs in was changed since: begin again',
    })
    assert.deepEqual([other.asked.length, issuer.asked.length], [0, askedBefore])
  }
})

test('a code alone is enough where the proof key binds it, and needs the state of its beginning', async (t) => {
  const rig = await openRig(t)
  const { url, state } = await rig.access.begin({ tool: 'things', owner: ada }, { redirectUri })
  const code = new URL(await issuer.signIn(url)).searchParams.get('code') ?? ''
  await assert.rejects(rig.access.finish(code, { owner: ada }), /not the end of a sign-in/)
  await rig.access.finish(code, { owner: ada, state })
  assert.equal(await takes(issuer, await rig.value(ada)), true)
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
