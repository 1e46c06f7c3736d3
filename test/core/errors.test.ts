// An error carries what it was made with, and nothing where nothing was given.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'

test('an error has its code, its message and all that goes with them', () => {
  const more = {
    param: 'path',
    retryAfterSecs: 5,
    credential: { tool: 't', secret: 's' },
    limit: { kind: 'steps', max: 3 },
    cause: new Error('why'),
  } as const
  const error = new AppError('invalid_input', 'path is missing', more)
  const { code, message, param, retryAfterSecs, credential, limit, cause, name } = error
  assert.deepEqual(
    { code, message, name, param, retryAfterSecs, credential, limit, cause },
    { code: 'invalid_input', message: 'path is missing', name: 'AppError', ...more },
  )
  assert.ok(error instanceof Error)
})

test('an error without more has none of it, not even an empty cause', () => {
  const error = new AppError('internal', 'no')
  assert.deepEqual([error.param, error.retryAfterSecs, error.credential, error.limit], Array(4).fill(undefined))
  assert.ok(!('cause' in error))
})
