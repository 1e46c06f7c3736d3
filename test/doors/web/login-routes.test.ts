// Signing in, staying signed in, and signing out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '#core/store.ts'
import { hashToken } from '#lib/token.ts'
import { gatewayToken, type House, type HouseOptions, openHouse, operatorToken } from './house.ts'
import type { TestContext } from 'node:test'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A house with a clock, and a browser's way of asking. */
async function openBrowser(t: TestContext, options: HouseOptions = {}) {
  const clock = { now: 1_800_000_000_000 }
  const house = await openHouse(t, { now: () => clock.now, ...options })
  const signIn = async (body: object, headers: Record<string, string> = {}) => {
    const answer = await house.call('POST', '/api/login', { token: null, body, headers })
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    return { ...answer, cookie }
  }
  const ask = (cookie: string, method = 'GET', path = '/api/session', more: Parameters<House['call']>[2] = {}) =>
    house.call(method, path, { token: null, ...more, headers: { cookie, ...more.headers } })
  return { ...house, clock, signIn, ask }
}

test('a token is exchanged for a cookie that no script and no other site can use', async (t) => {
  const { signIn, ask, addUser } = await openBrowser(t)
  const ada = await addUser('ada')
  for (const [token, user, operator] of [
    [ada, 'ada', false],
    [operatorToken, 'operator', true],
    [gatewayToken, 'operator', true],
  ] as const) {
    const { status, json, headers, cookie } = await signIn({ token })
    assert.equal(status, 200)
    const { user_id, ...told } = json
    assert.equal(user_id === 'operator', operator)
    assert.deepEqual(told, { user, operator, expires_at: new Date(1_800_000_000_000 + 12 * hourMs).toISOString() })
    const set = headers.get('set-cookie') ?? ''
    assert.match(set, /^atrium_session=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    assert.ok(!set.includes(token))
    assert.deepEqual((await ask(cookie)).json, json)
    assert.equal((await ask(cookie, 'GET', '/api/users')).status, operator ? 200 : 403)
  }
})

test('what is stored of a session and of a code cannot be used', async (t) => {
  const kept: string[] = []
  const noting = (store: Store): Store => ({
    ...store,
    sessions: {
      ...store.sessions,
      open: (session) => {
        kept.push(session.hash, session.token ?? '')
        return store.sessions.open(session)
      },
      addCode: (code) => {
        kept.push(code.hash, code.token)
        return store.sessions.addCode(code)
      },
    },
  })
  const { signIn, ask, call, sessions } = await openBrowser(t, { wrapStore: noting })
  const { cookie } = await signIn({ token: operatorToken })
  const code = await sessions.makeCode()
  assert.equal(kept.length, 4)
  for (const each of kept) {
    assert.ok(![cookie.split('=')[1], operatorToken, code].includes(each))
    assert.equal((await ask(`atrium_session=${each}`)).status, 401)
    assert.equal((await call('GET', '/api/session', { token: each })).status, 401)
    assert.equal((await signIn({ code: each })).status, 401)
  }
  assert.equal(
    (await call('GET', '/api/session', { token: cookie.split('=')[1] ?? '' })).status,
    401,
    'no bearer token',
  )
})

test('a wrong token, a wrong code and a body without either are refused in words', async (t) => {
  const { signIn } = await openBrowser(t)
  const wrong = await signIn({ token: 'nope' })
  assert.deepEqual([wrong.status, wrong.json.error.code, wrong.cookie], [401, 'unauthorized', ''])
  assert.ok(!wrong.text.includes('nope'))
  assert.equal((await signIn({ code: 'nope' })).status, 401)
  for (const body of [{}, { token: null }, { token: '' }, { token: operatorToken, code: 'x' }, { token: 7 }]) {
    assert.equal((await signIn(body)).status, 400, JSON.stringify(body))
  }
  const huge = await signIn({ token: 'x'.repeat(20_000) })
  assert.deepEqual([huge.status, huge.json.error.message], [413, 'the body is larger than 16 KB (16384 bytes)'])
})

test('a code signs the operator in once, for ten minutes', async (t) => {
  const { signIn, ask, sessions, clock } = await openBrowser(t)
  const code = await sessions.makeCode()
  const first = await signIn({ code })
  assert.deepEqual([first.status, first.json.operator], [200, true])
  assert.equal((await ask(first.cookie, 'GET', '/api/users')).status, 200)
  assert.equal((await signIn({ code })).status, 401, 'a second time')
  const late = await sessions.makeCode()
  clock.now += 600_000
  assert.equal((await signIn({ code: late })).status, 401, 'after ten minutes')
})

test('a session ends after twelve hours without use, and after thirty days of use', async (t) => {
  const { signIn, ask, clock } = await openBrowser(t)
  const { cookie } = await signIn({ token: operatorToken })
  const begun = clock.now
  const idle = await signIn({ token: operatorToken })
  clock.now += 12 * hourMs
  assert.equal((await ask(idle.cookie)).status, 401)
  assert.equal((await ask(cookie)).status, 401)
  const used = await signIn({ token: operatorToken })
  for (let days = 0.5; days <= 30; days += 0.4) {
    clock.now = begun + days * dayMs
    const { status, json } = await ask(used.cookie)
    assert.equal(status, 200, `${days} days`)
    assert.ok(Date.parse(json.expires_at) <= begun + 30.5 * dayMs)
  }
  clock.now = begun + 30.5 * dayMs
  assert.equal((await ask(used.cookie)).status, 401, 'thirty days')
})

test('the use of a session is not written at every request', async (t) => {
  let touched = 0
  const counting = (store: Store): Store => ({
    ...store,
    sessions: {
      ...store.sessions,
      touch: (hash) => {
        touched++
        return store.sessions.touch(hash)
      },
    },
  })
  const { signIn, ask, clock } = await openBrowser(t, { wrapStore: counting })
  const { cookie } = await signIn({ token: operatorToken })
  for (let at = 0; at < 5; at++) await ask(cookie)
  assert.equal(touched, 0)
  clock.now += 300_000
  for (let at = 0; at < 5; at++) await ask(cookie)
  assert.equal(touched, 1)
})

test('signing out ends this session, or all of the user’s and nobody else’s', async (t) => {
  const { signIn, ask, call, addUser } = await openBrowser(t)
  const ada = await addUser('ada')
  const [one, two, three] = [await signIn({ token: ada }), await signIn({ token: ada }), await signIn({ token: ada })]
  const operator = await signIn({ token: operatorToken })
  const out = await ask(one.cookie, 'POST', '/api/logout')
  assert.equal(out.status, 204)
  assert.match(out.headers.get('set-cookie') ?? '', /^atrium_session=; Path=\/; Max-Age=0; /)
  assert.deepEqual([(await ask(one.cookie)).status, (await ask(two.cookie)).status], [401, 200])
  assert.equal((await ask(two.cookie, 'POST', '/api/logout', { body: { everywhere: true } })).status, 204)
  for (const { cookie } of [two, three]) assert.equal((await ask(cookie)).status, 401)
  assert.equal((await ask(operator.cookie)).status, 200)
  assert.equal((await call('GET', '/api/session', { token: ada })).status, 200, 'the token itself is good')
  assert.equal((await call('POST', '/api/logout', { token: ada, body: { everywhere: 'yes' } })).status, 400)
})

test('a session goes with its token and with its user', async (t) => {
  const { signIn, ask, call, addUser, store, clock } = await openBrowser(t)
  const ada = await addUser('ada', clock.now + hourMs)
  const first = await signIn({ token: ada })
  clock.now += hourMs
  assert.equal((await ask(first.cookie)).status, 401, 'the token has expired')
  await store.accounts.addToken('ada', { hash: hashToken('another') })
  const second = await signIn({ token: 'another' })
  assert.equal((await ask(second.cookie)).status, 200)
  assert.equal((await call('DELETE', '/api/users/ada')).status, 200)
  assert.equal((await ask(second.cookie)).status, 401)
})

test('a session of the operator’s goes with the token it was opened with', async (t) => {
  const { signIn, ask, store } = await openBrowser(t)
  const { cookie } = await signIn({ token: operatorToken })
  assert.equal((await ask(cookie)).status, 200)
  // What a start with another token would find.
  await store.sessions.open({
    hash: hashToken('old'),
    user: 'operator' as never,
    token: hashToken('a token of before'),
    endsAt: 1_900_000_000_000,
  })
  assert.equal((await ask('atrium_session=old')).status, 401)
})

test('attempts are counted by address', async (t) => {
  const { signIn, clock } = await openBrowser(t, { trustProxy: 1 })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (let at = 0; at < 20; at++) assert.equal((await signIn({ token: 'nope' }, from('10.0.0.1'))).status, 401)
  const refused = await signIn({ token: operatorToken }, from('10.0.0.1'))
  assert.deepEqual([refused.status, refused.json.error.code], [429, 'rate_limited'])
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal((await signIn({ token: operatorToken }, from('10.0.0.2'))).status, 200)
  for (let at = 0; at < 20; at++) await signIn({ token: 'nope' }, from(`2001:db8:1:2::${at}`))
  assert.equal(
    (await signIn({ token: operatorToken }, from('2001:db8:1:2:ffff::9'))).status,
    429,
    'one /64 is one client',
  )
  clock.now += 60_000
  assert.equal((await signIn({ token: operatorToken }, from('10.0.0.1'))).status, 200)
})

test('a write with a cookie is refused to pages elsewhere; reading, and a bearer token, are not', async (t) => {
  const { signIn, ask, call, url } = await openBrowser(t, { allowedOrigins: ['https://chat.example'] })
  const { cookie } = await signIn({ token: operatorToken })
  const send = (headers: Record<string, string>) =>
    ask(cookie, 'POST', '/api/chat/send', { body: { message: 'hi' }, headers })
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1']) {
    const { status, text } = await send({ origin })
    assert.deepEqual([status, text], [403, 'Forbidden'], origin)
    assert.equal((await ask(cookie, 'GET', '/api/threads', { headers: { origin } })).status, 200)
    const body = { message: 'hi' }
    assert.equal((await call('POST', '/api/chat/send', { body, headers: { origin, cookie } })).status, 202)
    assert.equal((await signIn({ token: operatorToken }, { origin })).status, 403, 'nor may they sign anybody in')
  }
  for (const origin of [url, 'https://chat.example']) assert.equal((await send({ origin })).status, 202, origin)
  assert.equal((await send({})).status, 202)
})

test('a bad bearer token is refused, whatever the cookie says', async (t) => {
  const { signIn, call } = await openBrowser(t)
  const { cookie } = await signIn({ token: operatorToken })
  assert.equal((await call('GET', '/api/session', { token: 'nope', headers: { cookie } })).status, 401)
  const twice = { cookie: `${cookie}; ${cookie}` }
  assert.equal((await call('GET', '/api/session', { token: null, headers: twice })).status, 401, 'two cookies')
  const among = { cookie: `a=b; ${cookie}; c` }
  assert.equal((await call('GET', '/api/session', { token: null, headers: among })).status, 200)
  const bearer = await call('GET', '/api/session')
  assert.deepEqual(bearer.json, { user_id: 'operator', user: 'operator', operator: true, expires_at: null })
})

test('behind HTTPS the cookie is for HTTPS alone', async (t) => {
  const { signIn } = await openBrowser(t, { trustProxy: 1 })
  const set = async (proto: string) =>
    (await signIn({ token: operatorToken }, { 'x-forwarded-proto': proto })).headers.get('set-cookie') ?? ''
  assert.match(await set('https'), /; Secure$/)
  assert.doesNotMatch(await set('http'), /Secure/)
})

test('while the database is away a session and a sign-in are 503', async (t) => {
  let away = false
  const { signIn, ask } = await openBrowser(t, { storeAway: () => away })
  const { cookie } = await signIn({ token: operatorToken })
  away = true
  for (const { status, text } of [await ask(cookie), await signIn({ token: operatorToken })]) {
    assert.deepEqual([status, text], [503, 'Database unavailable'])
  }
})
