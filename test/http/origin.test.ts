// Which pages may act with a browser's cookie.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { Trust } from '#http/address.ts'
import { createOrigins, originOf } from '#http/origin.ts'
import { fake } from '../fake.ts'

type Case = {
  readonly host?: string
  readonly origin?: string
  readonly from?: string
  readonly allowed?: readonly string[]
  readonly trust?: Trust
  readonly headers?: Readonly<Record<string, string>>
}

function requestOf({ host = '127.0.0.1:3000', origin, from, headers = {} }: Case): IncomingMessage {
  return fake<IncomingMessage>({
    socket: { remoteAddress: '127.0.0.1' },
    headers: { host, ...(origin !== undefined && { origin }), ...(from && { 'sec-fetch-site': from }), ...headers },
  })
}

function isAllowed(given: Case): boolean {
  const { allowed = [], trust = false } = given
  return createOrigins({ allowed, names: ['Box', '0.0.0.0'], trustProxy: trust }).isAllowed(requestOf(given))
}

const shop = 'https://atrium.example.com'
const cases: readonly [what: string, given: Case, ours: boolean][] = [
  ['the same host and port', { origin: 'http://127.0.0.1:3000' }, true],
  ['localhost', { host: 'localhost:3000', origin: 'http://localhost:3000' }, true],
  ['an IPv6 address', { host: '[::1]:3000', origin: 'http://[::1]:3000' }, true],
  ['a name of this machine', { host: 'box:3000', origin: 'http://box:3000' }, true],
  ['a port that the scheme has anyway', { host: '10.0.0.7:80', origin: 'http://10.0.0.7' }, true],
  ['another port', { origin: 'http://127.0.0.1:3001' }, false],
  ['another host', { origin: 'http://evil.example:3000' }, false],
  ['another name for the same machine', { host: '127.0.0.1:3000', origin: 'http://localhost:3000' }, false],
  ['a longer host', { origin: 'http://127.0.0.1:3000.evil.example' }, false],
  ['a page that hides its origin', { origin: 'null' }, false],
  ['an empty origin', { origin: '' }, false],
  ['no URL', { origin: 'nonsense' }, false],
  ['a name that somebody pointed here', { host: 'evil.example:3000', origin: 'http://evil.example:3000' }, false],
  ['the same without an origin', { host: 'evil.example:3000' }, false],
  ['no host', { host: '' }, false],
  ['no browser', {}, true],
  ['a browser that says it is our page', { from: 'same-origin' }, true],
  ['an address that was typed', { from: 'none' }, true],
  ['a browser that says it is another site', { from: 'cross-site' }, false],
  ['a neighbour', { from: 'same-site' }, false],
  ['an origin that is allowed', { origin: shop, allowed: [shop] }, true],
  ['its host, reached directly', { host: 'atrium.example.com', origin: shop, allowed: [shop] }, true],
  ['what merely begins like it', { origin: `${shop}.evil.example`, allowed: [shop] }, false],
  ['a proxy that is not trusted', { origin: shop, headers: { 'x-forwarded-host': 'atrium.example.com' } }, false],
  ['a trusted one', { origin: shop, trust: 1, headers: { 'x-forwarded-host': 'atrium.example.com' } }, true],
  ['a trusted one that keeps the host', { host: 'atrium.example.com', origin: shop, trust: ['127.0.0.1'] }, true],
  ['another page behind it', { host: 'atrium.example.com', origin: 'https://evil.example', trust: 1 }, false],
]
test('a write with a cookie is taken from the gateway’s own pages, from allowed ones, and from no browser', () => {
  for (const [what, given, ours] of cases) assert.equal(isAllowed(given), ours, what)
})

test('HTTPS is believed of a trusted proxy, and of nobody else', () => {
  const secure = (trustProxy: Trust, proto: string) =>
    createOrigins({ allowed: [], names: [], trustProxy }).site(requestOf({ headers: { 'x-forwarded-proto': proto } }))
      .secure
  assert.equal(secure(1, 'https'), true)
  assert.equal(secure(1, 'http'), false)
  assert.equal(secure(1, 'https, http'), false, 'the nearest proxy has the word')
  assert.equal(secure(false, 'https'), false)
  assert.equal(secure(['10.0.0.0/8'], 'https'), false)
})

test('a sign-in returns to an address of this machine or of the settings, not to any host that a client names', () => {
  const own = ({
    host = '',
    allowed = [shop],
    trust = false,
    headers = {},
    local = '10.0.0.7',
  }: Case & { local?: string }) => {
    const request = requestOf({ host, headers })
    Object.assign(request.socket, { localAddress: local })
    return createOrigins({ allowed, names: ['Box'], trustProxy: trust }).ownOrigin(request)
  }
  assert.equal(own({ host: '127.0.0.1:3000' }), 'http://127.0.0.1:3000')
  assert.equal(own({ host: 'localhost:3000' }), 'http://localhost:3000')
  assert.equal(own({ host: '[::1]:3000' }), 'http://[::1]:3000')
  assert.equal(own({ host: 'box:3000' }), 'http://box:3000')
  assert.equal(own({ host: '10.0.0.7:3000' }), 'http://10.0.0.7:3000', 'the address that it was reached at')
  assert.equal(own({ host: '10.0.0.7', local: '::ffff:10.0.0.7' }), 'http://10.0.0.7')
  const proxied = { trust: 1, headers: { 'x-forwarded-host': 'atrium.example.com', 'x-forwarded-proto': 'https' } }
  assert.equal(own(proxied), shop)
  for (const given of [
    { host: 'evil.example' },
    { host: '6.6.6.6' },
    { host: 'atrium.example.com:8443' },
    { host: 'atrium.example.com.evil.example' },
    { host: 'evil.example', trust: 1 },
    { ...proxied, allowed: [] },
    { trust: 1, headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } },
  ]) {
    assert.throws(
      () => own(given),
      { code: 'invalid_input', message: /GATEWAY_ALLOWED_ORIGINS/ },
      JSON.stringify(given),
    )
  }
})

test('where we are reached is written as browsers and servers of sign-ins write it', () => {
  assert.equal(originOf({ secure: true, host: 'Atrium.Example:443' }), 'https://atrium.example')
  assert.equal(originOf({ secure: false, host: 'Atrium.Example:80' }), 'http://atrium.example')
  assert.equal(originOf({ secure: false, host: '127.0.0.1:4000' }), 'http://127.0.0.1:4000')
  for (const host of ['', 'a b', '[::'])
    assert.throws(() => originOf({ secure: false, host }), { code: 'invalid_input' })
})
