// The capability file: every key read, every fault with its path, hostile files refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Capabilities, readCapabilities, schemaWarnings } from '#sandbox/package/capabilities.ts'
import { isReservedVariable } from '#sandbox/package/auth.ts'
import { full, read } from './capability-file.ts'

test('every key is read', () => {
  const { capabilities, warnings } = readCapabilities(JSON.stringify(full))
  assert.deepEqual(warnings, [])
  assert.deepEqual(capabilities.allowlist[0], {
    host: { type: 'exact', host: 'api.example.com' },
    pathPrefix: '/v1/',
    methods: ['GET', 'POST'],
  })
  assert.deepEqual(capabilities.rateLimit, { perMinute: 60, perHour: 500 })
  assert.deepEqual(
    capabilities.credentials.map(({ location }) => location),
    [
      { type: 'bearer' },
      { type: 'basic', username: 'u' },
      { type: 'header', name: 'X-Key', prefix: 'Token ' },
      { type: 'query_param', name: 'key' },
      { type: 'url_path', placeholder: 'BOT' },
    ],
  )
  assert.deepEqual(capabilities.requiredSecrets, [
    { name: 'client_id', optional: false },
    { name: 'client_secret', prompt: 'The secret', optional: true },
  ])
  assert.equal(capabilities.auth?.oauth?.usePkce, true)
  assert.deepEqual(
    capabilities.actions.map(({ id }) => id),
    ['get_repo', 'list'],
  )
  assert.deepEqual(
    [capabilities.timeoutSecs, capabilities.workspace, [...capabilities.aliases]],
    [20, ['notes/'], [['clock', 'time']]],
  )
})

test('an empty file allows nothing', () => {
  const { capabilities, warnings } = readCapabilities('{}')
  assert.deepEqual([capabilities.allowlist, capabilities.secretNames, capabilities.credentials], [[], [], []])
  assert.equal(warnings.length, 2)
})

test('unknown keys warn with their path', () => {
  const { warnings } = readCapabilities(JSON.stringify({ ...full, color: 1, http: { ...full.http, retries: 3 } }))
  assert.deepEqual(warnings, ['http.retries is unknown and is ignored', 'color is unknown and is ignored'])
})

const http = (more: object): object => ({ http: { allowlist: full.http.allowlist, ...more } })
const entry = (more: object): object =>
  http({ allowlist: [full.http.allowlist[0], { ...full.http.allowlist[0], ...more }] })
const credential = (more: object): object => http({ credentials: { main: { ...full.http.credentials.main, ...more } } })
const auth = (more: object): object => ({ auth: { ...full.auth, ...more } })

const faulty: readonly [value: unknown, fault: RegExp][] = [
  [[], /must be a JSON object/],
  [{ version: 1 }, /version must be a text/],
  [{ wit_version: '1.0.0' }, /wit_version is not valid: .*0\.3\.x and 0\.4\.x/],
  [{ http: [] }, /http must be an object/],
  [{ http: { allowlist: {} } }, /http\.allowlist must be an array/],
  [entry({ host: undefined }), /http\.allowlist\[1\]\.host must be a text/],
  [entry({ host: '*' }), /http\.allowlist\[1\]\.host: a bare \*/],
  [entry({ host: '*.com' }), /http\.allowlist\[1\]\.host: a pattern needs/],
  [entry({ host: 'https://a.example' }), /http\.allowlist\[1\]\.host: write the host alone/],
  [entry({ host: '169.254.169.254' }), /http\.allowlist\[1\]\.host is a metadata address/],
  [entry({ host: '[fe80::1]' }), /http\.allowlist\[1\]\.host is a link-local address/],
  [entry({ host: '0.0.0.0' }), /http\.allowlist\[1\]\.host is a reserved address/],
  [entry({ path_prefix: 'v1' }), /http\.allowlist\[1\]\.path_prefix is not valid/],
  [entry({ path_prefix: '/a/../b' }), /http\.allowlist\[1\]\.path_prefix: the path has a dot segment/],
  [entry({ path_prefix: '/a\u202eb' }), /http\.allowlist\[1\]\.path_prefix is not valid/],
  [entry({ path_prefix: '/a\u009bb' }), /http\.allowlist\[1\]\.path_prefix is not valid/],
  [entry({ methods: undefined }), /http\.allowlist\[1\]\.methods must name at least one/],
  [entry({ methods: ['GET', 'CONNECT'] }), /http\.allowlist\[1\]\.methods\[1\] must be one of/],
  [http({ rate_limit: { requests_per_minute: 0 } }), /http\.rate_limit\.requests_per_minute must be a whole number/],
  [http({ timeout_secs: 1.5 }), /http\.timeout_secs must be a whole number/],
  [credential({ secret_name: 'a b' }), /http\.credentials\.main\.secret_name is not valid/],
  [
    credential({ location: { type: 'cookie' } }),
    /http\.credentials\.main\.location\.type must be one of bearer, basic/,
  ],
  [credential({ location: { type: 'header', name: 'Host' } }), /only the host sets the header Host/],
  [credential({ location: { type: 'header', name: 'a\r\nb' } }), /location\.name is not valid/],
  [credential({ location: { type: 'query_param' } }), /location\.name must be a text/],
  [credential({ host_patterns: [] }), /host_patterns must name at least one host/],
  [credential({ host_patterns: ['evil.example'] }), /host_patterns\[0\] is not within http\.allowlist/],
  [credential({ host_patterns: ['*.example.com'] }), /host_patterns\[0\] is not within/],
  [credential({ host_patterns: ['files.example.com'] }), /host_patterns\[0\] is not within/],
  [{ secrets: { allowed_names: ['ok', 7] } }, /secrets\.allowed_names\[1\] must be a text/],
  [auth({ secret_name: undefined }), /auth\.secret_name must be a text/],
  [auth({ setup_url: 'javascript:alert(1)' }), /auth\.setup_url is not valid/],
  [auth({ env_var: 'GATEWAY_AUTH_TOKEN' }), /auth\.env_var must not be GATEWAY_AUTH_TOKEN/],
  [auth({ env_var: 'A-B' }), /auth\.env_var is not valid/],
  [auth({ oauth: { ...full.auth.oauth, client_id_env: 'OPENAI_API_KEY' } }), /auth\.oauth\.client_id_env must not be/],
  [auth({ oauth: { ...full.auth.oauth, token_url: 'http://example.com/' } }), /auth\.oauth\.token_url is not valid/],
  [auth({ oauth: { ...full.auth.oauth, extra_params: { Scope: 'all' } } }), /extra_params\.Scope is a parameter/],
  [auth({ oauth: { ...full.auth.oauth, client_id_env: undefined } }), /auth\.oauth needs client_id/],
  [{ setup: { required_secrets: [{}] } }, /setup\.required_secrets\[0\]\.name must be a text/],
  [{ actions: [{ id: 'a b' }] }, /actions\[0\]\.id is not valid/],
  [{ actions: [{ id: 'a' }, { id: 'a' }] }, /actions\[1\]\.id is used twice/],
  [{ actions: [{ id: 'a', params: [] }] }, /actions\[0\]\.params must be a JSON schema/],
  [{ workspace: { allowed_prefixes: ['../'] } }, /workspace\.allowed_prefixes\[0\] is not valid/],
  [{ workspace: { allowed_prefixes: ['a\n/'] } }, /workspace\.allowed_prefixes\[0\] is not valid/],
  [{ workspace: { allowed_prefixes: ['a\u202e/'] } }, /workspace\.allowed_prefixes\[0\] is not valid/],
  [{ workspace: { allowed_prefixes: ['/etc/'] } }, /workspace\.allowed_prefixes\[0\] is not valid/],
  [{ tool_invoke: { aliases: { a: 1 } } }, /tool_invoke\.aliases\.a must be a text/],
]
for (const [value, fault] of faulty) {
  test(`refused: ${fault.source.replaceAll('\\', '')}`, () =>
    assert.throws(() => read(value), { code: 'capabilities_invalid', message: fault }))
}

test('all faults are told at once', () => {
  assert.throws(
    () => read({ version: 1, http: { timeout_secs: 0 } }),
    /version must be a text; .*timeout_secs|timeout_secs.*; version/,
  )
})

test('text that is no JSON, or too much of it, is refused', () => {
  assert.throws(() => readCapabilities('{'), /not valid JSON/)
  assert.throws(() => readCapabilities(`{"a":"${'x'.repeat(70_000)}"}`), /over 65536 bytes/)
})

test('a tool can never name a variable of the service or of a provider', () => {
  const own = [
    'ATRIUM_MASTER_KEY',
    'GATEWAY_AUTH_TOKEN',
    'HTTP_WEBHOOK_SECRET',
    'SERVICE_REBORN_WEBUI_TOKEN',
    'DATABASE_URL',
  ]
  const more = [
    'LLM_API_KEY',
    'EMBEDDING_API_KEY',
    'OIDC_CLIENT_SECRET',
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'GEMINI_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'OPENAI_ADMIN_KEY',
    'OPENAI_API_KEY_2',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_API_KEY',
    'gateway_auth_token',
    'PATH',
    'PGPASSWORD',
  ]
  for (const name of [...own, ...more]) assert(isReservedVariable(name), name)
  for (const name of ['GITHUB_TOKEN', 'NOTION_TOKEN', 'EXAMPLE_API_KEY', 'HOMEBREW_X', 'GOOGLE_CLIENT_ID'])
    assert(!isReservedVariable(name), name)
})

test('a token is checked by a status of success', () => {
  const withStatus = (status: number): Capabilities =>
    read({
      ...full,
      auth: { ...full.auth, validation_endpoint: { url: 'https://api.example.com/me', success_status: status } },
    })
  for (const status of [200, 299]) withStatus(status)
  for (const status of [199, 300]) assert.throws(() => withStatus(status), { code: 'capabilities_invalid' })
})

test('a file that is no JSON, or too large, is refused', () => {
  assert.throws(() => readCapabilities('{'), { code: 'capabilities_invalid', message: /not valid JSON/ })
  assert.throws(() => readCapabilities(' '.repeat(1024 * 1024)), { code: 'capabilities_invalid', message: /is over/ })
})

test('a parameter that would collect a credential is warned of once, at any depth', () => {
  const inner = { type: 'object', properties: { api_key: { type: 'string' }, city: { type: 'string' } } }
  const schema = { properties: { api_key: {}, place: inner, list: { items: [inner] } } }
  assert.deepEqual(schemaWarnings(schema), [
    'the parameter "api_key" looks like a credential; secrets never go through params',
  ])
  assert.deepEqual(schemaWarnings({ api_key: {}, properties: { city: {} } }), [])
})
