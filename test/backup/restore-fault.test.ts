import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoreFault } from '#backup/restore-fault.ts'
import { AppError } from '#core/errors.ts'

const at = { home: '/home', file: 'a.backup' }
const told: readonly (readonly [fields: object, code: string, says: RegExp])[] = [
  [{ code: 'ENOSPC' }, 'disk_full', /^the disk of \/home is full: nothing was restored/],
  [{ errcode: 13 }, 'disk_full', /^the disk of \/home is full/],
  [{ code: 'ENAMETOOLONG' }, 'invalid_input', /^a\.backup cannot be used: reason; nothing was restored/],
  [{ code: 'EEXIST' }, 'invalid_input', /^a\.backup cannot be used/],
  [{ errcode: 19 | (8 << 8) }, 'invalid_input', /^a\.backup cannot be used: reason/],
  [{ code: '22P02', severity: 'ERROR' }, 'invalid_input', /^a\.backup cannot be used: reason/],
  [{ errcode: 14 }, 'database_unavailable', /is unavailable/],
]
for (const [fields, code, says] of told) {
  test(`${JSON.stringify(fields)} is ${code}`, () => {
    const fault = restoreFault(Object.assign(new Error('reason'), fields), at)
    assert.ok(fault instanceof AppError)
    assert.equal(fault.code, code)
    assert.match(fault.message, says)
  })
}

test('a bug stays a bug, and a fault that has its words keeps them', () => {
  for (const error of [new TypeError('bug'), new AppError('forbidden', 'not empty')])
    assert.equal(restoreFault(error, at), error)
})
