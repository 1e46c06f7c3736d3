// What a tool needs before it can work, read from its capability file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSteps } from '#sandbox/auth/needs.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'

const { capabilities } = readCapabilities(
  JSON.stringify({
    version: '1.0.0',
    wit_version: '0.3.0',
    http: { allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }] },
    secrets: { allowed_names: ['extra'] },
    auth: { secret_name: 'token', instructions: 'Make one.' },
    setup: { required_secrets: ['account', { name: 'region', optional: true }] },
  }),
)

test('after an installation the steps that are left are told, the set-up first; what is optional asks for none', () => {
  const steps = (...kept: string[]) => openSteps(capabilities, (secret) => kept.includes(secret))
  assert.deepEqual(steps(), ['setup', 'auth'])
  assert.deepEqual(steps('account'), ['auth'])
  assert.deepEqual(steps('token'), ['setup'])
  assert.deepEqual(steps('account', 'token'), [])
})
