// What is said of a PostgreSQL that cannot be used: why, and neither where it is nor who asks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { asAppError } from '#store/postgres.ts'

const faults: readonly [fault: object, words: RegExp][] = [
  [{ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.1.2.3:5432' }, /nothing listens/],
  [{ code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND db.internal' }, /host of DATABASE_URL is not known/],
  [{ code: 'ECONNRESET', message: 'read ECONNRESET 10.1.2.3:5432' }, /connection broke/],
  [{ code: '28P01', message: 'password authentication failed for user "keeper"' }, /user or the password/],
  [{ code: '3D000', message: 'database "vault" does not exist' }, /does not exist/],
  [{ code: '57P03', message: 'the database system is starting up' }, /starting or going down/],
  [{ code: '57014', message: 'canceling statement due to statement timeout' }, /did not answer in time/],
  [{ code: '53300', message: 'too many connections for role "keeper"' }, /no room/],
  [{ message: 'timeout exceeded when trying to connect' }, /did not answer in time/],
  [{ message: 'Connection terminated unexpectedly' }, /connection broke/],
]
for (const [fault, words] of faults) {
  const error = Object.assign(new Error(), fault)
  test(`told without an address or a name: ${error.message}`, () => {
    const told = asAppError(error)
    assert.ok(told instanceof AppError && told.code === 'database_unavailable')
    assert.match(told.message, words)
    assert.doesNotMatch(told.message, /10\.1|5432|internal|keeper|vault/)
    assert.equal(told.cause, error, 'the log has the rest')
  })
}

test('a fault of a statement stays what it is', () => {
  const error = Object.assign(new Error('column does not exist'), { code: '42703' })
  assert.equal(asAppError(error), error)
})
