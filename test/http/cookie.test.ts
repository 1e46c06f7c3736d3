// Cookies: read when there is one of the name, written so that scripts and other sites do not get them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCookie, writeCookie, writeLaxCookie } from '#http/cookie.ts'

const headers: readonly [header: string | undefined, value: string | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['atrium_session=a', 'a'],
  ['x=1; atrium_session=a ; y=2', 'a'],
  ['atrium_session=', undefined],
  ['atrium_session', undefined],
  ['atrium_sessions=a', undefined],
  ['atrium_session=a; atrium_session=a', undefined],
]
for (const [header, value] of headers) {
  test(`the session in ${JSON.stringify(header)}`, () => assert.equal(readCookie(header), value))
}

test('another cookie is read by its name', () => assert.equal(readCookie('a=1; b=2', 'b'), '2'))

test('cookies are written with all that keeps them', () => {
  const base = 'atrium_session=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict'
  assert.equal(writeCookie('v', { maxAgeSecs: 60, secure: false }), base)
  assert.equal(writeCookie('v', { maxAgeSecs: 60, secure: true }), `${base}; Secure`)
  const lax = 'n=v; Path=/p; Max-Age=60; HttpOnly; SameSite=Lax'
  assert.equal(writeLaxCookie('n', 'v', { maxAgeSecs: 60, secure: false, path: '/p' }), lax)
  assert.equal(writeLaxCookie('n', 'v', { maxAgeSecs: 60, secure: true, path: '/p' }), `${lax}; Secure`)
})
