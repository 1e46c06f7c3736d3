// Undici in the bundle: its HTTP/2 client is loaded on first use.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { lighten } from '../tools/light-undici.ts'

const require = createRequire(import.meta.url)

test('undici loads its HTTP/2 client on first use', () => {
  const client = lighten(readFileSync(require.resolve('undici/lib/dispatcher/client.js'), 'utf8'))
  assert.doesNotMatch(client, /^const connectH2 = /m)
  assert.doesNotMatch(client, /\bconnectH2\b/)
  assert.match(client, /\brequire\('\.\/client-h2\.js'\)\(client, socket\)/)
})

test('an undici that imports otherwise stops the build', () => {
  assert.throws(() => lighten('const connectH2 = load()\n'), /no longer imports its HTTP\/2 client/)
})
