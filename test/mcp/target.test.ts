// How a server is reached: which secrets its variables and headers may name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTarget } from '#mcp/target.ts'

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
