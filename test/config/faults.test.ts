// Values that are refused: each fault names its variable and a way out, and shows no secret.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf, variableNames } from '#config/variables.ts'
import { readConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'

const HOME = '/home/ada'
const secretText = 'do not show this'

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig({ HOME, ...env })
  } catch (error) {
    assert(error instanceof AppError)
    assert.equal(error.code, 'invalid_config')
    return error.message.split('\n')
  }
  return []
}

for (const path of ['/home/ada/.atrium', '/home/ada', '/', '~/.atrium/x/..']) {
  test(`a workspace at ${path} would hold the home, and is refused`, () => {
    assert.match(faultsOf({ ATRIUM_WORKSPACE: path }).join(), /^ATRIUM_WORKSPACE is or contains the home/)
  })
}

const plainFaults: readonly [name: string, value: string][] = [
  ['CLI_ENABLED', 'maybe'],
  ['GATEWAY_ENABLED', '2'],
  ['HTTP_ENABLED', 'ja'],
  ['RESPONSES_EXTERNAL_TOOLS', ' true'],
  ['GATEWAY_PORT', '65536'],
  ['GATEWAY_PORT', '-1'],
  ['GATEWAY_PORT', '3e3'],
  ['GATEWAY_PORT', '3000 '],
  ['HTTP_PORT', 'http'],
  ['GATEWAY_HOST', '[::1]'],
  ['GATEWAY_HOST', '127.0.0.1:80'],
  ['HTTP_HOST', 'a b'],
  ['CHAT_RATE_LIMIT', '1.5'],
  ['WEBHOOK_RATE_LIMIT', 'none'],
  ['RESPONSES_TURN_TIMEOUT_SECS', '0'],
  ['RESPONSES_PROFILE', 'wide'],
  ['RESPONSES_DISCONNECT', 'off'],
  ['RESPONSES_TOOLS_BYTES', '9'],
  ['RESPONSES_FOREIGN_TOOLS', 'keep'],
  ['RESPONSES_EVENTS', 'all'],
  ['RESPONSES_FIELDS', 'all'],
  ['LLM_WINDOW', '12'],
  ['SPEND_PER_DAY_USD', '-1'],
  ['STORAGE_PER_USER_MB', '1.5'],
  ['SPEND_PER_TURN_USD', '5 USD'],
  ['TOOL_PROCESSES', '0'],
  ['MCP_TIMEOUT_SECS', '601'],
  ['ATRIUM_SHELL', 'perhaps'],
  ['TURNS_MAX_RUNNING', '0'],
  ['LOG_LEVEL', 'loud'],
  ['LLM_PROVIDER', 'gpt'],
]
for (const [name, value] of plainFaults) {
  test(`${name}=${JSON.stringify(value)} is refused with the name, the value and an example`, () => {
    const faults = faultsOf({ [name]: value })
    assert.equal(faults.length, 1)
    const [line = ''] = faults
    assert(line.startsWith(`${name} must be `), line)
    assert(line.includes(`not "${value}". Example: ${name}=`), line)
  })
}

const hiddenFaults: readonly [name: string, value: string][] = [
  ['GATEWAY_AUTH_TOKEN', secretText],
  ['GATEWAY_AUTH_TOKEN', 'x'.repeat(5000)],
  ['SERVICE_REBORN_WEBUI_TOKEN', secretText],
  ['HTTP_WEBHOOK_SECRET', `${secretText}\n`],
  ['HTTP_WEBHOOK_SECRET', ' '],
  ['LLM_API_KEY', secretText],
  ['OPENAI_API_KEY', secretText],
  ['ATRIUM_MASTER_KEY', 'abc'],
  ['ATRIUM_MASTER_KEY', 'g'.repeat(64)],
  ['DATABASE_URL', `mysql://u:${secretText}@h/d`],
  ['DATABASE_URL', secretText],
  ['LLM_BASE_URL', `http://u:${encodeURI(secretText)}@h/v1`],
  ['LLM_BASE_URL', `http://h/v1?key=${encodeURI(secretText)}`],
  ['LLM_BASE_URL', 'ftp://h'],
  ['GATEWAY_ALLOWED_ORIGINS', '*'],
  ['GATEWAY_ALLOWED_ORIGINS', 'https://a.example/path'],
  ['GATEWAY_ALLOWED_ORIGINS', ','],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '0.0.0.0/0'],
  ['TRUST_PROXY', '10.0.0.0/8,::/00'],
  ['TRUST_PROXY', 'proxy'],
  ['LLM_MODEL', 'a\nb'],
]
for (const [name, value] of hiddenFaults) {
  test(`${name}=${JSON.stringify(value.slice(0, 40))} is refused and its value is not shown`, () => {
    const faults = faultsOf({ [name]: value })
    assert.equal(faults.length, 1, faults.join('\n'))
    const [line = ''] = faults
    assert(line.startsWith(`${name} must be `), line)
    assert(line.includes(`. Example: ${name}=`), line)
    const problem = line.slice(name.length, line.indexOf('. Example:'))
    assert(!/["*]|this|mysql|ftp|a\.example|10\.0|proxy$/.test(problem), problem)
  })
}

test('a quoted value cannot write to the terminal or grow without bound', () => {
  const [line = ''] = faultsOf({ LOG_LEVEL: `\u001b[2J\u009b\n${'x'.repeat(500)}` })
  // oxlint-disable-next-line no-control-regex
  assert(!/[\u0000-\u001f\u007f-\u009f]/.test(line))
  assert(line.length < 200)
})

test('all faults are told at once, a line each', () => {
  const faults = faultsOf({ CLI_ENABLED: 'x', HTTP_PORT: 'y', HTTP_ENABLED: 'true', LLM_PROVIDER: 'scripted' })
  assert.deepEqual(
    faults.map((line) => line.split(' ')[0]),
    ['CLI_ENABLED', 'HTTP_PORT', 'HTTP_ENABLED', 'LLM_SCRIPT'],
  )
})

test('a webhook without a secret is refused, naming both variables', () => {
  const faults = faultsOf({ HTTP_ENABLED: 'true' })
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /HTTP_ENABLED.*HTTP_WEBHOOK_SECRET/)
  assert.equal(faultsOf({ HTTP_ENABLED: 'true', HTTP_WEBHOOK_SECRET: 'a\tb' }).length, 1, 'faulty is not missing')
})

test('an incomplete OIDC setup is refused', () => {
  assert.match(faultsOf({ OIDC_CLIENT_ID: 'c' }).join('\n'), /^OIDC_CLIENT_ID .*OIDC_ISSUER/)
  assert.match(faultsOf({ OIDC_ISSUER: 'https://id.example' }).join('\n'), /^OIDC_ISSUER .*OIDC_AUDIENCE/)
  assert.deepEqual(faultsOf({ OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCE: 'a' }), [])
})

test('every example is a valid value of its variable', () => {
  for (const name of variableNames) {
    const needs = {
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'c',
      LLM_MODEL: 'm',
      EMBEDDING_MODEL: 'm',
      LLM_BASE_URL: 'http://h/v1',
    }
    const value = exampleOf(name).replace(/^<.*>$/, 'a'.repeat(64))
    assert.notEqual(value, '', name)
    assert.deepEqual(faultsOf({ HTTP_WEBHOOK_SECRET: 's', ...needs, [name]: value }), [], name)
  }
})

const bounds: readonly [name: string, min: number, max: number][] = [
  ['CHAT_RATE_LIMIT', 0, 1_000_000],
  ['GATEWAY_PORT', 0, 65_535],
  ['HTTP_PORT', 0, 65_535],
  ['LLM_WINDOW', 1_000, 100_000_000],
  ['MCP_IDLE_SECS', 1, 86_400],
  ['MCP_TIMEOUT_SECS', 1, 600],
  ['RESPONSES_TOOLS_BYTES', 1_024, 1_048_576],
  ['RESPONSES_TURN_TIMEOUT_SECS', 1, 86_400],
  ['SIGN_IN_RATE_LIMIT', 0, 1_000_000],
  ['SPEND_PER_DAY_USD', 0, 1_000_000],
  ['SPEND_PER_TURN_USD', 0, 1_000_000],
  ['STORAGE_PER_USER_MB', 0, 1_000_000_000],
  ['TOOL_PROCESSES', 1, 64],
  ['TURNS_MAX_RUNNING', 1, 100_000],
  ['WEBHOOK_RATE_LIMIT', 0, 1_000_000],
  ['WRITE_RATE_LIMIT', 0, 1_000_000],
]
for (const [name, min, max] of bounds) {
  test(`${name} is a number from ${min} to ${max}`, () => {
    const refused = [min - 1, min, max, max + 1].filter((value) => faultsOf({ [name]: String(value) }).length > 0)
    assert.deepEqual(refused, [min - 1, max + 1])
  })
}
