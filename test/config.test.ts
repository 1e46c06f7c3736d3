// The environment as people write it, and what becomes of it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Settings } from '#core/store.ts'
import { specifiedRules } from '#config/responses.ts'
import { variableNames } from '#config/variables.ts'
import {
  type Config,
  checkDoors,
  loadConfig,
  programName,
  readConfig,
  secretsIn,
  serviceEnvironment,
  weakSecrets,
} from '#config.ts'

const HOME = '/home/ada'

test('an empty environment gives the defaults of the specification', () => {
  const expected: Config = {
    home: '/home/ada/.atrium',
    terminal: true,
    gateway: { enabled: true, host: '127.0.0.1', port: 3000, allowedOrigins: [] },
    webhook: { enabled: false, host: '0.0.0.0', port: 8080, ratePerMinute: 60 },
    model: { provider: 'offline', name: 'offline', source: 'default' },
    responses: {
      turnTimeoutSecs: 120,
      externalTools: true,
      disconnect: 'stop',
      rules: { toolsBytes: 16_384, foreignTools: 'refuse', events: 'specified', fields: 'specified' },
    },
    completionsProgress: true,
    chatRatePerMinute: 30,
    writeRatePerMinute: 600,
    signInsPerMinute: 20,
    trustProxy: false,
    logLevel: 'info',
    mcp: { callMs: 60_000, idleMs: 300_000 },
    telegramApi: 'https://api.telegram.org',
    toolProcesses: 4,
    caps: { perTurn: 5 },
    maxUserBytes: 2 * 1024 ** 3,
    steps: 50,
    retentionDays: 0,
    offeredFixed: false,
    capsFixed: [],
    workspace: '/home/ada/.atrium/workspace',
    shell: false,
    privateHosts: [],
    maxRunning: 4_000,
    proxy: {},
    environmentKeys: [],
    notices: [],
  }
  assert.deepEqual(readConfig({ HOME }), expected)
  const empty = Object.fromEntries(variableNames.map((name) => [name, '']))
  assert.deepEqual(readConfig({ HOME, ...empty }), expected, 'an empty text is the same as none')
})

test('the config is frozen to its depths', () => {
  const config = readConfig({ HOME, GATEWAY_ALLOWED_ORIGINS: 'https://a.example' })
  for (const part of [config, config.gateway, config.gateway.allowedOrigins, config.model, config.notices]) {
    assert(Object.isFrozen(part))
  }
})

test('loadConfig reads the environment of the process at the call', () => {
  assert.equal(loadConfig().home, process.env['ATRIUM_HOME'] ?? `${homedir()}/.atrium`)
})

test('a user without a home folder is told so, and no folder near is taken for it', (t) => {
  const { HOME: own = '' } = process.env
  t.after(() => (process.env['HOME'] = own))
  process.env['HOME'] = ''
  for (const HOME of ['near', './near']) assert.throws(() => readConfig({ HOME }), { message: /or no whole path/ })
  const lacks = (name: string) => ({ message: new RegExp(`^${name} needs a whole path: .*HOME is empty`, 'm') })
  assert.throws(() => readConfig({}), lacks('ATRIUM_HOME'))
  assert.throws(() => readConfig({ ATRIUM_HOME: '~/a' }), lacks('ATRIUM_HOME'))
  assert.throws(() => readConfig({ ATRIUM_HOME: '/srv/a', ATRIUM_WORKSPACE: '~/b' }), lacks('ATRIUM_WORKSPACE'))
})

const readings: readonly [env: Record<string, string>, read: (config: Config) => unknown, expected: unknown][] = [
  [{ CLI_ENABLED: 'FALSE' }, (config) => config.terminal, false],
  [{ CLI_ENABLED: 'no' }, (config) => config.terminal, false],
  [{ CLI_ENABLED: 'Off' }, (config) => config.terminal, false],
  [{ CLI_ENABLED: '0' }, (config) => config.terminal, false],
  [{ GATEWAY_ENABLED: 'Yes' }, (config) => config.gateway.enabled, true],
  [{ GATEWAY_ENABLED: 'on' }, (config) => config.gateway.enabled, true],
  [{ GATEWAY_ENABLED: '1' }, (config) => config.gateway.enabled, true],
  [{ GATEWAY_PORT: '0' }, (config) => config.gateway.port, 0],
  [{ GATEWAY_PORT: '65535' }, (config) => config.gateway.port, 65_535],
  [{ GATEWAY_HOST: '::1' }, (config) => config.gateway.host, '::1'],
  [{ GATEWAY_HOST: 'localhost' }, (config) => config.gateway.host, 'localhost'],
  [{ GATEWAY_AUTH_TOKEN: 'abc' }, (config) => config.gateway.authToken, 'abc'],
  [
    { GATEWAY_ALLOWED_ORIGINS: 'https://A.example/, http://b.example:8443' },
    (config) => config.gateway.allowedOrigins,
    ['https://a.example', 'http://b.example:8443'],
  ],
  [{ HTTP_WEBHOOK_SECRET: 'my secret' }, (config) => config.webhook.secret, 'my secret'],
  [{ HTTP_WEBHOOK_SECRET: 's' }, (config) => config.webhook.enabled, true],
  [{ HTTP_WEBHOOK_SECRET: 's', HTTP_ENABLED: 'false' }, (config) => config.webhook.enabled, false],
  [{ HTTP_WEBHOOK_SECRET: 's', HTTP_ENABLED: 'true' }, (config) => config.webhook.enabled, true],
  [{ WEBHOOK_RATE_LIMIT: '0' }, (config) => config.webhook.ratePerMinute, 0],
  [{ SERVICE_REBORN_WEBUI_TOKEN: 'op' }, (config) => config.operatorToken, 'op'],
  [{ CHAT_RATE_LIMIT: '100000' }, (config) => config.chatRatePerMinute, 100_000],
  [{ WRITE_RATE_LIMIT: '5' }, (config) => config.writeRatePerMinute, 5],
  [{ CHAT_RATE_LIMIT: '0' }, (config) => config.writeRatePerMinute, 0],
  [{ CHAT_RATE_LIMIT: '0', WRITE_RATE_LIMIT: '5' }, (config) => config.writeRatePerMinute, 5],
  [{ SIGN_IN_RATE_LIMIT: '0' }, (config) => config.signInsPerMinute, 0],
  [{ RESPONSES_TURN_TIMEOUT_SECS: '5' }, (config) => config.responses.turnTimeoutSecs, 5],
  [{ RESPONSES_EXTERNAL_TOOLS: 'off' }, (config) => config.responses.externalTools, false],
  [
    { RESPONSES_PROFILE: 'apps' },
    (config) => config.responses.rules,
    { toolsBytes: 262_144, foreignTools: 'drop', events: 'reference', fields: 'reference' },
  ],
  [
    { RESPONSES_PROFILE: 'apps', RESPONSES_TOOLS_BYTES: '20000', RESPONSES_EVENTS: 'specified' },
    (config) => config.responses.rules,
    { toolsBytes: 20_000, foreignTools: 'drop', events: 'specified', fields: 'reference' },
  ],
  [{ RESPONSES_DISCONNECT: 'Continue' }, (config) => config.responses.disconnect, 'continue'],
  [
    { RESPONSES_FOREIGN_TOOLS: 'drop' },
    (config) => config.responses.rules,
    { ...specifiedRules, foreignTools: 'drop' },
  ],
  [{ TRUST_PROXY: 'true' }, (config) => config.trustProxy, 1],
  [{ TRUST_PROXY: '0' }, (config) => config.trustProxy, false],
  [{ TRUST_PROXY: '2' }, (config) => config.trustProxy, 2],
  [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, (config) => config.trustProxy, ['10.0.0.0/8', '::1']],
  [{ LOG_LEVEL: 'DEBUG' }, (config) => config.logLevel, 'debug'],
  [{ ATRIUM_MASTER_KEY: 'aF'.repeat(32) }, (config) => config.masterKey, 'aF'.repeat(32)],
  [{ DATABASE_URL: 'postgresql://u:p@h/d' }, (config) => config.databaseUrl, 'postgresql://u:p@h/d'],
  [{ DATABASE_URL: 'postgres:///d?host=/run/pg' }, (config) => config.databaseUrl, 'postgres:///d?host=/run/pg'],
  [{ TOOL_PROCESSES: '1' }, (config) => config.toolProcesses, 1],
  [{ MCP_TIMEOUT_SECS: '5', MCP_IDLE_SECS: '7' }, (config) => config.mcp, { callMs: 5_000, idleMs: 7_000 }],
  [{ LLM_WINDOW: '8000' }, (config) => config.window, 8_000],
  [{ STORAGE_PER_USER_MB: '3' }, (config) => config.maxUserBytes, 3 * 1024 * 1024],
  [{ STORAGE_PER_USER_MB: '0' }, (config) => config.maxUserBytes, 0],
  [{ SPEND_PER_DAY_USD: '12.5' }, (config) => config.caps, { perTurn: 5, perDay: 12.5 }],
  [{ SPEND_PER_TURN_USD: '0' }, (config) => config.caps, {}],
  [{}, (config) => config.maxRunning, 4_000],
  [{ TURNS_MAX_RUNNING: '1' }, (config) => config.maxRunning, 1],
  [{ ATRIUM_HOME: '/srv/my home' }, (config) => config.home, '/srv/my home'],
  [{ ATRIUM_HOME: '~/other' }, (config) => config.home, '/home/ada/other'],
  [{ ATRIUM_HOME: '/srv/a' }, (config) => config.workspace, '/srv/a/workspace'],
  [{ ATRIUM_WORKSPACE: '~/work' }, (config) => config.workspace, '/home/ada/work'],
  [{ ATRIUM_SHELL: 'yes' }, (config) => config.shell, true],
  [
    { ATRIUM_PRIVATE_HOSTS: 'Localhost:8000, 10.0.0.1 ,[::1]:80,wiki.lan' },
    (config) => config.privateHosts,
    ['localhost:8000', '10.0.0.1', '[::1]:80', 'wiki.lan'],
  ],
  [{ ATRIUM_HOME: 'near' }, (config) => config.home, `${process.cwd()}/near`],
  [{ HOME: '' }, (config) => config.home, `${homedir()}/.atrium`],
  [
    { OIDC_ISSUER: 'https://id.example/', OIDC_CLIENT_ID: 'c', OIDC_ALLOWED_DOMAINS: 'A.example,b.example' },
    (config) => config.oidc,
    { issuer: 'https://id.example', clientId: 'c', allowedDomains: ['a.example', 'b.example'] },
  ],
]
for (const [env, read, expected] of readings) {
  test(`${JSON.stringify(env)} is read as ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(read(readConfig({ HOME, ...env })), expected)
  })
}

const off = { CLI_ENABLED: 'false', GATEWAY_ENABLED: 'false' }
const doors: readonly [env: Record<string, string>, terminal: boolean, open: boolean][] = [
  [{}, true, true],
  [{}, false, true],
  [off, true, false],
  [{ GATEWAY_ENABLED: 'false' }, true, true],
  [{ GATEWAY_ENABLED: 'false' }, false, false],
  [{ ...off, HTTP_WEBHOOK_SECRET: 's' }, false, true],
  [{ ...off, HTTP_WEBHOOK_SECRET: 's', HTTP_ENABLED: 'no' }, false, false],
]
for (const [env, terminal, open] of doors) {
  test(`${JSON.stringify(env)} ${terminal ? 'on' : 'without'} a terminal ${open ? 'has a door' : 'is refused'}`, () => {
    const check = () => checkDoors(readConfig({ HOME, ...env }), { terminal })
    if (open) return check()
    assert.throws(check, {
      code: 'invalid_config',
      message: /(?=.*CLI_ENABLED)(?=.*GATEWAY_ENABLED)(?=.*HTTP_ENABLED)/,
    })
  })
}

const weak: readonly [env: Record<string, string>, names: string[]][] = [
  [{ GATEWAY_AUTH_TOKEN: 'short', SERVICE_REBORN_WEBUI_TOKEN: 'short' }, []],
  [{ GATEWAY_HOST: '0.0.0.0' }, []],
  [{ GATEWAY_HOST: '0.0.0.0', GATEWAY_AUTH_TOKEN: 'short' }, ['GATEWAY_AUTH_TOKEN 0.0.0.0']],
  [{ GATEWAY_HOST: '::', SERVICE_REBORN_WEBUI_TOKEN: 'short' }, ['SERVICE_REBORN_WEBUI_TOKEN ::']],
  [{ GATEWAY_HOST: '0.0.0.0', SERVICE_REBORN_WEBUI_TOKEN: 'a'.repeat(24) }, []],
  [{ GATEWAY_HOST: '0.0.0.0', GATEWAY_ENABLED: 'false', GATEWAY_AUTH_TOKEN: 'short' }, []],
  [{ HTTP_WEBHOOK_SECRET: 'short' }, ['HTTP_WEBHOOK_SECRET 0.0.0.0']],
  [{ HTTP_WEBHOOK_SECRET: 'a'.repeat(24) }, []],
  [{ HTTP_WEBHOOK_SECRET: 'short', HTTP_HOST: '127.0.0.1' }, []],
  [{ HTTP_WEBHOOK_SECRET: 'short', HTTP_ENABLED: 'false' }, []],
]
for (const [env, expected] of weak) {
  test(`${JSON.stringify(env)} exposes ${expected.join() || 'no weak token'}`, () => {
    assert.deepEqual(
      weakSecrets(readConfig({ HOME, ...env })).map(({ name, host }) => `${name} ${host}`),
      expected,
    )
  })
}

test('several hosts of a database are refused as such', () => {
  for (const hosts of ['one,two', 'one:5432,two:5432'])
    assert.throws(() => readConfig({ HOME, DATABASE_URL: `postgres://u:p@${hosts}/d` }), {
      code: 'invalid_config',
      message: /DATABASE_URL must be a postgres:\/\/ URL with one host/,
    })
})

test('hints name the program as this shell finds it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-path-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(import.meta.dirname, '..')
  const launcher = join(root, 'bin', 'atrium')
  for (const name of ['ours', 'another']) mkdirSync(join(folder, name))
  symlinkSync(launcher, join(folder, 'ours', 'atrium'))
  writeFileSync(join(folder, 'another', 'atrium'), '')
  const [ours, another] = [join(folder, 'ours'), join(folder, 'another')]
  assert.equal(programName(`/nowhere:${ours}:${another}`, '/'), 'atrium')
  assert.equal(programName(`${another}:${ours}`, root), 'bin/atrium')
  assert.equal(programName('', join(root, 'bin')), './atrium')
  assert.equal(programName('', folder), launcher)
  assert.equal(programName('', '/'), launcher, 'who reads it need not be in /')
})

test('a service that another program starts misses the variables of this one, the proxy among them', (t) => {
  const whole = process.env
  t.after(() => {
    process.env = whole
  })
  const given = { LLM_MODEL: 'm', HTTPS_PROXY: 'http://proxy.example:3128', no_proxy: 'a.example', ALL_PROXY: 'x' }
  process.env = { HOME, ...given, NODE_EXTRA_CA_CERTS: '/etc/company.pem', NO_PROXY: '' }
  assert.deepEqual(serviceEnvironment().variables, ['LLM_MODEL', 'HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'])
})

test('the secrets of a configuration are known to the log', () => {
  const env = {
    GATEWAY_AUTH_TOKEN: 'g-token',
    SERVICE_REBORN_WEBUI_TOKEN: 'o-token',
    HTTP_WEBHOOK_SECRET: 'w-secret',
    OPENAI_API_KEY: 'k-key',
    DATABASE_URL: 'postgres://u:p%40ss@h/d',
    ATRIUM_MASTER_KEY: 'a'.repeat(64),
    LLM_PROVIDER: 'openai',
    LLM_FALLBACK: 'anthropic/claude',
    ANTHROPIC_API_KEY: 'f-key',
    LLM_MODELS: 'google/gemini',
    GEMINI_API_KEY: 'm-key',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'atrium',
    OIDC_CLIENT_SECRET: 'c-secret',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t-key',
    HTTPS_PROXY: 'http://ada:x%40word@proxy.example:3128',
  }
  const known = secretsIn(readConfig({ HOME, ...env }))
  assert.deepEqual(
    known.toSorted(),
    [
      'g-token',
      'o-token',
      'w-secret',
      'k-key',
      'f-key',
      'm-key',
      'c-secret',
      'Bearer t-key',
      'p%40ss',
      'p@ss',
      'x%40word',
      'x@word',
      'a'.repeat(64),
    ].toSorted(),
  )
})

test('the documentation has a row for every variable, and no other', () => {
  const page = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1] ?? '')
  assert.deepEqual(documented.toSorted(), variableNames.toSorted())
})

test('the stored port of the gateway counts unless the environment sets one', () => {
  const portOf = (env: Record<string, string>, stored: Settings[string]) =>
    readConfig({ HOME: '/home/ann', ...env }, { gateway_port: stored }).gateway.port
  assert.equal(portOf({}, 8000), 8000)
  assert.equal(portOf({}, null), 3000)
  assert.equal(portOf({ GATEWAY_PORT: '9000' }, 8000), 9000)
  for (const wrong of [0, 65_536, 1.5, '8000']) {
    assert.throws(() => portOf({}, wrong), /gateway_port must be a whole number/)
    assert.equal(portOf({ GATEWAY_PORT: '9000' }, wrong), 9000)
  }
})
