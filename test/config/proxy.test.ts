// The proxy of the environment: what is taken, and what is refused at the start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxySecrets } from '#config/proxy.ts'
import { readConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'

const HOME = '/home/ada'

for (const [env, httpsProxy] of [
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, 'http://proxy.example:3128/'],
  [{ HTTPS_PROXY: 'https://u:p%40@[::1]/' }, 'https://u:p%40@[::1]/'],
  [{ HTTPS_PROXY: 'proxy.example:3128' }, 'http://proxy.example:3128/'],
  [{ HTTPS_PROXY: 'u:p@127.0.0.1:80/' }, 'http://u:p@127.0.0.1/'],
  [{ https_proxy: 'http://lower.example' }, 'http://lower.example/'],
  [{ HTTPS_PROXY: 'http://upper.example', https_proxy: 'foo' }, 'http://upper.example/'],
  [{ HTTPS_PROXY: '', https_proxy: '' }, undefined],
] as const) {
  test(`${JSON.stringify(env)} is the proxy ${httpsProxy}`, () => {
    assert.equal(readConfig({ HOME, ...env }).proxy.httpsProxy, httpsProxy)
  })
}

for (const value of [
  'foo',
  'proxy.example',
  'socks5://ada:secret@127.0.0.1:1080',
  'ftp://proxy.example:21',
  'http://',
  'http://proxy.example:port',
  'http://ada:1/secret@proxy.example:3128',
  'http://ada:1#secret@proxy.example:3128',
  'http://ada:secret%zz@proxy.example:3128',
  'http://ada:secret%ff@proxy.example:3128',
  ' http://proxy.example:3128',
]) {
  for (const name of ['HTTPS_PROXY', 'https_proxy']) {
    test(`${name}=${value} is refused by its name and without its value`, () => {
      assert.throws(
        () => readConfig({ HOME, [name]: value }),
        (error) => {
          assert(error instanceof AppError && error.code === 'invalid_config')
          assert.match(error.message, new RegExp(`^${name} must be an http or https URL .* Unset it .*${name}=http://`))
          assert.doesNotMatch(error.message, /secret|ada|foo|127\.0|1080|proxy\.example:/)
          return true
        },
      )
    })
  }
}

test('a password is the secret of a proxy, or a token in place of a user; a name alone beside it is not', () => {
  assert.deepEqual(proxySecrets({ httpsProxy: 'http://ada:p%40ss@proxy.example' }), ['p%40ss', 'p@ss'])
  assert.deepEqual(proxySecrets({ httpsProxy: 'http://to%2Fken@proxy.example' }), ['to%2Fken', 'to/ken'])
  assert.deepEqual(proxySecrets({ httpsProxy: 'http://proxy.example' }), [])
  assert.deepEqual(proxySecrets({}), [])
})
