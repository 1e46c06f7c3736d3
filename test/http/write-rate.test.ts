// The rate of changes: per user, in windows of 60 seconds, large bodies as several.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import type { Caller } from '#http/caller.ts'
import { createWriteLimit } from '#http/write-rate.ts'

const caller = (user: string): Caller => ({ user: user as Caller['user'], name: user, operator: false })
const [ada, bob] = [caller('ada'), caller('bob')]

test('changes are counted per user, and anew after 60 seconds', () => {
  let now = 1_000
  const limit = createWriteLimit({ perMinute: 3, now: () => now })
  for (let at = 0; at < 3; at++) limit.take(ada)
  const refused = { code: 'rate_limited', retryAfterSecs: 20, message: /at most 3 changes .* try again in 20 s/ }
  now += 40_000
  assert.throws(() => limit.take(ada), refused)
  limit.take(bob)
  now += 19_999
  assert.throws(() => limit.take(ada), { retryAfterSecs: 1 })
  now += 1
  limit.take(ada)
})

test('a clock that is set back makes nobody wait longer', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
  const limit = createWriteLimit({ perMinute: 1 })
  limit.take(ada)
  t.mock.timers.setTime(Date.UTC(2026, 0, 1))
  assert.throws(
    () => limit.take(ada),
    ({ retryAfterSecs = Infinity }: AppError) => retryAfterSecs <= 60,
  )
})

test('each further 64 KB of a body is one more change', () => {
  const taken = (bodyBytes: number): number => {
    const limit = createWriteLimit({ perMinute: 100 })
    limit.take(ada, bodyBytes)
    let left = 0
    for (; left < 100; left++) {
      try {
        limit.take(ada)
      } catch {
        break
      }
    }
    return 100 - left
  }
  const share = 64 * 1024
  const sizes = [0, 1, share, share + 1, 2 * share, 16 * share]
  assert.deepEqual(sizes.map(taken), [1, 1, 1, 2, 2, 16])
  assert.equal(taken(1_000 * share), 100, 'the largest body takes all there is, and is not refused')
})

test('a rate of 0 is no limit', () => {
  const limit = createWriteLimit({ perMinute: 0 })
  for (let at = 0; at < 1_000; at++) limit.take(ada, 1e9)
})
