// What a tool may reach, in words, and what an update adds to it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitsRow } from '#sandbox/package/access.ts'
import { addedRights, describeAccess, describeRows } from '#sandbox/package/access-words.ts'
import { full, read } from './capability-file.ts'

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
