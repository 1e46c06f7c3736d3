// The cookie and the page of a sign-in at another server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { markBrowser, receiveBrowser } from '#doors/web/sign-in-return.ts'

/** A reply that notes what it is told. */
function noted(cookie?: string) {
  const told = { status: 0, headers: new Map<string, string>(), type: '', body: '' }
  const reply = {
    request: { headers: { cookie } },
    code: (status: number) => ((told.status = status), reply),
    header: (name: string, value: string) => (told.headers.set(name, value), reply),
    type: (type: string) => ((told.type = type), reply),
    send: (body: string) => ((told.body = body), reply),
  }
  return { told, reply: reply as unknown as FastifyReply }
}

describe('a sign-in', () => {
  for (const [base, secure] of [
    ['https://atrium.test', '; Secure'],
    ['http://127.0.0.1:8080', ''],
  ] as const) {
    it(`begins at ${base} with a cookie for ten minutes and its path alone`, () => {
      const { told, reply } = noted()
      const browser = markBrowser(reply, base, '/back')
      assert.match(browser, /^\S{20,}$/)
      assert.equal(
        told.headers.get('set-cookie'),
        `atrium_sign_in=${browser}; Path=/back; Max-Age=600; HttpOnly; SameSite=Lax${secure}`,
      )
      assert.notEqual(markBrowser(reply, base, '/back'), browser)
    })
  }

  for (const [cookie, by] of [
    ['atrium_sign_in=abc', { browser: 'abc' }],
    ['a=b;atrium_sign_in=abc;  c=d', { browser: 'abc' }],
    ['atrium_sign_in=', {}],
    ['xatrium_sign_in=abc', {}],
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
      assert.equal(told.headers.get('set-cookie'), 'atrium_sign_in=; Path=/back; Max-Age=0; HttpOnly; SameSite=Lax')
    })
  }

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
