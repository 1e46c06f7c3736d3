// How PostgreSQL is reached, and its faults in words that a caller may read: each names a cause, and no host, port or user.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { asAppError, openPostgres, withoutName } from '#store/postgres.ts'

const broken = 'the connection broke'
const pooled = 'a pooler changes its connections between transactions, and Atrium needs session mode'
const faults: readonly [code: string | undefined, message: string, reason: string][] = [
  ['28P01', 'password authentication failed for user "ada"', 'it refused the user or the password of DATABASE_URL'],
  ['3D000', 'database "atrium" does not exist', 'the database of DATABASE_URL does not exist'],
  ['53300', 'too many clients', 'it has no room for another connection'],
  ['53200', 'out of memory', 'it is short of memory or room'],
  ['42501', 'permission denied for schema public', 'its user lacks a right, such as to create tables'],
  ['25006', 'cannot execute INSERT', 'it takes no changes: it is a standby, or was made read-only'],
  ['25P04', 'terminating connection due to transaction timeout', 'it ended a transaction that took too long'],
  ['55P03', 'canceling statement due to lock timeout', 'another transaction holds what this one needs'],
  ['55P03', 'storniere Anfrage wegen Zeitüberschreitung einer Sperre', 'another transaction holds what this one needs'],
  ['42P05', 'prepared statement "s0" already exists', pooled],
  ['26000', 'prepared statement "s0" does not exist', pooled],
  ['57P03', 'the database system is starting up', 'it is starting or going down'],
  ['ENOTFOUND', 'getaddrinfo db.internal', 'the host of DATABASE_URL is not known'],
  ['EAI_AGAIN', 'getaddrinfo db.internal', 'the host of DATABASE_URL is not known'],
  ['ECONNREFUSED', 'connect 10.0.0.7:5432', 'nothing listens at the address of DATABASE_URL'],
  ['ETIMEDOUT', 'connect 10.0.0.7:5432', 'the host of DATABASE_URL cannot be reached'],
  ['EHOSTUNREACH', 'connect 10.0.0.7:5432', 'the host of DATABASE_URL cannot be reached'],
  ['ENETUNREACH', 'connect 10.0.0.7:5432', 'the host of DATABASE_URL cannot be reached'],
  ['08006', 'connection failure', broken],
  ['ECONNRESET', 'read ECONNRESET', broken],
  ['EPIPE', 'write EPIPE', broken],
  ['HOST_SILENT', 'the host is silent', 'its host fell silent'],
  [undefined, 'timeout exceeded when trying to connect', 'it did not answer in time'],
  ['57014', 'canceling statement due to user request', 'it cancelled a statement'],
  [undefined, 'Connection terminated unexpectedly', broken],
  [undefined, 'Client has encountered a connection error and is not queryable', broken],
  [undefined, 'Cannot use a pool after calling end on the pool', broken],
]
for (const [code, message, reason] of faults) {
  test(`${code ?? 'no code'}, ${message}: ${reason}`, () => {
    const cause = Object.assign(new Error(message), code === undefined ? {} : { code })
    const fault = asAppError(cause)
    assert.ok(fault instanceof AppError)
    const told = ['database_unavailable', `PostgreSQL is unavailable: ${reason}`, cause]
    assert.deepEqual([fault.code, fault.message, fault.cause], told)
  })
}

test('a full disk is told apart, and other faults stay as they are', () => {
  const full = asAppError(Object.assign(new Error('could not extend file'), { code: '53100' }))
  assert.ok(full instanceof AppError && full.code === 'disk_full')
  const own = new AppError('not_found', 'gone')
  const bug = Object.assign(new Error('syntax error'), { code: '42601' })
  const damaged = new SyntaxError('Unterminated string in JSON at position 30')
  assert.deepEqual([own, bug, damaged].map(asAppError), [own, bug, damaged])
})

test('a URL keeps all but the name that it gives its connections', () => {
  const url = 'postgres://ada:secret@db.example/atrium'
  for (const same of [url, `${url}?sslmode=require`, 'no URL']) assert.equal(withoutName(same), same)
  assert.equal(withoutName(`${url}?application_name=ours&sslmode=require`), `${url}?sslmode=require`)
})

test('ten connections are kept alive', async () => {
  const sql = openPostgres('postgres://db.example/atrium?application_name=ours')
  const { max, keepAlive, connectionTimeoutMillis: connect, query_timeout: gives } = sql.pool.options
  assert.deepEqual([max, keepAlive, connect, gives], [10, true, 5_000, 35_000])
  assert.deepEqual(
    [sql.pool.options.application_name, sql.pool.options.connectionString],
    ['atrium', 'postgres://db.example/atrium'],
  )
  await sql.close()
})
