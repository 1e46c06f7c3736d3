// Which claims about a person count at a sign-in: those of the token, or an address of the user info of the same person.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { IdentityStore } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import type { Claims, Issuer } from '#http/oidc-issuer.ts'
import { createOidc, type SignInCallback } from '#http/oidc.ts'
import { type Log, logTo, silentLog } from '#lib/log.ts'

type Given = {
  readonly token?: Partial<Claims>
  readonly info?: Partial<Claims>
  readonly audience?: string
  readonly known?: boolean
  readonly infoEndpoint?: boolean
  readonly authorizationEndpoint?: boolean
  readonly domains?: readonly string[]
  readonly verify?: () => Promise<Claims>
  readonly redeem?: () => ReturnType<Issuer['redeem']>
  readonly log?: Log
}

const now = 1_800_000_000_000
const redirectUri = 'https://here.example/callback'

function opened({
  token = {},
  info = {},
  audience,
  known = false,
  infoEndpoint = true,
  authorizationEndpoint = true,
  domains = ['example.com'],
  verify,
  redeem,
  log = silentLog,
}: Given = {}) {
  let nonce = ''
  const verified: unknown[] = []
  const redeemed: { readonly verifier: string }[] = []
  const issuer: Issuer = {
    metadata: () =>
      Promise.resolve({
        issuer: 'https://issuer.example',
        jwks_uri: 'https://issuer.example/keys',
        ...(authorizationEndpoint && { authorization_endpoint: 'https://issuer.example/authorize' }),
        ...(infoEndpoint && { userinfo_endpoint: 'https://issuer.example/me' }),
      }),
    verify: (jwt, audiences) => {
      verified.push([jwt, audiences])
      return verify?.() ?? Promise.resolve({ sub: 'ann', nonce, ...token })
    },
    redeem(_code, sent) {
      redeemed.push(sent)
      return redeem?.() ?? Promise.resolve({ id_token: 'i', access_token: 'a' })
    },
    userInfo: () =>
      infoEndpoint ? Promise.resolve({ sub: 'ann', ...info }) : Promise.reject(new Error('not offered')),
  }
  const begun = new Map<string, { browser: string; endsAt: number }>()
  const enrolled: unknown[] = []
  const identities: IdentityStore = {
    find: () => Promise.resolve(known ? { id: userId('known'), name: 'ann', createdAt: 0 } : undefined),
    has: () => Promise.resolve(known),
    enrol: (identity, names) => {
      enrolled.push([identity, names])
      return Promise.resolve({ id: userId('u'), name: names[0] ?? '', createdAt: 0 })
    },
    begin: ({ state, browser, endsAt }) => Promise.resolve(void begun.set(state, { browser, endsAt })),
    take(state) {
      const found = begun.get(state)
      begun.delete(state)
      return Promise.resolve(found)
    },
  }
  const oidc = createOidc({
    issuer,
    clientId: 'c',
    ...(audience !== undefined && { audience }),
    allowedDomains: domains,
    identities,
    now: () => now,
    log,
  })
  const begin = async () => {
    const { url, browser } = await oidc.begin(redirectUri)
    const { searchParams } = new URL(url)
    nonce = searchParams.get('nonce') ?? ''
    const challenge = searchParams.get('code_challenge')
    return { code: 'c', state: searchParams.get('state') ?? '', browser, redirectUri, challenge }
  }
  return { oidc, begin, begun, verified, redeemed, enrolled }
}

/** The name of the account that a sign-in makes, or the status that refuses it. */
async function signIn(token: Partial<Claims>, info: Partial<Claims>): Promise<string | number> {
  const { oidc, begin } = opened({ token, info })
  const user = await oidc.finish(await begin())
  return 'status' in user ? user.status : user.name
}

const email = 'ann@example.com'
const cases: readonly [what: string, token: Partial<Claims>, info: Partial<Claims>, expected: string | number][] = [
  ['both of the token', { email, email_verified: true }, {}, email],
  ['both of the user info', {}, { email, email_verified: true }, email],
  ['a token that verifies no address, and an unverified one', { email_verified: true }, { email }, 403],
  ['the same, denied there', { email_verified: true }, { email, email_verified: false }, 403],
  [
    'a token that denies an address it does not have',
    { email_verified: false },
    { email, email_verified: true },
    email,
  ],
  ['an unverified address of the token', { email }, { email, email_verified: true }, 403],
  ['the user info of somebody else', {}, { sub: 'bea', email, email_verified: true }, 403],
]
test('no sign-in begins at an issuer without a page for it', async () => {
  await assert.rejects(opened({ authorizationEndpoint: false }).begin(), { code: 'issuer_unavailable' })
})

test('an address and whether it is verified come from one source', async () => {
  for (const [what, token, info, expected] of cases) assert.equal(await signIn(token, info), expected, what)
})

const good = { email: 'ann@example.com', email_verified: true }

test('a sign-in ends once, in the browser that began it, with the token that was asked for', async () => {
  const faults: readonly [what: string, over: Partial<SignInCallback>, token?: Partial<Claims>][] = [
    ['no browser', { browser: undefined }],
    ['another browser', { browser: 'x'.repeat(43) }],
    ['another state', { state: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['the token of another sign-in', {}, { nonce: 'another' }],
    ['a token without a nonce', {}, { nonce: undefined }],
    ['a token made for another client', {}, { azp: 'another' }],
    ['a token whose client is no text', {}, { azp: ['c'] }],
  ]
  for (const [what, over, token] of faults) {
    const { oidc, begin, enrolled } = opened({ token: { ...good, ...token } })
    const callback = await begin()
    await assert.rejects(oidc.finish({ ...callback, ...over }), { code: 'unauthorized' }, what)
    assert.deepEqual(enrolled, [], what)
  }
  const { oidc, begin, verified } = opened({ token: { ...good, azp: 'c' }, audience: 'api' })
  const callback = await begin()
  await oidc.finish({ ...callback, iss: 'https://issuer.example' })
  assert.deepEqual(verified, [['i', ['c']]], 'a token for the API signs nobody in')
  await assert.rejects(oidc.finish(callback), { code: 'unauthorized' }, 'a second time')
})

test('a sign-in has ten minutes', async () => {
  const { begin, begun } = opened()
  await begin()
  assert.deepEqual(
    [...begun.values()].map(({ endsAt }) => endsAt - now),
    [10 * 60_000],
  )
})

test('a person without an address has the name of the token, whatever the user info says, or if there is none', async () => {
  for (const infoEndpoint of [true, false]) {
    const info = { preferred_username: 'other' }
    const { oidc, begin } = opened({ token: { preferred_username: 'ann' }, info, infoEndpoint, domains: [] })
    const user = await oidc.finish(await begin())
    assert.equal('name' in user && user.name, 'ann')
  }
})

test('the log says why the issuer refused a sign-in', async () => {
  const lines: unknown[] = []
  const log = logTo((_, fields, message) => lines.push([message, fields]), 'warn')
  const cause = new Error('its token endpoint answered 401: invalid_client')
  const redeem = () => Promise.reject(new AppError('unauthorized', 'begin again', { cause }))
  const { oidc, begin } = opened({ redeem, log })
  await assert.rejects(oidc.finish({ ...(await begin()), request: 'r1' }), { code: 'unauthorized' })
  assert.deepEqual(lines, [['the OpenID issuer refused a sign-in', { request: 'r1', reason: cause.message }]])
})

test('a code is redeemed with the word whose hash began the sign-in', async () => {
  const { oidc, begin, redeemed } = opened({ token: good })
  const { challenge, ...callback } = await begin()
  await oidc.finish(callback)
  assert.deepEqual(
    redeemed.map(({ verifier }) => createHash('sha256').update(verifier).digest('base64url')),
    [challenge],
  )
})

test('a JWT is for the API or for the client, and counts until it ends, with a minute for the clocks', async () => {
  const { oidc, verified, enrolled } = opened({
    token: { ...good, exp: 1_000.5, azp: 'an-app' },
    audience: 'api',
    known: true,
  })
  const until = 1_060_500
  assert.deepEqual(await oidc.authenticate('j'), { user: userId('known'), name: 'ann', operator: false, until })
  assert.deepEqual([verified, enrolled], [[['j', ['api', 'c']]], []])
})

test('a JWT is refused by its fault: 401 for a bad one, 403 for a stranger, 503 while the issuer is away', async () => {
  const faults: readonly [AppError, number][] = [
    [new AppError('unauthorized', 'bad'), 401],
    [new AppError('issuer_unavailable', 'away'), 503],
  ]
  for (const [fault, status] of faults) {
    assert.deepEqual(await opened({ verify: () => Promise.reject(fault) }).oidc.authenticate('j'), { status })
  }
  assert.deepEqual(await opened({ token: { email: 'ann@elsewhere.example' } }).oidc.authenticate('j'), { status: 403 })
  for (const fault of [new AppError('database_unavailable', 'away'), new TypeError('a bug')]) {
    await assert.rejects(opened({ verify: () => Promise.reject(fault) }).oidc.authenticate('j'), fault)
  }
})

test('an account is found by issuer and subject, and gets nine names to choose from', async () => {
  const { oidc, begin, enrolled } = opened({ token: { ...good, sub: 'ann' } })
  await oidc.finish(await begin())
  const names = [good.email, ...Array.from({ length: 8 }, (_, at) => `${good.email} ${at + 2}`)]
  assert.deepEqual(enrolled, [[{ issuer: 'https://issuer.example', subject: 'ann' }, names]])
})

const addresses: readonly [email: string | undefined, verified: boolean | string | undefined, admitted: boolean][] = [
  ['ann@example.com', true, true],
  ['ann@EXAMPLE.com', 'true', true],
  ['ann@example.com', 'false', false],
  ['ann@example.com', undefined, false],
  ['ann@sub.example.com', true, false],
  ['ann@example.com@evil.example', true, false],
  ['"a@evil.example"@example.com', true, true],
  ['example.com', true, false],
  [undefined, true, false],
]
for (const [address, verified, admitted] of addresses) {
  test(`the address ${address}, verified ${verified}, is ${admitted ? 'admitted' : 'refused'}`, async () => {
    const answer = await opened({ token: { email: address, email_verified: verified, exp: 1 } }).oidc.authenticate('j')
    assert.equal('status' in answer ? answer.status : 200, admitted ? 200 : 403)
  })
}
