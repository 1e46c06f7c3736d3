// Fastify in the bundle: it starts without the packages that only other servers need.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { lighten } from '../tools/light-fastify.ts'

const require = createRequire(import.meta.url)
const fileOf = (file: string): string =>
  readFileSync(require.resolve('fastify').replace('fastify.js', `lib/${file}`), 'utf8')

test('Fastify loads TLS, HTTP/2 and the comparison of versions on first use', () => {
  const server = lighten(fileOf('server.js'), 'server.js')
  const plugins = lighten(fileOf('plugin-utils.js'), 'plugin-utils.js')
  assert.doesNotMatch(server + plugins, /^const (https|http2|semver) = /m)
  assert.match(server, /\brequire\('node:https'\)\.createServer\(/)
  assert.match(server, /\brequire\('node:http2'\)\.createSecureServer\(/)
  assert.match(plugins, /\brequire\('semver'\)\.satisfies\(/)
  // Words in comments and other names stay as they are.
  assert.match(server, /options\.https === true/)
})

test('a Fastify that imports otherwise stops the build', () => {
  assert.throws(() => lighten('const https = load()\n', 'server.js'), /no longer imports node:https/)
})
