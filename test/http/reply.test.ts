// Errors as HTTP answers: the status of every code, what is shown of a fault, and when to try again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { logTo } from '#lib/log.ts'
import { asFault, faultBody, pathOf, reportFault, statusOf } from '#http/reply.ts'

const statuses: readonly [status: number, codes: readonly ErrorCode[]][] = [
  [400, ['invalid_input', 'tool_output_required', 'no_open_gate', 'call_id_mismatch']],
  [401, ['unauthorized']],
  [403, ['forbidden']],
  [404, ['not_found', 'model_not_found']],
  [405, ['method_not_allowed']],
  [408, ['request_timeout']],
  [409, ['conversation_busy', 'gate_required', 'gate_closed', 'grant_refused', 'tool_refused', 'credential_missing']],
  [409, ['model_key_missing']],
  [413, ['too_large', 'storage_full']],
  [415, ['unsupported_media_type']],
  [422, ['idempotency_conflict']],
  [429, ['rate_limited']],
  [500, ['internal', 'turn_cancelled', 'step_limit', 'lease_lost']],
  [
    502,
    ['model_failed', 'model_rate_limited', 'model_refused', 'model_filtered', 'model_timeout', 'model_unauthorized'],
  ],
  [502, ['model_unknown', 'model_unreachable']],
  [504, ['turn_timeout']],
  [503, ['database_unavailable', 'disk_full', 'home_unwritable', 'shutting_down', 'overloaded', 'issuer_unavailable']],
]
for (const [status, codes] of statuses) {
  test(`${codes.join(', ')}: ${status}`, () => assert.deepEqual([...new Set(codes.map(statusOf))], [status]))
}

const thrown: readonly [what: string, error: unknown, code: ErrorCode, message: RegExp][] = [
  ['a fault of ours', new AppError('not_found', 'no such job'), 'not_found', /^no such job$/],
  ['a full disk', new AppError('disk_full', '/var/lib is full'), 'disk_full', /^the disk is full: nothing was stored$/],
  [
    'a database that is away',
    new AppError('database_unavailable', 'db:5432'),
    'database_unavailable',
    /^the database is unavailable and may not have stored this: try again$/,
  ],
  ['a home that is closed', new AppError('home_unwritable', '/root'), 'home_unwritable', /^the service cannot write/],
  ['a body of another type', { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }, 'unsupported_media_type', /application\/json/],
  ['a fault of the request', { statusCode: 400, message: 'no length' }, 'invalid_input', /^no length$/],
  ['a fault of the request without words', { statusCode: 499 }, 'invalid_input', /^the request is malformed$/],
  ['a fault of the server', { statusCode: 500, message: 'secret' }, 'internal', /its log says more/],
  ['an answer that is none', { statusCode: 399, message: 'secret' }, 'internal', /its log says more/],
  [
    'too many open files',
    Object.assign(new Error('secret'), { code: 'EMFILE' }),
    'overloaded',
    /^too many .*`ulimit -n/,
  ],
  [
    'a machine with too many',
    Object.assign(new Error('secret'), { code: 'ENFILE' }),
    'overloaded',
    /machine.*fs\.file-max/,
  ],
  ['a bug', new Error('secret'), 'internal', /its log says more/],
  ['nothing', undefined, 'internal', /its log says more/],
]
for (const [what, error, code, message] of thrown) {
  test(`${what} is told as ${code}`, () => {
    const fault = asFault(error)
    assert.equal(fault.code, code)
    assert.match(fault.message, message)
  })
}

test('the body of a fault names its field where there is one', () => {
  assert.deepEqual(faultBody(new AppError('not_found', 'no')), { error: { code: 'not_found', message: 'no' } })
  assert.deepEqual(faultBody(new AppError('invalid_input', 'no', { param: 'a' })), {
    error: { code: 'invalid_input', message: 'no', param: 'a' },
  })
})

const retries: readonly [error: unknown, secs: number | undefined][] = [
  [new AppError('gate_closed', ''), 1],
  [new AppError('rate_limited', ''), 60],
  [new AppError('rate_limited', '', { retryAfterSecs: 7 }), 7],
  [new AppError('overloaded', ''), 5],
  [new AppError('disk_full', '', { retryAfterSecs: 9 }), 9],
  [new AppError('not_found', ''), undefined],
  [new Error('x'), undefined],
]
test('who may try again is told when', () => {
  const request = { method: 'GET', url: '/', headers: {} }
  for (const [error, secs] of retries) {
    assert.equal(
      reportFault(
        error,
        request,
        logTo(() => {}, 'error'),
      ).retryAfterSecs,
      secs,
    )
  }
})

test('a fault of the service is logged with its request and without the query; that of a caller is not', () => {
  const lines: object[] = []
  const log = logTo((_, fields) => lines.push(fields), 'error')
  const request = { method: 'POST', url: '/api/x?token=hush', headers: { 'x-request-id': 'r1' } }
  reportFault(new AppError('not_found', ''), request, log)
  assert.deepEqual(lines, [])
  const bug = new Error('secret')
  reportFault(bug, request, log)
  reportFault(new AppError('disk_full', '/var/lib is full'), request, log)
  reportFault(new AppError('issuer_unavailable', 'away', { cause: new Error('it answered 404') }), request, log)
  const at = { request: 'r1', method: 'POST', path: '/api/x' }
  assert.deepEqual(lines, [
    { ...at, code: 'internal', err: bug },
    { ...at, code: 'disk_full', reason: '/var/lib is full' },
    { ...at, code: 'issuer_unavailable', reason: 'away', cause: 'it answered 404' },
  ])
  assert.equal(pathOf('/a'), '/a')
})
