// The base URL of a model server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { parseBaseUrl, viaOf } from '#models/base-url.ts'

for (const url of ['http://127.0.0.1:11434/v1', 'https://api.example/v1?x=1']) {
  test(`${url} can work`, () => assert.equal(parseBaseUrl(url).href, url))
}

for (const url of ['', 'api.example/v1', 'ftp://api.example/v1', 'file:///v1', '/v1', 'http://']) {
  test(`${url || 'nothing'} can never work`, () => {
    assert.throws(
      () => parseBaseUrl(url),
      (error) => error instanceof AppError && error.code === 'invalid_config',
    )
  })
}

test('of an address only its host is recorded, and the name of the secret that was used', () => {
  const url = new URL('https://user:password@api.example:8443/v1?key=k')
  assert.deepEqual(viaOf(url), { host: 'api.example:8443' })
  assert.deepEqual(viaOf(url, 'KEY'), { host: 'api.example:8443', secret: 'KEY' })
})
