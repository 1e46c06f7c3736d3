// How far a tool reaches, as the page says it: its pill and its lines follow the policy in force; what a component may do
// comes from the rows that the service makes of its capability file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectsOf, rowsOf } from '#core/tool.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import { componentRows } from '#sandbox/component-tools.ts'
import { accessRows, limitsRow } from '#sandbox/package/access.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import type { AccessRow } from '#doors/web/wire/tool.ts'
import { groupsOf, kindOf, policyLines, reachOf } from '../../../web/lib/reach.ts'
import { builtInTools } from '../../safety/built-in.ts'

function toolOf(name: string, settings: PolicySettings = {}) {
  const tool = builtInTools.get(name)
  assert(tool)
  return { effects: effectsOf(tool, '{}'), ...policyInForce(rowsOf(tool), settings) }
}

const kinds: readonly [name: string, settings: PolicySettings, kind: string][] = [
  ['time', {}, 'reads'],
  ['web_fetch', {}, 'reads'],
  ['http_request', {}, 'asks'],
  ['memory_write', {}, 'writes'],
  ['workspace_edit', {}, 'asks'],
  ['workspace_shell', {}, 'danger'],
  ['workspace_edit', { workspace: { clean: 'allow' } }, 'writes'],
  ['memory_write', { memory: { clean: 'ask' } }, 'asks'],
  ['web_fetch', { fetch: { clean: 'ask' } }, 'asks'],
  ['workspace_shell', { shell: { clean: 'deny' } }, 'refused'],
  ['time', { read: { clean: 'deny' } }, 'refused'],
]
for (const [name, settings, kind] of kinds) {
  test(`${name} under ${JSON.stringify(settings)}: ${kind}`, () => assert.equal(kindOf(toolOf(name, settings)), kind))
}

test('a tool that needs a sign-in or a set-up first says so, unless it would be refused', () => {
  const reads = toolOf('time')
  assert.equal(kindOf({ ...reads, needs: 'sign_in' }), 'sign_in')
  assert.equal(kindOf({ ...reads, needs: 'setup' }), 'setup')
  assert.equal(kindOf({ ...toolOf('time', { read: { clean: 'deny' } }), needs: 'sign_in' }), 'refused')
})

test('the lines of the policy are those in force', () => {
  assert.deepEqual(policyLines(toolOf('time')), ['Runs unasked'])
  assert.deepEqual(policyLines(toolOf('web_fetch')), [
    'Runs unasked',
    'After reading text from outside: runs unasked where you or a result named the address, else asks first',
  ])
  assert.deepEqual(policyLines(toolOf('memory_edit', { identity: { clean: 'allow' } })), [
    'Writing, editing or deleting a document of memory. Runs unasked',
    'The same on `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md`. Runs unasked',
    'The same on `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md`. After reading text from outside: asks first',
  ])
})

test('tools with the same words are one row of a list', () => {
  const list = [...builtInTools.values()].map(({ spec: { name }, about }) => ({ name, ...about }))
  assert.deepEqual(
    groupsOf([...list, { name: 'weather' }]).map(({ tools }) => tools.map(({ name }) => name).join(' ')),
    [
      'time',
      'calculate',
      'web_fetch',
      'http_request',
      'workspace_list workspace_read workspace_search',
      'workspace_write workspace_edit',
      'workspace_shell',
      'memory_search memory_read memory_list',
      'memory_write memory_edit memory_delete',
      'weather',
    ],
  )
})

test('every built-in tool tells what it is', () => {
  for (const { spec, about } of builtInTools.values()) {
    assert(about && about.may.length > 0 && about.cannot.length > 0, spec.name)
  }
})

const reach = (file: object) => {
  const { capabilities } = readCapabilities(JSON.stringify(file))
  const access = [...accessRows(capabilities), limitsRow(capabilities)] as AccessRow[]
  const rows = componentRows(capabilities)
  const kind = kindOf({ effects: rows[0], ...policyInForce(rows, {}) })
  return { kind, ...reachOf({ source: 'component', access }) }
}
const host = (...methods: string[]) => ({ host: 'api.example.com', path_prefix: '/v1/', methods })

test('every right is a line, hosts and secrets first', () => {
  const { kind, may, cannot } = reach({
    http: {
      allowlist: [host('GET', 'POST'), { host: 'localhost:3000', path_prefix: '/', methods: ['GET'] }],
      credentials: {
        main: { secret_name: 'ex_token', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
      },
      rate_limit: { requests_per_minute: 60 },
    },
    secrets: { allowed_names: ['other'] },
    auth: {
      secret_name: 'ex_token',
      setup_url: 'https://example.com/tokens',
      env_var: 'EXAMPLE_TOKEN',
    },
    setup: { required_secrets: [{ name: 'city_key', prompt: 'Key?', optional: true }] },
    workspace: { allowed_prefixes: ['notes/'] },
    tool_invoke: { aliases: { clock: 'time' } },
    actions: [{ id: 'look', read_only: true }, { id: 'send' }],
  })
  assert.equal(kind, 'asks')
  assert.deepEqual(may, [
    'Send GET, POST to `api.example.com`, paths under `/v1/`',
    'Read from `localhost:3000` (this machine)',
    'Send the secret `ex_token` to `api.example.com`, as a bearer token. It never sees the value.',
    'Ask whether the secret other is set',
    'Need the secret city_key at set-up (optional)',
    'Ask you to sign in, which stores the secret ex_token',
    'Send you to https://example.com/tokens for it',
    'Read the environment variable EXAMPLE_TOKEN as the secret ex_token',
    'Read the workspace folder notes/',
    'Run the tool time',
    'Run its action look without asking you: it can only send GET and HEAD',
    'Run up to 30 seconds at a time, with up to 60 requests a minute',
  ])
  assert.deepEqual(cannot, [
    'Contact any other host',
    'Read other files, memory, other secrets or your messages',
    'Use more than 64 MB of memory',
  ])
})

test('a tool that only looks sends no data, and one that has nothing contacts nobody', () => {
  const looking = reach({ http: { allowlist: [host('GET', 'HEAD')] } })
  assert.deepEqual([looking.kind, looking.may[0]], ['reads', 'Read from `api.example.com`, paths under `/v1/`'])
  assert.equal(looking.cannot[0], 'Contact any other host, or send data with POST, PUT, PATCH or DELETE')
  const none = reach({})
  assert.deepEqual(none.may, ['Reach nothing: no hosts, no secrets', 'Run up to 30 seconds at a time'])
  assert.equal(none.cannot[0], 'Contact any host')
})

test('the page where a person gets a token is no host that the tool contacts', () => {
  const { cannot } = reach({ auth: { secret_name: 'ex_token', setup_url: 'https://example.com/tokens' } })
  assert.equal(cannot[0], 'Contact any host')
})

test('a tool whose file cannot be read says so', () => {
  const access = [{ kind: 'unreadable' as const, reason: 'http: must be an object' }]
  assert.deepEqual(reachOf({ source: 'component', access }).may, [
    'Nothing: it is left out, its capability file cannot be read (http: must be an object)',
  ])
})
