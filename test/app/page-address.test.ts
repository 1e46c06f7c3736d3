// The address that links in messages lead to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOf } from '#app/page-address.ts'
import { readConfig } from '#config.ts'

const pages: readonly [env: Readonly<Record<string, string>>, page: string | undefined][] = [
  [{}, 'http://127.0.0.1:3000'],
  [{ GATEWAY_HOST: '0.0.0.0', GATEWAY_PORT: '8080' }, 'http://localhost:8080'],
  [{ GATEWAY_HOST: '::' }, 'http://localhost:3000'],
  [{ GATEWAY_HOST: '::1' }, 'http://[::1]:3000'],
  [{ GATEWAY_ALLOWED_ORIGINS: 'https://atrium.example,https://b.example' }, 'https://atrium.example'],
  [{ GATEWAY_ENABLED: 'false', GATEWAY_ALLOWED_ORIGINS: 'https://atrium.example' }, 'https://atrium.example'],
  [{ GATEWAY_ENABLED: 'false' }, undefined],
]
for (const [env, page] of pages) {
  test(`with ${JSON.stringify(env)} the page is at ${page ?? 'no known address'}`, () =>
    assert.equal(pageOf(readConfig({ HOME: '/home/ann', ...env })), page))
}
