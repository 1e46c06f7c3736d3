// Which requests an allowlist lets through, by table; and what patterns it may hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth } from './growth.ts'
import {
  coversPattern,
  type Endpoint,
  type HostPattern,
  judgeUrl,
  parseUrl,
  readHostPattern,
  readUrl,
} from '#safety/urls.ts'

function endpoint(host: string, pathPrefix: string, methods: readonly string[] = ['GET']): Endpoint {
  return { host: pattern(host), pathPrefix, methods }
}

function pattern(text: string): HostPattern {
  const read = readHostPattern(text)
  assert(typeof read !== 'string', text)
  return read
}

const allowlist: readonly Endpoint[] = [
  endpoint('api.example.com', '/v1/', ['GET', 'POST']),
  endpoint('*.wild.example', '/'),
  endpoint('files.example.com:8443', '/'),
  endpoint('127.0.0.1:9000', '/v1/'),
  endpoint('localhost', '/'),
  endpoint('[::1]:9001', '/'),
  endpoint('10.0.0.5', '/'),
  endpoint('bot.example.com', '/bot'),
]

const allowed: readonly [method: string, url: string][] = [
  ['GET', 'https://api.example.com/v1/'],
  ['GET', 'https://api.example.com/v1/search?name=a%3Ab&x=%2F..%2F'],
  ['POST', 'https://api.example.com/v1/items'],
  ['get', 'https://api.example.com/v1/x'],
  ['GET', 'HTTPS://API.EXAMPLE.COM/v1/x'],
  ['GET', 'https://api.example.com:443/v1/x'],
  ['GET', 'https://api.example.com/v1/x#fragment'],
  ['GET', 'https://api.example.com/v1/a..b/.hidden/...'],
  ['GET', 'https://api.example.com/v1//double'],
  ['GET', 'https://api.example.com/v1/%3A%20'],
  ['GET', 'https://api.example.com/v1/{TOKEN}/x'],
  ['GET', 'https://api.example.com/v1/x?u=user@host'],
  ['GET', 'https://api.example.com/v1/%E4%BD%A0'],
  ['GET', 'https://a.wild.example'],
  ['GET', 'https://a.b.wild.example/deep?q'],
  ['GET', 'https://files.example.com:8443/a'],
  ['GET', 'http://127.0.0.1:9000/v1/x'],
  ['GET', 'https://127.0.0.1:9000/v1/x'],
  ['GET', 'http://localhost/x'],
  ['GET', 'http://[::1]:9001/x'],
  ['GET', 'https://10.0.0.5/x'],
  ['GET', 'https://bot.example.com/bot123:abc/getMe'],
]

const blocked: readonly [method: string, url: string, reason: RegExp][] = [
  // the host
  ['GET', 'https://example.com/v1/x', /host example.com is not/],
  ['GET', 'https://evil.com/v1/x', /not in the allowlist/],
  ['GET', 'https://api.example.com.evil.com/v1/x', /not in the allowlist/],
  ['GET', 'https://xapi.example.com/v1/x', /not in the allowlist/],
  ['GET', 'https://api.example.co/v1/x', /not in the allowlist/],
  ['GET', 'https://wild.example/', /not in the allowlist/],
  ['GET', 'https://evilwild.example/', /not in the allowlist/],
  ['GET', 'https://a.wild.example.evil.com/', /not in the allowlist/],
  ['GET', 'https://api.example.com./v1/x', /ends with a dot/],
  ['GET', 'https://a.wild.example./', /ends with a dot/],
  ['GET', 'https://.wild.example/', /not a valid name/],
  ['GET', 'https://a..wild.example/', /not a valid name/],
  ['GET', 'https://-a.wild.example/', /not a valid name/],
  ['GET', 'https://a_b.wild.example/', /not a valid name/],
  ['GET', 'https://api%2eexample.com/v1/x', /percent-encoded/],
  ['GET', 'https://%61pi.example.com/v1/x', /percent-encoded/],
  ['GET', 'https://apı.example.com/v1/x', /not ASCII/],
  ['GET', 'https://api。example.com/v1/x', /not ASCII/],
  ['GET', 'https:///v1/x', /host is empty/],
  ['GET', `https://${'a.'.repeat(130)}wild.example/`, /too long/],
  // user information
  ['GET', 'https://api.example.com@evil.com/v1/x', /user name/],
  ['GET', 'https://user:pass@api.example.com/v1/x', /user name/],
  ['GET', 'https://evil.com\\@api.example.com/v1/x', /backslash/],
  ['GET', 'https://evil.com#@api.example.com/v1/x', /not in the allowlist/],
  ['GET', 'https://evil.com?@api.example.com/v1/x', /not in the allowlist/],
  // the scheme
  ['GET', 'http://api.example.com/v1/x', /plain http/],
  ['GET', 'http://10.0.0.5/x', /plain http/],
  ['GET', 'ftp://api.example.com/v1/x', /scheme ftp/],
  ['GET', 'file:///etc/passwd', /scheme file/],
  ['GET', 'javascript:alert(1)', /not of the form/],
  ['GET', 'data:text/plain,x', /not of the form/],
  ['GET', '//api.example.com/v1/x', /not of the form/],
  ['GET', 'https:/api.example.com/v1/x', /not of the form/],
  ['GET', 'https:api.example.com/v1/x', /not of the form/],
  ['GET', '', /not of the form/],
  // the port
  ['GET', 'https://api.example.com:8443/v1/x', /port 8443/],
  ['GET', 'https://api.example.com:80/v1/x', /port 80/],
  ['GET', 'https://files.example.com/a', /port 443/],
  ['GET', 'http://127.0.0.1:9002/v1/x', /port 9002/],
  ['GET', 'http://127.0.0.1/v1/x', /port 80/],
  ['GET', 'https://api.example.com:/v1/x', /not a number/],
  ['GET', 'https://api.example.com:0443/v1/x', /not a number/],
  ['GET', 'https://api.example.com:65536/v1/x', /not a number/],
  ['GET', 'https://api.example.com:443x/v1/x', /not a number/],
  // addresses in disguise
  ['GET', 'http://2130706433:9000/v1/x', /four plain numbers/],
  ['GET', 'http://0x7f000001:9000/v1/x', /four plain numbers/],
  ['GET', 'http://0177.0.0.1:9000/v1/x', /four plain numbers/],
  ['GET', 'http://127.1:9000/v1/x', /four plain numbers/],
  ['GET', 'http://127.0.0.01:9000/v1/x', /four plain numbers/],
  ['GET', 'http://127.0.0.0x1:9000/v1/x', /four plain numbers/],
  ['GET', 'http://127.0.0.256:9000/v1/x', /four plain numbers/],
  ['GET', 'http://127.0.0.2:9000/v1/x', /not in the allowlist/],
  ['GET', 'http://[::ffff:127.0.0.1]:9000/v1/x', /shortest form/],
  ['GET', 'http://[::ffff:7f00:1]:9000/v1/x', /not in the allowlist/],
  ['GET', 'http://[0:0:0:0:0:0:0:1]:9001/x', /shortest form/],
  ['GET', 'http://[::1%25lo]:9001/x', /not valid/],
  ['GET', 'http://[::1:9001/x', /IPv6 address is not valid|not a name|not a number/],
  ['GET', 'http://169.254.169.254/latest/meta-data', /not in the allowlist/],
  ['GET', 'https://localhost.evil.com/', /not in the allowlist/],
  // the path
  ['GET', 'https://api.example.com/', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com/v1', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com/v10/x', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com/V1/x', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com//v1/x', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com/v2/x?/v1/', /outside the allowed prefixes/],
  ['GET', 'https://api.example.com/v1/../v2/x', /dot segment/],
  ['GET', 'https://api.example.com/v1/./x', /dot segment/],
  ['GET', 'https://api.example.com/v1/..', /dot segment/],
  ['GET', 'https://api.example.com/v1/%2e%2e/v2', /dot segment/],
  ['GET', 'https://api.example.com/v1/.%2E/v2', /dot segment/],
  ['GET', 'https://api.example.com/v1/..;/v2', /dot segment/],
  ['GET', 'https://api.example.com/v1/..%3bx/v2', /dot segment/],
  ['GET', 'https://api.example.com/v1/..%2fv2', /encoded slash/],
  ['GET', 'https://api.example.com/v1/%25252e%25252e/v2', /twice-encoded/],
  ['GET', 'https://api.example.com/v1/%c0%ae%c0%ae/v2', /overlong/],
  ['GET', 'https://api.example.com/v1/%E0%80%AFv2', /overlong/],
  ['GET', 'https://api.example.com/v1/..%5Cv2', /encoded slash/],
  ['GET', 'https://api.example.com/v1/%252e%252e/v2', /twice-encoded/],
  ['GET', 'https://api.example.com/v1/%252F', /twice-encoded/],
  ['GET', 'https://api.example.com/v1/..\\v2', /backslash/],
  ['GET', 'https://api.example.com/v1/%00', /encoded control/],
  ['GET', 'https://api.example.com/v1/%0d%0aHost:x', /encoded control/],
  ['GET', 'https://api.example.com/v1/%zz', /broken percent/],
  ['GET', 'https://api.example.com/v1/x y', /space/],
  ['GET', 'https://api.example.com/v1/x\r\nHost: evil', /control character/],
  ['GET', ' https://api.example.com/v1/x', /space/],
  ['GET', 'https://api.example.com\t/v1/x', /control character/],
  ['GET', `https://api.example.com/v1/${'x'.repeat(9_000)}`, /longer than/],
  // the method
  ['DELETE', 'https://api.example.com/v1/x', /DELETE is not an allowed method/],
  ['POST', 'https://a.wild.example/', /POST is not/],
  ['GET /v1/x HTTP/1.1\r\nHost: evil', 'https://api.example.com/v1/x', /not an allowed method/],
  ['', 'https://api.example.com/v1/x', /not an allowed method/],
]

for (const [method, url] of allowed) {
  test(`allowed: ${method} ${url}`, () => assert.equal(judgeUrl(method, url, allowlist).type, 'allowed'))
}

for (const [method, url, reason] of blocked) {
  test(`blocked: ${method.slice(0, 12)} ${url.slice(0, 80)}`, () => {
    const verdict = judgeUrl(method, url, allowlist)
    assert(verdict.type === 'blocked', `${url} was allowed`)
    assert.match(verdict.reason, reason)
  })
}

test('nothing listed means nothing allowed', () => {
  assert.equal(judgeUrl('GET', 'https://api.example.com/', []).type, 'blocked')
})

test('what the tool wrote in path and query is kept as it is', () => {
  const verdict = judgeUrl('GET', 'https://api.example.com/v1/a%3ab?x=%2F&y=a+b#f', allowlist)
  assert(verdict.type === 'allowed')
  assert.deepEqual([verdict.target.path, verdict.target.query], ['/v1/a%3ab', '?x=%2F&y=a+b'])
})

const badPatterns = ['*', '*:443', '*.', '*.com', '*.*.com', 'a*.com', 'https://a.com', 'a.com/', 'a@b.com', 'a.com:0']
for (const text of [
  ...badPatterns,
  '',
  'a b',
  '0x7f.1',
  '[::1',
  '*.127.0.0.1',
  'a.com.',
  'ä.com',
  '[::ffff:1.2.3.4]',
]) {
  test(`refused as a pattern: ${JSON.stringify(text)}`, () => assert.equal(typeof readHostPattern(text), 'string'))
}

test('a pattern covers only what falls within it', () => {
  const covers = (outer: string, inner: string): boolean => coversPattern(pattern(outer), pattern(inner))
  assert(
    covers('*.a.example', 'x.a.example') &&
      covers('*.a.example', '*.a.example') &&
      covers('*.a.example', '*.b.a.example'),
  )
  assert(covers('a.example:8443', 'a.example') && covers('a.example:8443', 'a.example:8443'))
  assert(
    !covers('*.a.example', 'a.example') &&
      !covers('x.a.example', '*.a.example') &&
      !covers('*.b.a.example', '*.a.example'),
  )
  assert(!covers('a.example', 'a.example:8443') && !covers('a.example', 'b.example'))
})

test('an address has 8192 characters at most, its host 253', () => {
  const url = (chars: number): string => `https://a.example/${'x'.repeat(chars - 'https://a.example/'.length)}`
  assert.equal(typeof readUrl(url(8_192)), 'object')
  assert.match(JSON.stringify(readUrl(url(8_193))), /longer than 8192/)
  const host = (chars: number): string => `${'a'.repeat(chars - 240)}${'.abcdefghijklmnopqrs'.repeat(12)}`
  assert.equal(typeof readUrl(`https://${host(253)}/`), 'object')
  assert.equal(typeof readUrl(`https://${host(254)}/`), 'string')
})

test('an address with a line separator is read in linear time', () => {
  // The longest address at the most; what is quadratic takes eight times as long in relation.
  assert.ok(growth((times) => readUrl(`http://${':'.repeat(times / 2)}#\u2028`)) < 3)
})

const accents = (count: number): string => '\u0301\u0323'.repeat(count / 2)

test('an address is parsed while it and its host have a usual length', () => {
  assert.equal(parseUrl('https://ä.example/x')?.hostname, 'xn--4ca.example')
  assert.equal(parseUrl(`https://a.example/${'x'.repeat(8_000)}`)?.hostname, 'a.example')
  assert.equal(parseUrl(`https://a.example/?q=${accents(8_000)}`)?.hostname, 'a.example')
  assert.equal(parseUrl('not one'), null)
})

for (const start of ['https://a', 'https:a', '\thttps:\\\\a', 'https:////a', 'https://name:word@a', 'ht\ntps://a']) {
  test(`a host that takes the platform the square of its length is none: ${JSON.stringify(start)}`, (t) => {
    const parse = t.mock.method(URL, 'parse')
    for (const end of ['', '/x', '?x', '#x', '\\x']) assert.equal(parseUrl(`${start}${accents(4_000)}${end}`), null)
    assert.equal(parseUrl(`${start}/${accents(10_000)}`), null)
    assert.equal(parse.mock.callCount(), 0)
  })
}
