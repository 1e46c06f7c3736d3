// The cookie and the page of a sign-in at another server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { beginInBrowser, receiveBrowser } from '#doors/web/sign-in-return.ts'

/** A reply that notes what it is told. */
function noted(cookie?: string, url = '/back?code=c&state=s') {
  const told = { status: 0, headers: new Map<string, string>(), type: '', body: '' }
  const reply = {
    request: { headers: { cookie }, url },
    code: (status: number) => ((told.status = status), reply),
    header: (name: string, value: string) => (told.headers.set(name, value), reply),
    type: (type: string) => ((told.type = type), reply),
    send: (body: string) => ((told.body = body), reply),
  }
  return { told, reply: reply as unknown as FastifyReply }
}

const begin = (reply: FastifyReply, base: string, state: string) =>
  beginInBrowser(reply, { base, path: '/back' }, (from) => Promise.resolve({ ...from, state }))
/** The cookie of the state `s`. */
const name = 'atrium_sign_in_043a718774c572bd'

describe('a sign-in', () => {
  for (const [base, secure] of [
    ['https://atrium.test', '; Secure'],
    ['http://127.0.0.1:8080', ''],
  ] as const) {
    it(`begins at ${base} with a cookie for ten minutes and its path alone`, async () => {
      const { told, reply } = noted()
      const { browser, redirectUri } = await begin(reply, base, 's')
      assert.equal(redirectUri, `${base}/back`)
      assert.match(browser, /^\S{20,}$/)
      assert.equal(
        told.headers.get('set-cookie'),
        `${name}=${browser}; Path=/back; Max-Age=600; HttpOnly; SameSite=Lax${secure}`,
      )
      assert.notEqual((await begin(reply, base, 's')).browser, browser)
    })
  }

  for (const [cookie, by] of [
    [`${name}=abc`, { browser: 'abc' }],
    [`a=b;${name}=abc;  c=d`, { browser: 'abc' }],
    [`${name}=`, {}],
    [`x${name}=abc`, {}],
    ['atrium_sign_in_2=abc', {}],
    ['', {}],
    [undefined, {}],
  ] as const) {
    it(`ends for the browser of the cookie ${cookie}`, async () => {
      const { told, reply } = noted(cookie)
      await receiveBrowser(reply, '/back', (given) => {
        assert.deepEqual(given, by)
        return Promise.resolve('done')
      })
      assert.equal(told.status, 200)
      assert.equal(told.headers.get('set-cookie'), `${name}=; Path=/back; Max-Age=0; HttpOnly; SameSite=Lax`)
    })
  }

  it('ends in any order with others of the same browser, and leaves their cookies alone', async () => {
    const cookieOf = async (state: string) => {
      const { told, reply } = noted()
      const { browser } = await begin(reply, 'https://atrium.test', state)
      return { browser, cookie: told.headers.get('set-cookie')?.split(';')[0] ?? '' }
    }
    const [one, two] = [await cookieOf('one'), await cookieOf('two')]
    const jar = `${one.cookie}; ${two.cookie}`
    for (const [state, { browser, cookie }] of Object.entries({ two, one })) {
      const { told, reply } = noted(jar, `/back?code=c&state=${state}`)
      await receiveBrowser(reply, '/back', (by) => Promise.resolve(assert.deepEqual(by, { browser }) ?? 'done'))
      assert.ok(told.headers.get('set-cookie')?.startsWith(`${cookie.split('=')[0]}=; `))
    }
  })

  it('has the state of its whole query, as whoever ends it reads it', async () => {
    const { reply } = noted(`${name}=abc`, '/back?code=a?b&state=s')
    await receiveBrowser(reply, '/back', (by) => Promise.resolve(assert.deepEqual(by, { browser: 'abc' }) ?? 'done'))
  })

  it('that comes back without a state has no browser, and changes no cookie', async () => {
    const { told, reply } = noted(`${name}=abc`, '/back?code=c')
    await receiveBrowser(reply, '/back', (by) => Promise.resolve(assert.deepEqual(by, {}) ?? 'done'))
    assert.equal(told.headers.has('set-cookie'), false)
  })

  it('shows its line as text, on a page that loads and frames nothing', async () => {
    const { told, reply } = noted()
    await receiveBrowser(reply, '/back', () => Promise.resolve(`<b a="1">&'`))
    assert.ok(told.body.includes('<p>&#60;b a=&#34;1&#34;&#62;&#38;&#39;</p>'), told.body)
    const style = /<style>(.*)<\/style>/.exec(told.body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    assert.equal(
      told.headers.get('content-security-policy'),
      `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
    )
    assert.equal(told.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(told.type, 'text/html; charset=utf-8')
  })

  it('shows a fault with its status, and throws what is none', async () => {
    const { told, reply } = noted()
    await receiveBrowser(reply, '/back', () => Promise.reject(new AppError('not_found', 'nothing began <here>')))
    assert.equal(told.status, 404)
    assert.ok(told.body.includes('<p>Nothing began &#60;here&#62;.</p>'), told.body)
    assert.ok(told.body.includes('begin the sign-in again'), 'and says what to do')
    await assert.rejects(
      receiveBrowser(noted().reply, '/back', () => Promise.reject(new TypeError('a bug'))),
      TypeError,
    )
  })
})
