// The capability file: every key read, every fault with its path, hostile files refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsRow } from '#sandbox/package/access.ts'
import { addedRights, describeAccess, describeRows } from '#sandbox/package/access-words.ts'
import { type Capabilities, readCapabilities, schemaWarnings } from '#sandbox/package/capabilities.ts'
import { isReservedVariable } from '#sandbox/package/auth.ts'

const full = {
  version: '2.1.0',
  wit_version: '0.3.0',
  http: {
    allowlist: [
      { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'post'] },
      { host: '*.files.example.com', path_prefix: '/', methods: ['GET'] },
    ],
    rate_limit: { requests_per_minute: 60, requests_per_hour: 500 },
    timeout_secs: 20,
    credentials: {
      main: { secret_name: 'ex_token', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
      basic: { secret_name: 'b', location: { type: 'basic', username: 'u' }, host_patterns: ['*.files.example.com'] },
      named: {
        secret_name: 'h',
        location: { type: 'header', name: 'X-Key', prefix: 'Token ' },
        host_patterns: ['a.files.example.com'],
      },
      query: { secret_name: 'q', location: { type: 'query_param', name: 'key' }, host_patterns: ['api.example.com'] },
      path: {
        secret_name: 'p',
        location: { type: 'url_path', placeholder: '{BOT}' },
        host_patterns: ['api.example.com'],
      },
    },
  },
  secrets: { allowed_names: ['ex_token', 'other'] },
  auth: {
    secret_name: 'ex_token',
    display_name: 'Example',
    instructions: 'Make a token.',
    setup_url: 'https://example.com/tokens',
    token_hint: 'starts with ex_',
    env_var: 'EXAMPLE_TOKEN',
    oauth: {
      authorization_url: 'https://example.com/authorize',
      token_url: 'https://example.com/token',
      client_id_env: 'EXAMPLE_CLIENT_ID',
      client_secret_env: 'EXAMPLE_CLIENT_SECRET',
      scopes: ['read'],
      extra_params: { access_type: 'offline' },
    },
  },
  setup: { required_secrets: ['client_id', { name: 'client_secret', prompt: 'The secret', optional: true }] },
  actions: [{ id: 'get_repo', description: 'Gets one.', params: { type: 'object' } }, { id: 'list' }],
  workspace: { allowed_prefixes: ['notes/'] },
  tool_invoke: { aliases: { clock: 'time' } },
}

function read(value: unknown): Capabilities {
  return readCapabilities(JSON.stringify(value)).capabilities
}

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

test('access is told in plain words, each host, secret and variable', () => {
  const lines = describeAccess(read(full)).join('\n')
  for (const part of [
    'GET, POST to api.example.com/v1/',
    '*.files.example.com',
    'the secret ex_token at api.example.com',
    'EXAMPLE_TOKEN',
    'EXAMPLE_CLIENT_SECRET',
    'notes/',
    'the tool time',
    'https://example.com/token',
  ]) {
    assert(lines.includes(part), part)
  }
  assert.deepEqual(describeAccess(read({})), ['reaches nothing: no hosts, no secrets'])
  const limits = (file: object) => describeRows([limitsRow(read(file))]).at(-1)
  const { allowlist } = full.http
  const runs = 'runs up to 30 seconds at a time'
  assert.equal(limits(full), `${runs}, with up to 60 requests a minute and 500 requests an hour`)
  const rate_limit = { requests_per_hour: 2_500 }
  assert.equal(limits({ http: { allowlist, rate_limit } }), `${runs}, with up to 2,500 requests an hour`)
  assert.equal(limits({ http: { allowlist } }), `${runs}, with up to 50 requests`)
  assert.equal(limits({}), runs)
})

test('an update shows what it adds, and only that', () => {
  const wider = {
    ...full,
    http: {
      ...full.http,
      allowlist: [...full.http.allowlist, { host: 'new.example', path_prefix: '/', methods: ['DELETE'] }],
    },
  }
  assert.deepEqual(addedRights(read(full), read(wider)), ['sends DELETE to new.example/'])
  assert.deepEqual(addedRights(read(wider), read(full)), [])
  assert.deepEqual(addedRights(read(full), read({})), [])
})

const endpoint = (host: string, path_prefix: string, ...methods: string[]) => ({ host, path_prefix, methods })
const secret = (...host_patterns: string[]) => ({ secret_name: 's', location: { type: 'bearer' }, host_patterns })
const wide = {
  http: {
    allowlist: [endpoint('a.example', '/v1/', 'GET', 'POST'), endpoint('*.b.example', '/', 'GET')],
    credentials: { main: secret('a.example', '*.b.example') },
  },
  workspace: { allowed_prefixes: ['notes/'] },
  setup: { required_secrets: ['s'] },
}
const reaching = (allowlist: object[], ...secretHosts: string[]): object => ({
  ...wide,
  http: { allowlist, ...(secretHosts.length > 0 && { credentials: { main: secret(...secretHosts) } }) },
})
const narrowings: readonly [what: string, file: object, added: readonly string[]][] = [
  ['fewer methods', reaching([endpoint('a.example', '/v1/', 'GET')]), []],
  ['a longer prefix', reaching([endpoint('a.example', '/v1/users/', 'POST')]), []],
  ['one subdomain of all', reaching([endpoint('x.b.example', '/', 'GET')]), []],
  ['subdomains of a subdomain', reaching([endpoint('*.x.b.example', '/', 'GET')]), []],
  ['a secret at fewer hosts', reaching(wide.http.allowlist, 'x.b.example'), []],
  ['a folder below', { ...wide, workspace: { allowed_prefixes: ['notes/a/'] } }, []],
  [
    'fewer methods here, another there',
    reaching([endpoint('a.example', '/v1/', 'GET', 'PUT')]),
    ['sends PUT to a.example/v1/'],
  ],
  ['another port', reaching([endpoint('a.example:8443', '/v1/', 'GET')]), ['sends GET to a.example:8443/v1/']],
  ['the domain itself', reaching([endpoint('b.example', '/', 'GET')]), ['sends GET to b.example/']],
  ['a method of the other host', reaching([endpoint('x.b.example', '/', 'POST')]), ['sends POST to x.b.example/']],
  [
    'a secret at a host more',
    reaching([...wide.http.allowlist, endpoint('c.example', '/', 'GET')], 'a.example', 'c.example'),
    ['sends GET to c.example/', 'uses the secret s at c.example, as a bearer token'],
  ],
  ['a folder above', { ...wide, workspace: { allowed_prefixes: ['n/'] } }, ['reads the workspace folder n/']],
]
test('a file that asks for a part of what the tool has adds nothing; only what goes beyond it is told', () => {
  for (const [what, file, added] of narrowings) assert.deepEqual(addedRights(read(wide), read(file)), added, what)
})

test('the default port is no part of another port, and a secret none of another in the same place', () => {
  const file = (host: string, secret_name: string) => ({
    http: {
      allowlist: [endpoint(host, '/', 'GET')],
      credentials: { main: { ...secret(host), secret_name } },
    },
    setup: { required_secrets: ['s', 't'] },
  })
  const before = read(file('a.example:8443', 's'))
  assert.deepEqual(addedRights(before, read(file('a.example', 's'))), [
    'sends GET to a.example/',
    'uses the secret s at a.example, as a bearer token',
  ])
  assert.deepEqual(addedRights(before, read(file('a.example:8443', 't'))), [
    'uses the secret t at a.example:8443, as a bearer token',
  ])
})

const base = {
  http: {
    allowlist: [{ host: 'a.example', path_prefix: '/v1/', methods: ['GET'] }],
    rate_limit: { requests_per_minute: 5 },
    credentials: { main: { secret_name: 's', location: { type: 'bearer' }, host_patterns: ['a.example'] } },
  },
  auth: {
    secret_name: 's',
    env_var: 'A_TOKEN',
    setup_url: 'https://a.example/t',
    oauth: {
      authorization_url: 'https://a.example/a',
      token_url: 'https://a.example/t',
      client_id_env: 'A_CLIENT',
      scopes: ['read'],
    },
  },
}
const location = (value: object): object => ({
  ...base,
  http: { ...base.http, credentials: { main: { ...base.http.credentials.main, location: value } } },
})
const oauth = (more: object): object => ({ ...base, auth: { ...base.auth, oauth: { ...base.auth.oauth, ...more } } })
const wideners: readonly [what: string, file: object, line: RegExp][] = [
  [
    'a credential in the query',
    location({ type: 'query_param', name: 'k' }),
    /secret s at a\.example, in the query as k/,
  ],
  ['a wider scope', oauth({ scopes: ['read', 'admin'] }), /^asks for the scope admin at sign-in$/],
  ['another client', oauth({ client_id: 'evil' }), /as the client evil/],
  ['another page for the token', { ...base, auth: { ...base.auth, setup_url: 'https://b.example/' } }, /b\.example/],
  [
    'variables that change places',
    {
      ...base,
      auth: { ...base.auth, env_var: 'A_CLIENT', oauth: { ...base.auth.oauth, client_id_env: 'A_TOKEN' } },
    },
    /A_CLIENT as the secret s/,
  ],
  [
    'a higher rate',
    { ...base, http: { ...base.http, rate_limit: { requests_per_minute: 6 } } },
    /^sends 6 requests per minute, no longer at most 5$/,
  ],
  ['no rate', { ...base, http: { ...base.http, rate_limit: {} } }, /^sends any number of requests per minute/],
  [
    'a shorter prefix',
    { ...base, http: { ...base.http, allowlist: [{ host: 'a.example', path_prefix: '/', methods: ['GET'] }] } },
    /^sends GET to a\.example\/$/,
  ],
]
for (const [what, file, line] of wideners) {
  test(`an update is seen to widen access: ${what}`, () => {
    assert(
      addedRights(read(base), read(file)).some((each) => line.test(each)),
      addedRights(read(base), read(file)).join('\n'),
    )
    assert.deepEqual(addedRights(read(base), read(base)), [])
  })
}

test('a host that is not on the internet is told as such', () => {
  const hosts = ['localhost:3000', '127.0.0.1', '10.0.0.5', '[fd00::1]']
  const allowlist = hosts.map((host) => ({ host, path_prefix: '/', methods: ['GET'] }))
  const lines = describeAccess(read({ http: { allowlist } }))
  for (const line of lines) assert.match(line, / \((?:this machine|a private network)\)$/)
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
