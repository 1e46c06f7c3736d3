// Browsers that sign in through a real issuer: the way there and back, and everything that must not come in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBrowser } from '../../issuer.ts'
import { openHouse } from './house.ts'
import { openOidcHouse } from './oidc-house.ts'

test('a browser goes to the issuer and comes back signed in; the way back works once, and only there', async (t) => {
  const { house, issuer } = await openOidcHouse(t)
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
  const { house } = await openOidcHouse(t)
  const browser = createBrowser()
  const isBack = (address: string): boolean => address.startsWith(`${house.url}/api/oidc/callback`)
  const begun = () => browser.signIn(`${house.url}/api/oidc/login`, 'ann', isBack)
  const [one, two, three] = [await begun(), await begun(), await begun()]
  for (const back of [two, one, three]) assert.equal((await browser.go(back)).status, 302)
})

test('a sign-in that was tampered with, refused by the issuer or took too long is not finished', async (t) => {
  const { house, skew } = await openOidcHouse(t)
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
  const { house } = await openOidcHouse(t, { allowedDomains: ['example.com'] })
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
  const { house, issuer } = await openOidcHouse(t, { allowedDomains: ['example.com'] })
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
  const { house: other, issuer: gone } = await openOidcHouse(t)
  await gone.close()
  const away = 'The sign-in service does not answer: try again.'
  assert.deepEqual(await pageOf(`${other.url}/api/oidc/login`), [503, away])
})

test('a sign-in that the issuer refuses leaves nothing of it in the browser', async (t) => {
  const { house } = await openOidcHouse(t)
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
    const { house } = await openOidcHouse(t)
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
