// Faults of SQLite in words that a user can act on, by their primary code, whatever the extended one adds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { asAppError } from '#store/sqlite.ts'

const faults: readonly (readonly [errcode: number, code: string, says: RegExp])[] = [
  [13, 'disk_full', /the disk is full/],
  [8, 'home_unwritable', /cannot be written/],
  [8 | (4 << 8), 'home_unwritable', /cannot be written/],
  [5, 'database_unavailable', /is unavailable/],
  [5 | (2 << 8), 'database_unavailable', /is unavailable/],
  [6, 'database_unavailable', /is unavailable/],
  [10, 'database_unavailable', /is unavailable/],
  [10 | (13 << 8), 'database_unavailable', /is unavailable/],
  [14, 'database_unavailable', /is unavailable/],
  [11, 'database_unavailable', /damaged .*restore a backup/],
  [26, 'database_unavailable', /damaged .*restore a backup/],
]
for (const [errcode, code, says] of faults) {
  test(`${errcode} is ${code}: ${says.source}`, () => {
    const cause = Object.assign(new Error('reason'), { errcode })
    const fault = asAppError(cause)
    assert.ok(fault instanceof AppError)
    assert.deepEqual([fault.code, fault.cause], [code, cause])
    assert.match(fault.message, says)
  })
}

test('other faults stay what they are', () => {
  const own = Object.assign(new AppError('not_found', 'gone'), { errcode: 13 })
  const errors = [
    own,
    new Error('no code'),
    ...[1, 7, 12, 19, 27].map((errcode) => Object.assign(new Error(), { errcode })),
  ]
  for (const error of errors) assert.equal(asAppError(error), error)
})
