// Work that waits for the store: what is tried again, how often, and when it is given up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { isAway, untilStored } from '#turns/store-retry.ts'

const fault = (code: ErrorCode): AppError => new AppError(code, 'away')
/** Ends every pause at once. */
const signal = AbortSignal.abort()

for (const [error, away] of [
  [fault('database_unavailable'), true],
  [fault('disk_full'), true],
  [fault('home_unwritable'), true],
  [fault('lease_lost'), false],
  [fault('too_large'), false],
  [new Error('database_unavailable'), false],
] as const) {
  test(`${'code' in error ? error.code : 'another error'} is ${away ? 'waited out' : 'thrown'}`, async () => {
    assert.equal(isAway(error), away)
    let tries = 0
    const work = () => (++tries > 9 ? Promise.resolve('stored') : Promise.reject(error))
    const done = untilStored(work, { over: () => false, signal })
    if (away) assert.deepEqual([await done, tries], ['stored', 10])
    else await assert.rejects(done, error)
    assert.equal(tries, away ? 10 : 1)
  })
}

test('the work knows that it is tried again, and each fault is told', async () => {
  const [seen, told]: [boolean[], AppError[]] = [[], []]
  const away = fault('disk_full')
  const work = (again: boolean) => (seen.push(again) < 3 ? Promise.reject(away) : Promise.resolve(7))
  assert.equal(await untilStored(work, { over: () => false, failed: (error) => told.push(error), signal }), 7)
  assert.deepEqual(
    [seen, told],
    [
      [false, true, true],
      [away, away],
    ],
  )
})

test('once it is over the fault is thrown', async () => {
  let tries = 0
  const work = () => (tries++, Promise.reject(fault('disk_full')))
  await assert.rejects(untilStored(work, { over: () => tries === 2, signal }), { code: 'disk_full' })
  assert.equal(tries, 2)
})
