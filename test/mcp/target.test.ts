// How a server is reached: which secrets its variables and headers may name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTarget, readHeaders, readVariables } from '#mcp/target.ts'

test('a server names no secret of another server, and no token of a sign-in', () => {
  const rows: [secret: string, isFine: boolean][] = [
    ['key', true],
    ['mcp-key', true],
    ['$KEY', true],
    ['=mcp/plain', true],
    ['mcp.files.KEY', true],
    ['mcp.file.KEY', false],
    ['mcp.files', false],
    ['mcp/files/token', false],
    ['mcp/github/client', false],
  ]
  for (const [secret, isFine] of rows) {
    const command = () => checkTarget('files', { kind: 'stdio', command: 'node', args: [], env: { KEY: secret } })
    if (isFine) command()
    else assert.throws(command, { code: 'invalid_input', param: 'env', message: /^KEY: / }, secret)
    if (secret.startsWith('=')) continue
    const address = () => checkTarget('files', { kind: 'http', url: 'https://a.example', headers: { Key: secret } })
    if (isFine) address()
    else assert.throws(address, { code: 'invalid_input', param: 'headers', message: /^Key: / }, secret)
  }
})

test('variables and headers are read as name and secret, and nothing else', () => {
  assert.deepEqual(readVariables(['A=b', ' _x1 = $HOME ', 'B=c/d.e:f@g-h']), { A: 'b', _x1: '$HOME', B: 'c/d.e:f@g-h' })
  assert.deepEqual(readHeaders(['Authorization: key', "X-!#$%&'*+.^_`|~:k"]), {
    Authorization: 'key',
    "X-!#$%&'*+.^_`|~": 'k',
  })
  assert.deepEqual(readVariables([]), {})
  for (const line of ['', 'A', '=b', '1A=b', 'A-B=c', 'A=', 'A=b c', 'A=$1', `A=${'x'.repeat(201)}`])
    assert.throws(() => readVariables([line]), { code: 'invalid_input' }, line)
  for (const line of ['A', '=b']) assert.throws(() => readVariables([line]), /--env takes KEY=SECRET: /, line)
  for (const line of ['A', ':b']) assert.throws(() => readHeaders([line]), /--header takes 'Name: SECRET': /, line)
  assert.throws(() => readHeaders(['A B: c']), /"A B" is no name of a header/)
  for (const line of ['', 'A', ':b', 'A B: c', 'A: ', 'A: b c'])
    assert.throws(() => readHeaders([line]), { code: 'invalid_input' }, line)
  assert.deepEqual(readVariables([`A=${'x'.repeat(200)}`]), { A: 'x'.repeat(200) })
})

test('at most 50 values are given', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `K${at}=x`)
  assert.equal(Object.keys(readVariables(lines(50))).length, 50)
  assert.throws(() => readVariables(lines(51)), { code: 'invalid_input', message: /at most 50/ })
})

for (const name of [
  'Host',
  'Content-Length',
  'content-type',
  'ACCEPT',
  'connection',
  'transfer-encoding',
  'Mcp-Session-Id',
]) {
  test(`the header ${name} belongs to the connection`, () => {
    assert.throws(() => readHeaders([`${name}: key`]), { code: 'invalid_input', message: /cannot be set/ })
    const target = { kind: 'http', url: 'https://a.example', headers: { [name]: 'key' } } as const
    assert.throws(() => checkTarget('a', target), { code: 'invalid_input', param: 'headers' })
  })
}

test('an address is one of the web, without a password in it', () => {
  const check = (url: string) => () => checkTarget('a', { kind: 'http', url, headers: {} })
  for (const url of ['http://a.example', 'https://a.example:8443/mcp?x=1']) check(url)()
  for (const url of ['', 'a.example', 'ftp://a.example', 'file:///a', 'https://u@a.example', 'https://:p@a.example'])
    assert.throws(check(url), { code: 'invalid_input', param: 'url' }, url)
})
