// Faults of a model server: the code for each status, the words for a person, and never a secret.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '#core/errors.ts'
import { createFaults, type Fault, type FaultParts } from '#models/fault.ts'

const parts: FaultParts = {
  provider: 'Acme',
  model: 'm1',
  host: 'api.acme.example',
  hasKey: true,
  keyName: 'ACME_API_KEY',
  sealedAs: 'ACME_API_KEY',
  expected: 'a chat completion',
  suffix: '/v1',
  secrets: ['k3y-0f-acme-9fK2mQ7x'],
  idleMs: 30_000,
}
const faults = createFaults(parts)
const told = ({ error, retryable }: Fault) => [error.code, retryable, error.message]

const statuses: readonly [status: number, code: ErrorCode, retryable: boolean, words: RegExp][] = [
  [400, 'model_refused', false, /^Acme at api\.acme\.example refused the request for model "m1" \(400\)/],
  [401, 'model_unauthorized', false, /refused the API key \(401\)\..*atrium secret set ACME_API_KEY\./],
  [403, 'model_unauthorized', false, /refused the API key \(403\)/],
  [404, 'model_unknown', false, /knows no model "m1", or the base URL is wrong/],
  [408, 'model_timeout', true, /timed out on a request for model "m1"/],
  [409, 'model_failed', true, /failed on a request for model "m1" \(409\)/],
  [422, 'model_refused', false, /\(422\)/],
  [429, 'model_rate_limited', true, /reached its rate limit for model "m1"/],
  [499, 'model_refused', false, /\(499\)/],
  [500, 'model_failed', true, /failed on a request for model "m1" \(500\)/],
  [529, 'model_failed', true, /\(529\)/],
]
for (const [status, code, retryable, words] of statuses) {
  test(`status ${status} is ${code}${retryable ? ', and tried again' : ''}`, () => {
    const fault = faults.fromStatus(status, '', {})
    assert.deepEqual([fault.error.code, fault.retryable], [code, retryable])
    assert.match(fault.error.message, words)
    assert.doesNotMatch(fault.error.message, /It said/)
  })
}

test('without a key the message says so, and names the usual one where none is known', () => {
  const keyless = createFaults({ ...parts, hasKey: false, keyName: undefined })
  assert.match(
    keyless.fromStatus(401, '', {}).error.message,
    /needs an API key \(401\) and none is set: .* LLM_API_KEY\./,
  )
})

test('for a key that is not sealed, sealing another is no way out', () => {
  const { message } = createFaults({ ...parts, sealedAs: undefined }).fromStatus(401, '', {}).error
  assert.match(message, /change it where it comes from: a key in the environment goes before a sealed one\.$/)
  assert.doesNotMatch(message, /secret set/)
})

test('Google’s status for a wrong key is taken for what it means', () => {
  assert.equal(faults.fromStatus(400, '{"error":{"message":"API key not valid"}}', {}).error.code, 'model_unauthorized')
  assert.equal(faults.fromStatus(400, 'reason: API_KEY_INVALID', {}).error.code, 'model_unauthorized')
  assert.equal(faults.fromStatus(422, 'API key expired', {}).error.code, 'model_refused')
})

test('when to try again is told in whole seconds', () => {
  const fault = faults.fromStatus(429, '', { retryAfterMs: 1_500 })
  assert.deepEqual([fault.retryAfterMs, fault.error.retryAfterSecs], [1_500, 2])
  assert.equal(faults.fromStatus(429, '', {}).error.retryAfterSecs, undefined)
})

test('a redirect names its address as the one to set', () => {
  for (const status of [300, 307, 399]) {
    const [code, retryable, message] = told(faults.fromStatus(status, '', { location: 'https://b.example/v1' }))
    assert.deepEqual([code, retryable], ['model_failed', false])
    assert.match(String(message), /redirects to https:\/\/b\.example\/v1 \(3\d\d\)\. Set that address as the base URL/)
  }
  for (const end of [
    'chat/completions',
    'chat/completions?x=1',
    'messages',
    'models/m-1:streamGenerateContent?alt=sse',
  ]) {
    const { error } = faults.fromStatus(301, '', { location: `https://b.example/v1/${end}` })
    assert.match(error.message, /redirects to https:\/\/b\.example\/v1 \(301\)/, end)
  }
  assert.match(faults.fromStatus(302, '', {}).error.message, /redirects to another address/)
})

const bodies: readonly [body: string, said: string][] = [
  ['{"error":{"message":"no such model"}}', 'no such model'],
  ['{"error":"no such model"}', 'no such model'],
  ['{"message":"no such model"}', 'no such model'],
  ['{"detail":"no such model"}', 'no such model'],
  ['{"detail":[{"loc":"a"}]}', '[{"loc":"a"}]'],
  ['{"error":{"error":"deep"}}', 'deep'],
  ['[{"error":{"message":"in a list"}}]', 'in a list'],
  ['{"other":1}', '{"other":1}'],
  ['"text"', '"text"'],
  ['not  JSON\nat all', 'not JSON at all'],
  ['the key k3y-0f-acme-9fK2mQ7x is bad', 'the key *** is bad'],
  ['Authorization: Bearer abc was sent', 'Authorization: Bearer *** was sent'],
  ['your key sk-abc*** is bad', 'your key *** is bad'],
  ['x'.repeat(500), 'x'.repeat(500)],
  ['x'.repeat(501), `${'x'.repeat(499)}…`],
]
for (const [body, said] of bodies) {
  test(`of ${body.slice(0, 40)} the server is quoted with ${said.slice(0, 30)}`, () => {
    assert.ok(faults.fromStatus(500, body, {}).error.message.endsWith(`. It said: ${said}`))
  })
}

const streamed: readonly [error: unknown, code: ErrorCode][] = [
  [{ type: 'invalid_request_error' }, 'model_refused'],
  [{ type: 'authentication_error' }, 'model_unauthorized'],
  [{ type: 'permission_error' }, 'model_unauthorized'],
  [{ type: 'not_found_error' }, 'model_unknown'],
  [{ type: 'rate_limit_error' }, 'model_rate_limited'],
  [{ code: 'rate_limit_exceeded' }, 'model_rate_limited'],
  [{ code: 'insufficient_quota' }, 'model_rate_limited'],
  [{ type: 'api_error' }, 'model_failed'],
  [{ type: 'server_error' }, 'model_failed'],
  [{ type: 'internal_error' }, 'model_failed'],
  [{ type: 'timeout_error' }, 'model_failed'],
  [{ type: 'overloaded_error' }, 'model_failed'],
  [{ statusCode: 404 }, 'model_unknown'],
  [{ code: '429' }, 'model_rate_limited'],
  [{ status: 401, type: 'api_error' }, 'model_unauthorized'],
]
for (const [error, code] of streamed) {
  test(`${JSON.stringify(error)} in a stream is ${code}`, () => {
    const fault = faults.fromError(error)
    assert.equal(fault.error.code, code)
    assert.doesNotMatch(fault.error.message, /broke off/)
  })
}

test('an error in a stream that names no status breaks the answer off', () => {
  for (const error of [
    'no',
    { message: 'no' },
    { code: 399, message: 'no' },
    { code: 600, detail: 'no' },
    { type: 'toString', message: 'no' },
  ]) {
    assert.deepEqual(told(faults.fromError(error)), [
      'model_failed',
      false,
      'Acme at api.acme.example broke off its answer for model "m1": no',
    ])
  }
})

test('a failed connection is tried again, before and in the middle of an answer; a silent or endless one is not', () => {
  const cause = new AggregateError([new Error('connect ECONNREFUSED')])
  const before = told(faults.fromFailure({ type: 'broken', cause }, false))
  assert.deepEqual(before.slice(0, 2), ['model_unreachable', true])
  assert.match(String(before[2]), /cannot be reached \(connect ECONNREFUSED\)/)
  const during = told(faults.fromFailure({ type: 'broken', cause: new Error('reset') }, true))
  assert.deepEqual(during.slice(0, 2), ['model_failed', true])
  assert.match(String(during[2]), /broke in the middle of an answer \(reset\)/)
  const untrusted = Object.assign(new Error('x'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  const refused = told(faults.fromFailure({ type: 'broken', cause: untrusted }, false))
  assert.deepEqual(refused.slice(0, 2), ['model_unreachable', false])
  assert.match(String(refused[2]), /its certificate is from an unknown authority .* in NODE_EXTRA_CA_CERTS\.$/)
  const bare = Object.assign(new Error(''), { code: 'ECONNRESET' })
  assert.match(faults.fromFailure({ type: 'broken', cause: bare }, false).error.message, /\(ECONNRESET\)/)
  assert.match(faults.fromFailure({ type: 'broken', cause: new TypeError('') }, false).error.message, /\(TypeError\)/)
  const silent = told(faults.fromFailure({ type: 'timeout' }, true))
  assert.deepEqual(silent.slice(0, 2), ['model_timeout', false])
  assert.match(String(silent[2]), /nothing for model "m1" within 30 s/)
  assert.deepEqual(told(faults.fromFailure({ type: 'too_long' }, true)).slice(0, 2), ['model_failed', false])
})

test('an answer that is none says what was expected and where to look', () => {
  assert.match(
    faults.notChat('text/html').error.message,
    /answered with text\/html instead of a chat completion.*ends in \/v1/,
  )
  assert.match(faults.notChat('').error.message, /answered with no content type/)
  assert.match(faults.unreadable('<p>').error.message, /not a chat completion: <p>/)
  assert.equal(faults.filtered().error.code, 'model_filtered')
  for (const fault of [
    faults.cutOff(),
    faults.overlong(9),
    faults.tooMuch('9 calls'),
    faults.nameless(),
    faults.malformed(),
  ]) {
    assert.deepEqual([fault.error.code, fault.retryable], ['model_failed', false])
  }
})
