// The client of an OpenID issuer, with a fake edge: what is asked of it, and which answers count.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { exportJWK, SignJWT } from 'jose'
import { AppError } from '#core/errors.ts'
import { createIssuer, type IssuerParts } from '#http/oidc-issuer.ts'

const issuer = 'https://issuer.example'
const metadata = {
  issuer,
  jwks_uri: `${issuer}/keys`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
}
const now = 1_800_000_000_000
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** `text` is the body as it is, `body` its JSON. */
type Answer = { readonly status?: number; readonly body?: unknown; readonly text?: string } | Error
type Asked = { readonly url: string; readonly method?: string; readonly headers: Headers; readonly body: string }

/** An issuer whose answers are given by path. */
function opened(answers: Record<string, Answer> = {}, parts: Partial<IssuerParts> = {}) {
  const asked: Asked[] = []
  const clock = { now: 0 }
  const fetch: IssuerParts['fetch'] = async (url, { method, headers, body = '' } = {}) => {
    asked.push({ url, ...(method !== undefined && { method }), headers: new Headers(headers), body })
    const path = new URL(url).pathname
    const given = {
      '/.well-known/openid-configuration': { body: metadata },
      '/keys': { body: await keys() },
      ...answers,
    }
    const answer: Answer | undefined = given[path as keyof typeof given]
    if (!answer || answer instanceof Error) throw answer ?? new Error(`nothing at ${path}`)
    return new Response(answer.text ?? JSON.stringify(answer.body), { status: answer.status ?? 200 })
  }
  const client = createIssuer({ issuer, clientId: 'id', fetch, now: () => now, clock: () => clock.now, ...parts })
  return { client, asked, clock }
}

async function keys() {
  return { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
}

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

const methods = (...names: readonly string[]) => ({ token_endpoint_auth_methods_supported: names })
const basic = `Basic ${Buffer.from('id:s%3Aecret+%26').toString('base64')}`
const ways: readonly [what: string, secret: string | undefined, more: object, auth: string | null, fields: object][] = [
  ['a client without a secret', undefined, {}, null, { client_id: 'id' }],
  ['an issuer that lists nothing', 's:ecret &', {}, basic, {}],
  ['one that takes both', 's:ecret &', methods('client_secret_post', 'client_secret_basic'), basic, {}],
  ['one that takes neither', 's:ecret &', methods('private_key_jwt'), basic, {}],
  [
    'one that takes the secret in the form alone',
    's:ecret &',
    methods('client_secret_post'),
    null,
    { client_id: 'id', client_secret: 's:ecret &' },
  ],
]
for (const [what, clientSecret, more, auth, fields] of ways) {
  test(`a code is exchanged: ${what}`, async () => {
    const answers = {
      '/.well-known/openid-configuration': { body: { ...metadata, ...more } },
      '/token': { body: { id_token: 'i', access_token: 'a' } },
    }
    const { client, asked } = opened(answers, clientSecret === undefined ? {} : { clientSecret })
    const tokens = await client.redeem('c', { verifier: 'v', redirectUri: 'https://here.example/cb' })
    assert.deepEqual(tokens, { id_token: 'i', access_token: 'a' })
    const request = asked.at(-1)
    assert.deepEqual([request?.url, request?.method], [metadata.token_endpoint, 'POST'])
    assert.equal(request?.headers.get('authorization'), auth)
    assert.deepEqual(Object.fromEntries(new URLSearchParams(request?.body)), {
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://here.example/cb',
      code_verifier: 'v',
      ...fields,
    })
  })
}

const exchanges: readonly [what: string, answer: Answer, expected: string][] = [
  ['a server error', { status: 500 }, 'issuer_unavailable'],
  ['a refusal', { status: 499, body: { id_token: 'i' } }, 'unauthorized'],
  ['no ID token', { body: { access_token: 'a' } }, 'unauthorized'],
  ['no JSON', { text: '<html>' }, 'unauthorized'],
  ['no answer', new Error('away'), 'issuer_unavailable'],
]
for (const [what, answer, expected] of exchanges) {
  test(`a code that gets ${what} is ${expected}`, async () => {
    const { client } = opened({ '/token': answer })
    await assert.rejects(client.redeem('c', { verifier: 'v', redirectUri: 'r' }), code(expected))
  })
}

test('the metadata must name the issuer that was asked, with or without a slash at the end; it is read once', async () => {
  const at = '/.well-known/openid-configuration'
  const { client, asked } = opened({ [at]: { body: { ...metadata, issuer: `${issuer}/` } } })
  assert.equal((await client.metadata()).issuer, `${issuer}/`)
  await client.metadata()
  assert.deepEqual(
    asked.map(({ url }) => url),
    [`${issuer}${at}`],
  )
  const wrong = [{ jwks_uri: 'keys' }, { authorization_endpoint: '/authorize' }, { token_endpoint: 'javascript:1' }]
  const bodies = wrong.map((each) => ({ ...metadata, ...each }))
  for (const body of [...bodies, { ...metadata, issuer: 'https://evil.example' }, { issuer }, 'text']) {
    await assert.rejects(opened({ [at]: { body } }).client.metadata(), code('issuer_unavailable'))
  }
  await assert.rejects(opened({ [at]: { status: 404, body: metadata } }).client.metadata(), (error: AppError) => {
    assert.equal((error.cause as Error).message, `${issuer}${at} answered 404`)
    return error.code === 'issuer_unavailable'
  })
})

for (const [body, words] of [
  [{ error: 'invalid_client' }, ': invalid_client'],
  [{ error: 'Your secret is 12345' }, ''],
] as const) {
  test(`the cause of a refused code has the status and ${words ? 'the code' : 'no words'} of the issuer`, async () => {
    const { client } = opened({ '/token': { status: 401, body } })
    await assert.rejects(client.redeem('c', { verifier: 'v', redirectUri: 'r' }), (error: AppError) => {
      assert.equal((error.cause as Error).message, `its token endpoint answered 401${words}`)
      return error.code === 'unauthorized'
    })
  })
}

test('an issuer that is away is asked again after three seconds', async () => {
  const { client, asked, clock } = opened({ '/.well-known/openid-configuration': new Error('away') })
  await assert.rejects(client.metadata(), code('issuer_unavailable'))
  clock.now += 2_999
  await assert.rejects(client.metadata(), code('issuer_unavailable'))
  assert.equal(asked.length, 1)
  clock.now += 1
  await assert.rejects(client.metadata(), code('issuer_unavailable'))
  assert.equal(asked.length, 2)
})

test('an issuer that is away is asked again after a while, also if the clock of the machine was set back', async () => {
  let wall = now
  const { client, asked, clock } = opened(
    { '/.well-known/openid-configuration': new Error('away') },
    { now: () => wall },
  )
  await assert.rejects(client.metadata(), code('issuer_unavailable'))
  wall -= 24 * 3_600_000
  clock.now += 3_000
  await assert.rejects(client.metadata(), code('issuer_unavailable'))
  assert.equal(asked.length, 2)
})

test('user info is asked for with the access token, and must have a subject', async () => {
  const me = { sub: 'ann', email: 'a@b.example', name: null, more: 1 }
  const { client, asked } = opened({ '/me': { body: me } })
  assert.deepEqual(await client.userInfo('token'), { sub: 'ann', email: 'a@b.example' })
  assert.equal(asked.at(-1)?.headers.get('authorization'), 'Bearer token')
  for (const answer of [{ status: 401, body: { sub: 'ann' } }, { body: {} }, { body: { sub: '' } }]) {
    await assert.rejects(opened({ '/me': answer }).client.userInfo('token'), code('issuer_unavailable'))
  }
})

const secs = now / 1_000
const claims = { sub: 'ann', iss: issuer, aud: 'api', iat: secs, exp: secs + 300 }
const tokens: readonly [what: string, claims: Record<string, unknown>, accepted: boolean][] = [
  ['in order', claims, true],
  ['for one of two audiences', { ...claims, aud: ['other', 'id'] }, true],
  ['for another audience', { ...claims, aud: 'other' }, false],
  ['of another issuer', { ...claims, iss: 'https://evil.example' }, false],
  ['that ended a moment ago', { ...claims, exp: secs - 59 }, true],
  ['that ended a minute ago', { ...claims, exp: secs - 60 }, false],
  ['that begins in a minute', { ...claims, nbf: secs + 60 }, true],
  ['that begins later', { ...claims, nbf: secs + 61 }, false],
  ['without an end', { ...claims, exp: undefined }, false],
  ['without a time', { ...claims, iat: undefined }, false],
  ['without a subject', { ...claims, sub: undefined }, false],
  ['with an empty subject', { ...claims, sub: '' }, false],
  ['with a NUL in its subject', { ...claims, sub: 'ann\0' }, false],
  ['with half of a character in its subject', { ...claims, sub: 'ann\ud800' }, false],
  ['with a long subject', { ...claims, sub: 'x'.repeat(255) }, true],
  ['with an endless subject', { ...claims, sub: 'x'.repeat(256) }, false],
  ['with a null subject', { ...claims, sub: null }, false],
  ['with null for what the issuer does not know', { ...claims, name: null, email: null, email_verified: null }, true],
]
for (const [what, payload, accepted] of tokens) {
  test(`a token ${what} is ${accepted ? 'accepted' : 'refused'}`, async () => {
    const jwt = await new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey)
    const verified = opened().client.verify(jwt, ['api', 'id'])
    if (accepted) assert.equal((await verified).sub, payload['sub'])
    else await assert.rejects(verified, code('unauthorized'))
  })
}

test('a token that is signed with a shared secret, by another key or not at all is refused', async () => {
  const { privateKey: foreign } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = (alg: string, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: 'k' }).sign(key)
  const none = [{ alg: 'none', kid: 'k' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const bad = [await sign('HS256', Buffer.alloc(32, 1)), await sign('ES256', foreign), `${none.join('.')}.`, 'no token']
  for (const jwt of bad) await assert.rejects(opened().client.verify(jwt, ['api']), code('unauthorized'))
})

test('the token of a person with a strange name does not keep the keys from being fetched', async () => {
  const { client } = opened({}, { cooldownMs: 0 })
  const sign = (kid: string, sub: string) =>
    new SignJWT({ ...claims, sub }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
  await assert.rejects(client.verify(await sign('k', 'x'.repeat(256)), ['api']), code('unauthorized'))
  await assert.rejects(client.verify(await sign('other', 'ann'), ['api']), code('unauthorized'))
})

test('an issuer that does not answer is told with the reason', async () => {
  const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey)
  for (const path of ['/.well-known/openid-configuration', '/keys']) {
    const fault = new Error('connect ECONNREFUSED')
    await assert.rejects(opened({ [path]: fault }).client.verify(jwt, ['api']), { cause: fault })
  }
})

test('keys that cannot be read are the fault of the issuer, not of the token', async () => {
  const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(privateKey)
  for (const answer of [new Error('away'), { status: 500 }, { body: 'text' }] satisfies Answer[]) {
    await assert.rejects(opened({ '/keys': answer }).client.verify(jwt, ['api']), code('issuer_unavailable'))
  }
})

test('keys that cannot be fetched are asked for again after three seconds; known keys stay', async () => {
  const answers: Record<string, Answer> = {}
  const { client, asked, clock } = opened(answers, { cooldownMs: 0 })
  const sign = (kid: string) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
  const [known, unknown] = [await sign('k'), await sign('other')]
  await client.verify(known, ['api'])
  const before = asked.length
  for (const answer of [new Error('away'), { status: 500 }, { body: 'text' }] satisfies Answer[]) {
    asked.splice(before)
    answers['/keys'] = answer
    for (const waitMs of [0, 2_999, 1]) {
      clock.now += waitMs
      await assert.rejects(client.verify(unknown, ['api']), code('issuer_unavailable'))
    }
    assert.equal(asked.length, before + 2)
    assert.equal((await client.verify(known, ['api'])).sub, 'ann')
    clock.now += 3_000
  }
  delete answers['/keys']
  await assert.rejects(client.verify(unknown, ['api']), code('unauthorized'))
})
