// Sign-in through a real issuer: bearer JWTs and browsers, and everything that must not come in.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { exportSPKI, importJWK } from 'jose'
import { userId } from '#core/ids.ts'
import { createIssuer } from '#http/oidc-issuer.ts'
import { createOidc } from '#http/oidc.ts'
import { silentLog } from '#lib/log.ts'
import { clientId, clientSecret, createBrowser, fetchIssuer, openIssuer } from '../../issuer.ts'
import { openBare } from '../../http/socket.ts'
import { openHouse } from './house.ts'

type Options = { readonly allowedDomains?: readonly string[]; readonly cooldownMs?: number }

async function open(t: TestContext, { allowedDomains = [], cooldownMs = 0 }: Options = {}) {
  let redirect = 'http://127.0.0.1/nowhere'
  const issuer = await openIssuer(t, () => [redirect])
  let skewMs = 0
  const now = (): number => Date.now() + skewMs
  const house = await openHouse(t, {
    now,
    oidc: (identities) =>
      createOidc({
        issuer: createIssuer({ issuer: issuer.url, clientId, clientSecret, fetch: fetchIssuer, now, cooldownMs }),
        clientId,
        audience: 'atrium-api',
        allowedDomains,
        identities,
        now,
        log: silentLog,
      }),
  })
  redirect = `${house.url}/api/oidc/callback`
  await issuer.rotate()
  const seconds = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer.url, sub: 'ann', aud: 'atrium-api', iat: seconds, exp: seconds + 300 }
  const session = async (token: string) => {
    const { status, json, text } = await house.call('GET', '/api/session', { token })
    return [status, status === 200 ? json.user : text]
  }
  return {
    house,
    issuer,
    claims,
    seconds,
    session,
    skew: (ms: number): void => {
      skewMs = ms
    },
  }
}

const refused = [401, 'Invalid or missing auth token']

test('a JWT of the issuer lets its person in: the same one each time, and nobody else’s account', async (t) => {
  const { house, issuer, claims, session } = await open(t)
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
  const { house, issuer, claims, session } = await open(t)
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
  const { house, issuer, claims } = await open(t)
  const token = await issuer.sign(claims)
  await house.call('POST', '/api/chat', { token, body: { message: 'hi' } })
  assert.equal((await house.call('DELETE', '/api/users/ann')).status, 200)
  assert.deepEqual((await house.call('GET', '/api/threads', { token })).json.threads, [])
})

test('tokens for others, of others, from before and not yet, unsigned or signed with what is public are refused', async (t) => {
  const { issuer, claims, seconds, session } = await open(t)
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
  const { house, issuer, claims, skew } = await open(t)
  const token = await issuer.sign(claims)
  const signedIn = await house.call('POST', '/api/login', { token: null, body: { token } })
  assert.equal(signedIn.status, 200)
  const ends = new Date((claims.exp + 60) * 1000).toISOString()
  assert.deepEqual(signedIn.json, { user: 'ann', operator: false, expires_at: ends })
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
  const { issuer, claims, session, skew } = await open(t)
  const token = await issuer.sign(claims)
  skew(-50_000)
  assert.deepEqual(await session(await issuer.sign({ ...claims, nbf: claims.iat })), [200, 'ann'])
  skew(350_000)
  assert.deepEqual(await session(token), [200, 'ann'])
  skew(370_000)
  assert.deepEqual(await session(token), refused)
})

test('new keys of the issuer are found, and those of before are not good any more', async (t) => {
  const { issuer, claims, session } = await open(t)
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
  const { issuer, claims, session } = await open(t, { cooldownMs: 30_000 })
  assert.deepEqual(await session(await issuer.sign(claims)), [200, 'ann'])
  const asked = issuer.asked('/jwks')
  for (let at = 0; at < 5; at++)
    assert.deepEqual(await session(await issuer.sign(claims, { kid: `no-${at}` })), refused)
  assert.equal(issuer.asked('/jwks'), asked)
})

test('while the issuer is away its tokens are 503, and others are as good as ever', async (t) => {
  const { house, issuer, claims, session } = await open(t)
  const token = await issuer.sign(claims)
  await issuer.close()
  assert.deepEqual(await session(token), [503, 'Database unavailable'])
  const begun = await house.call('GET', '/api/oidc/login', { token: null })
  assert.deepEqual([begun.status, begun.json.error.code], [503, 'issuer_unavailable'])
  assert.equal((await house.call('GET', '/api/session')).status, 200)
})

test('with allowed domains only a verified address of one of them comes in', async (t) => {
  const { issuer, claims, session } = await open(t, { allowedDomains: ['example.com'] })
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

test('a browser goes to the issuer and comes back signed in; the way back works once, and only there', async (t) => {
  const { house, issuer } = await open(t)
  const browser = createBrowser()
  const isBack = (address: string): boolean => address.startsWith(`${house.url}/api/oidc/callback`)
  const begin = `${house.url}/api/oidc/login`
  const back = await browser.signIn(begin, 'ann', isBack)
  const { searchParams } = new URL(back)
  assert.ok(searchParams.get('code') && searchParams.get('state'))

  const other = createBrowser()
  await other.go(begin)
  assert.equal((await other.go(back)).status, 401, 'another browser cannot finish it')
  assert.equal(issuer.asked('/token'), 0, 'nor is its code redeemed')
  const again = await browser.signIn(begin, 'ann', isBack)
  const done = await browser.go(again)
  assert.deepEqual([done.status, done.headers.get('location')], [302, '/'])
  const cookies = done.headers.getSetCookie()
  assert.ok(cookies.some((line) => /^atrium_session=\S+; Path=\/; .*HttpOnly; SameSite=Strict$/.test(line)))
  assert.ok(
    cookies.some((line) => /^atrium_oidc_\w{16}=; Path=\/api\/oidc; Max-Age=0; HttpOnly; SameSite=Lax$/.test(line)),
  )
  const session = await browser.go(`${house.url}/api/session`)
  assert.equal(((await session.json()) as { user: string }).user, 'Ann@Example.com')
  assert.equal((await browser.go(again)).status, 401, 'a second time')
  assert.equal(issuer.asked('/me'), 1, 'an address that the token does not tell is asked for')
})

test('sign-ins that one browser began side by side all end, in any order', async (t) => {
  const { house } = await open(t)
  const browser = createBrowser()
  const isBack = (address: string): boolean => address.startsWith(`${house.url}/api/oidc/callback`)
  const begun = () => browser.signIn(`${house.url}/api/oidc/login`, 'ann', isBack)
  const [one, two, three] = [await begun(), await begun(), await begun()]
  for (const back of [two, one, three]) assert.equal((await browser.go(back)).status, 302)
})

test('a sign-in that was tampered with, refused by the issuer or took too long is not finished', async (t) => {
  const { house, skew } = await open(t)
  const browser = createBrowser()
  const isBack = (address: string): boolean => address.startsWith(`${house.url}/api/oidc/callback`)
  const begun = async (): Promise<URL> => new URL(await browser.signIn(`${house.url}/api/oidc/login`, 'ann', isBack))
  const statusOf = async (change: (url: URL) => void): Promise<number> => {
    const url = await begun()
    change(url)
    return (await browser.go(url.href)).status
  }
  assert.equal(await statusOf((url) => url.searchParams.set('state', 'x')), 401)
  assert.equal(await statusOf((url) => url.searchParams.set('code', 'x')), 401)
  assert.equal(await statusOf((url) => url.searchParams.set('iss', 'https://elsewhere.test')), 401)
  assert.equal(await statusOf((url) => url.searchParams.delete('code')), 400)
  assert.equal(await statusOf((url) => url.searchParams.set('error', 'access_denied')), 403)
  assert.equal(await statusOf(() => skew(11 * 60_000)), 401)
  skew(0)
  assert.equal(await statusOf(() => {}), 302)
})

test('a browser of somebody who may not come in is told so in plain text', async (t) => {
  const { house } = await open(t, { allowedDomains: ['example.com'] })
  for (const [login, status] of [
    ['ann', 302],
    ['bea', 403],
    ['cem', 403],
  ] as const) {
    const browser = createBrowser()
    const isBack = (address: string): boolean => address.startsWith(`${house.url}/api/oidc/callback`)
    const answer = await browser.go(await browser.signIn(`${house.url}/api/oidc/login`, login, isBack))
    assert.equal(answer.status, status, login)
    if (status === 403) assert.equal(await answer.text(), 'Forbidden')
    if (status === 403) assert.ok(!answer.headers.getSetCookie().some((line) => line.startsWith('atrium_session=')))
  }
})

test('a browser whose sign-in fails gets a page that says why, with a link to sign in again', async (t) => {
  const { house, issuer } = await open(t, { allowedDomains: ['example.com'] })
  const pageOf = async (address: string, browser = createBrowser()) => {
    const answer = await browser.go(address, undefined, { accept: 'text/html,*/*;q=0.8' })
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    const text = await answer.text()
    assert.match(text, /<h1>You are not signed in<\/h1>.*<a href="\/api\/oidc\/login">Sign in again<\/a>/)
    return [answer.status, /<\/h1><p>(.*?)<\/p>/.exec(text)?.[1]]
  }
  const back = `${house.url}/api/oidc/callback`
  const stale = 'This sign-in was used before, took too long or began in another browser: begin again.'
  assert.deepEqual(await pageOf(`${back}?code=c&state=s`), [401, stale])
  const denied = 'The sign-in service did not sign you in'
  assert.deepEqual(await pageOf(`${back}?error=access_denied`), [403, `${denied}: access_denied.`])
  for (const odd of ['%3Cb%3E', 'access_denied%20now'])
    assert.deepEqual(await pageOf(`${back}?error=${odd}`), [403, `${denied}.`])
  const [missing] = await pageOf(back)
  assert.equal(missing, 400)

  const browser = createBrowser()
  const isBack = (address: string): boolean => address.startsWith(back)
  const [status, line] = await pageOf(await browser.signIn(`${house.url}/api/oidc/login`, 'cem', isBack), browser)
  assert.equal(status, 403)
  assert.match(String(line), /^Your account there has no verified email address of a domain that may sign in here\./)

  await issuer.close()
  const { house: other, issuer: gone } = await open(t)
  await gone.close()
  const away = 'The sign-in service does not answer: try again.'
  assert.deepEqual(await pageOf(`${other.url}/api/oidc/login`), [503, away])
})

test('a sign-in that the issuer refuses leaves nothing of it in the browser', async (t) => {
  const { house } = await open(t)
  const { headers } = await house.call('GET', '/api/oidc/callback?error=access_denied&state=s', { token: null })
  assert.deepEqual(headers.getSetCookie(), [
    'atrium_oidc_043a718774c572bd=; Path=/api/oidc; Max-Age=0; HttpOnly; SameSite=Lax',
  ])
})

test('attempts to sign in at the issuer are counted, on the way there and back', async (t) => {
  for (const [path, status] of [
    ['login', 302],
    ['callback?error=access_denied', 403],
  ] as const) {
    const { house } = await open(t)
    const attempt = () =>
      fetch(`${house.url}/api/oidc/${path}`, { redirect: 'manual', headers: { accept: 'text/html' } })
    for (let count = 0; count < 20; count++) assert.equal((await attempt()).status, status, path)
    const late = await attempt()
    assert.equal(late.status, 429, path)
    assert.match(late.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(await late.text(), /Too many attempts to sign in/)
  }
})

test('where no issuer is configured there is no such route', async (t) => {
  const house = await openHouse(t)
  assert.equal((await house.call('GET', '/api/oidc/login')).status, 404)
})

test('a sign-in, here or of a tool, never returns to a host that only the client names', async (t) => {
  const never = () => Promise.reject(new Error('not asked'))
  const begin = () => Promise.resolve({ url: '/api/health', state: 's', browser: 'b' })
  const house = await openHouse(t, {
    trustProxy: 1,
    oidc: () => ({ begin, authenticate: never, isKnown: never, finish: never }),
  })
  const headers = { 'x-forwarded-host': 'evil.example' }
  for (const path of ['/api/oidc/login', '/api/tools/oauth/callback?code=c&state=s']) {
    const { status, text } = await house.call('GET', path, { token: null, headers })
    assert.equal(status, 400, path)
    assert.match(text, /http:\/\/evil\.example is not a known address of this service/)
  }
})
