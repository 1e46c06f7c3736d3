// Headers of a guest's request, and where its credentials go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outgoing } from '#net/dial.ts'
import { credentialsFor, echoesOf, inject } from '#sandbox/egress/credentials.ts'
import { readHeaders } from '#sandbox/egress/headers.ts'
import type { Credential } from '#sandbox/package/http.ts'
import { fake } from '../../fake.ts'

test('headers have names in lower case, and none that only the host sets', () => {
  const headers = readHeaders(
    '{"Accept":" a ","X-One":"ü\\t","Host":"x","Proxy-Authorization":"x","Content-Length":"5"}',
  )
  assert.deepEqual(
    headers,
    new Map([
      ['accept', 'a'],
      ['x-one', 'ü'],
    ]),
  )
  assert.deepEqual(readHeaders(''), new Map())
})

const named = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, ''])))
for (const [json, why] of [
  ['[]', /must be a JSON object of texts/],
  ['x', /must be a JSON object of texts/],
  ['{"a b":"x"}', /a name that is not allowed/],
  ['{"":"x"}', /a name that is not allowed/],
  [`{"${'a'.repeat(101)}":"x"}`, /a name that is not allowed/],
  ['{"a":5}', /^the header a is not a text/],
  ['{"A":"x\\r\\ny"}', /^the header a is not a text/],
  ['{"a":"漢"}', /^the header a is not a text/],
  ['{"a":"\\u007f"}', /^the header a is not a text/],
  [named(65), /^more than 64 headers$/],
  [`{"a":"${'x'.repeat(32 * 1_024)}"}`, /^the headers are over 32768 bytes$/],
] as const) {
  test(`headers ${json.slice(0, 30)} are refused`, () => {
    const found = readHeaders(json)
    assert.match(typeof found === 'string' ? found : '', why)
  })
}

test('64 headers with names of 100 characters are taken', () => {
  assert.ok(readHeaders(named(64)) instanceof Map)
  assert.ok(readHeaders(`{"${'a'.repeat(100)}":"x"}`) instanceof Map)
})

const request = fake<Outgoing>({
  target: { host: 'a.test', port: 443, path: '/v1/{KEY}/x/%7bkey%7D', query: '?a=1&key=theirs&k%65y=more&b' },
  headers: new Map([
    ['authorization', 'theirs'],
    ['accept', 'x'],
  ]),
})

for (const [location, changed] of [
  [{ type: 'bearer' }, { authorization: 'Bearer s/&', accept: 'x' }],
  [
    { type: 'basic', username: 'ada' },
    { authorization: `Basic ${btoa('ada:s/&')}`, accept: 'x' },
  ],
  [
    { type: 'header', name: 'X-Key', prefix: 'k=' },
    { authorization: 'theirs', accept: 'x', 'x-key': 'k=s/&' },
  ],
] as const) {
  test(`a secret as ${location.type} replaces what the guest put there`, () => {
    const { headers, target } = inject(request, location, 's/&')
    assert.deepEqual(Object.fromEntries(headers), changed)
    assert.equal(target, request.target)
  })
}

test('a secret in the query or the path replaces what the guest put there, and is encoded', () => {
  const query = inject(request, { type: 'query_param', name: 'key' }, 's/&').target.query
  assert.equal(query, '?a=1&b&key=s%2F%26')
  const empty = { ...request, target: { ...request.target, query: '' } }
  assert.equal(inject(empty, { type: 'query_param', name: 'key' }, 's').target.query, '?key=s')
  const { path } = inject(request, { type: 'url_path', placeholder: 'KEY' }, '$&/').target
  assert.equal(path, '/v1/%24%26%2F/x/%24%26%2F')
})

test('a credential goes to its hosts and ports, and into a path only where its place is', () => {
  const host = (port?: number) => ({ type: 'exact', host: 'a.test', ...(port !== undefined && { port }) })
  const credential = (over: object) =>
    ({ hosts: [host()], location: { type: 'bearer' }, ...over }) as unknown as Credential
  const goes = (over: object, target: object = {}) =>
    credentialsFor({ ...request.target, ...target }, [credential(over)]).length === 1
  assert.deepEqual(
    [goes({}), goes({ hosts: [host(443)] }), goes({ hosts: [host(8443)] }), goes({}, { host: 'b.test' })],
    [true, true, false, false],
  )
  assert.deepEqual([goes({ hosts: [] }), goes({ hosts: [host(8443), host()] })], [false, true])
  const location = { type: 'url_path', placeholder: 'key' }
  assert.deepEqual([goes({ location }), goes({ location }, { path: '/v1/key' })], [true, false])
})

test('an answer may repeat a secret in its pair, and without blanks', () => {
  const echoes = echoesOf({ type: 'basic', username: 'ada' }, ' secret ')
  for (const each of [btoa('ada: secret '), ' secret ', 'secret']) assert.ok(echoes.includes(each), each)
  assert.ok(!echoesOf({ type: 'bearer' }, 'secret').includes(btoa('ada:secret')))
})
