// JWTs of a real issuer as bearer tokens: whom they let in, and everything that must not come in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportSPKI, importJWK } from 'jose'
import { userId } from '#core/ids.ts'
import { clientId, openIssuer } from '../../issuer.ts'
import { openBare } from '../../http/socket.ts'
import { openOidcHouse } from './oidc-house.ts'

const refused = [401, 'Invalid or missing auth token']

test('a JWT of the issuer lets its person in: the same one each time, and nobody else’s account', async (t) => {
  const { house, issuer, claims, session } = await openOidcHouse(t)
  await house.addUser('ann@example.com')
  const ann = { ...claims, email: 'ann@example.com', email_verified: true }
  assert.deepEqual(await session(await issuer.sign(ann)), [200, 'ann@example.com 2'])
  assert.deepEqual(await session(await issuer.sign({ ...ann, email: 'new@example.com' })), [200, 'ann@example.com 2'])
  assert.deepEqual(await session(await issuer.sign({ ...claims, sub: 'bea', aud: clientId })), [200, 'bea'])
  assert.deepEqual(await session(await issuer.sign({ ...claims, sub: 'operator' })), [200, 'somebody'])
  // Whoever writes their own claims at the issuer does not become an address here.
  for (const [sub, claim] of [
    ['x1', { preferred_username: 'boss@example.com' }],
    ['x2', { name: 'boss@example.com' }],
    ['boss@example.com', {}],
    ['x4', { email: 'boss@example.com', email_verified: false, preferred_username: 'boss@example.com' }],
  ] as const) {
    const [status, name] = await session(await issuer.sign({ ...claims, sub, ...claim }))
    assert.deepEqual([status, /^boss-example\.com(?: \d)?$/.test(String(name))], [200, true], String(name))
  }
  const own = await issuer.sign(ann)
  assert.equal((await house.call('GET', '/api/users', { token: own })).status, 403)
  const sent = await house.call('POST', '/api/chat', { token: own, body: { message: 'hi' } })
  assert.equal(sent.json.response, 'you said: hi')
  assert.equal((await house.call('GET', '/api/threads')).json.threads.length, 0)
})

test('a body that comes after the person of its JWT was removed is refused, and nothing of it is stored', async (t) => {
  const { house, issuer, claims, session } = await openOidcHouse(t)
  const jwt = await issuer.sign({ ...claims, sub: 'bea' })
  assert.deepEqual(await session(jwt), [200, 'bea'])
  const bea = await house.store.identities.find({ issuer: issuer.url, subject: 'bea' })
  const body = JSON.stringify({ path: 'notes.md', content: 'late' })
  const bare = openBare(house.port)
  bare.write(`PUT /api/memory/documents/notes.md HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`)
  bare.write(`Authorization: Bearer ${jwt}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`)
  await bare.until('100 Continue')
  assert.equal((await house.call('DELETE', '/api/users/bea')).status, 200)
  bare.write(body)
  assert.match(await bare.until('x-request-id'), /HTTP\/1.1 401 /)
  assert.equal(await house.store.documents.get(bea?.id ?? userId(''), 'notes.md'), undefined)
  bare.end()
})

test('whoever is removed here loses the account; what the issuer still says makes a new one', async (t) => {
  const { house, issuer, claims } = await openOidcHouse(t)
  const token = await issuer.sign(claims)
  await house.call('POST', '/api/chat', { token, body: { message: 'hi' } })
  assert.equal((await house.call('DELETE', '/api/users/ann')).status, 200)
  assert.deepEqual((await house.call('GET', '/api/threads', { token })).json.threads, [])
})

test('tokens for others, of others, from before and not yet, unsigned or signed with what is public are refused', async (t) => {
  const { issuer, claims, seconds, session } = await openOidcHouse(t)
  const stranger = await openIssuer(t, () => [])
  const pem = new TextEncoder().encode(
    await exportSPKI((await importJWK({ ...issuer.publicKey(), ext: true }, 'ES256')) as CryptoKey),
  )
  const good = await issuer.sign(claims)
  const [head = '', body = '', signature = ''] = good.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  const { aud: _, ...open_ } = claims
  const { exp: __, ...endless } = claims
  const cases: readonly [what: string, token: string][] = [
    ['wrong audience', await issuer.sign({ ...claims, aud: 'another' })],
    ['no audience', await issuer.sign(open_)],
    ['wrong issuer', await issuer.sign({ ...claims, iss: 'https://elsewhere.test' })],
    ['another issuer’s key under the same name', await stranger.sign(claims)],
    ['an end that has passed', await issuer.sign({ ...claims, exp: seconds - 120 })],
    ['no end', await issuer.sign(endless)],
    ['not yet', await issuer.sign({ ...claims, nbf: seconds + 600 })],
    ['no subject', await issuer.sign({ ...claims, sub: '' })],
    ['HS256 with the public key', await issuer.sign(claims, { alg: 'HS256', key: pem })],
    ['alg none', `${none}.${body}.`],
    ['alg none with a signature', `${none}.${body}.${signature}`],
    [
      'a changed body',
      `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'bea' })).toString('base64url')}.${signature}`,
    ],
    ['a key nobody knows', await issuer.sign(claims, { kid: 'unknown' })],
    ['no JSON', 'eyJhbGciOiJFUzI1NiJ9.e30x.AAAA'],
  ]
  assert.deepEqual(await session(good), [200, 'ann'])
  for (const [what, token] of cases) assert.deepEqual(await session(token), refused, what)
})

test('a JWT signs in as a token does; its session ends with it', async (t) => {
  const { house, issuer, claims, skew } = await openOidcHouse(t)
  const token = await issuer.sign(claims)
  const signedIn = await house.call('POST', '/api/login', { token: null, body: { token } })
  assert.equal(signedIn.status, 200)
  const ends = new Date((claims.exp + 60) * 1000).toISOString()
  const { user_id, ...told } = signedIn.json
  assert.match(user_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(told, { user: 'ann', operator: false, expires_at: ends })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const ask = async () => (await house.call('GET', '/api/session', { token: null, headers: { cookie } })).status
  assert.equal(await ask(), 200)
  skew(370_000)
  assert.equal(await ask(), 401)
  const wrong = await house.call('POST', '/api/login', { token: null, body: { token } })
  assert.equal(wrong.status, 401)
  assert.equal(wrong.json.error.code, 'unauthorized')
})

test('clocks may differ by a minute', async (t) => {
  const { issuer, claims, session, skew } = await openOidcHouse(t)
  const token = await issuer.sign(claims)
  skew(-50_000)
  assert.deepEqual(await session(await issuer.sign({ ...claims, nbf: claims.iat })), [200, 'ann'])
  skew(350_000)
  assert.deepEqual(await session(token), [200, 'ann'])
  skew(370_000)
  assert.deepEqual(await session(token), refused)
})

test('new keys of the issuer are found, and those of before are not good any more', async (t) => {
  const { issuer, claims, session } = await openOidcHouse(t)
  const before = await issuer.sign(claims)
  assert.deepEqual(await session(before), [200, 'ann'])
  await issuer.rotate()
  assert.deepEqual(await session(await issuer.sign(claims)), [200, 'ann'])
  assert.deepEqual(await session(before), refused)
  const asked = issuer.asked('/jwks')
  assert.deepEqual(await session(await issuer.sign(claims)), [200, 'ann'])
  assert.equal(issuer.asked('/jwks'), asked, 'a key that is known is not asked for again')
})

test('tokens with invented keys do not make the gateway ask again and again', async (t) => {
  const { issuer, claims, session } = await openOidcHouse(t, { cooldownMs: 30_000 })
  assert.deepEqual(await session(await issuer.sign(claims)), [200, 'ann'])
  const asked = issuer.asked('/jwks')
  for (let at = 0; at < 5; at++)
    assert.deepEqual(await session(await issuer.sign(claims, { kid: `no-${at}` })), refused)
  assert.equal(issuer.asked('/jwks'), asked)
})

test('while the issuer is away its tokens are 503, and others are as good as ever', async (t) => {
  const { house, issuer, claims, session } = await openOidcHouse(t)
  const token = await issuer.sign(claims)
  await issuer.close()
  assert.deepEqual(await session(token), [503, 'Database unavailable'])
  const begun = await house.call('GET', '/api/oidc/login', { token: null })
  assert.deepEqual([begun.status, begun.json.error.code], [503, 'issuer_unavailable'])
  assert.equal((await house.call('GET', '/api/session')).status, 200)
})

test('with allowed domains only a verified address of one of them comes in', async (t) => {
  const { issuer, claims, session } = await openOidcHouse(t, { allowedDomains: ['example.com'] })
  const as = async (more: object) => session(await issuer.sign({ ...claims, ...more }))
  assert.deepEqual(await as({ email: 'Ann@Example.COM', email_verified: true }), [200, 'Ann@Example.COM'])
  for (const more of [
    {},
    { email: 'ann@example.com' },
    { email: 'ann@example.com', email_verified: false },
    { email: 'ann@evil-example.com', email_verified: true },
    { email: 'ann@example.com@evil.test', email_verified: true },
    { email: 'example.com', email_verified: true },
  ]) {
    assert.deepEqual(await as({ sub: 'other', ...more }), [403, 'Forbidden'], JSON.stringify(more))
  }
})
