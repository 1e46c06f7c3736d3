// The memory of rate limits is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryLimits, type Use, usesWithin } from '#store/memory-limits.ts'

test('of more keys than are kept, the longest unused is forgotten first', async () => {
  const limits = createMemoryLimits()
  const take = (key: string) => limits.take(key, 1, 60_000, 1_000)
  await take('first')
  await take('second')
  assert.equal((await take('first')).allowed, false, 'and used again')
  for (let at = 0; at < 19_999; at++) await take(`key ${at}`)
  assert.equal((await take('first')).allowed, false, 'what was used lately is remembered')
  assert.equal((await take('second')).allowed, true, 'the oldest is not')
})

test('a busy key is remembered by a few counts, and never lets more through in a window than its limit', () => {
  const window = { limit: 1_000, windowMs: 60_000 }
  let uses: readonly Use[] = []
  const passed: number[] = []
  for (let now = 1_000_000; now < 1_180_000; now += 7) {
    const taken = usesWithin(uses, { ...window, now })
    uses = taken.uses
    assert.ok(uses.length <= 61, `${uses.length} entries`)
    if (taken.allowed) passed.push(now)
    else assert.ok(taken.retryAfterMs > 0 && taken.retryAfterMs <= 61_000)
  }
  for (const [at, from] of passed.entries()) {
    const within = passed.slice(at).filter((each) => each < from + 60_000).length
    assert.ok(within <= 1_000, `${within} from ${from}`)
  }
  assert.ok(passed.length >= 2_900, 'and hardly fewer')
})

test('of a busy key what came at the end of a slice counts for a whole window', () => {
  let uses: readonly Use[] = []
  const take = (now: number): boolean => {
    const taken = usesWithin(uses, { limit: 100, windowMs: 60_000, now })
    uses = taken.uses
    return taken.allowed
  }
  const times = [0, ...Array.from({ length: 99 }, () => 999), 60_000, 60_998, 61_000]
  assert.deepEqual(times.map(take).slice(99), [true, false, false, true])
})

test('a small limit is exact to the millisecond', () => {
  let uses: readonly Use[] = []
  const take = (now: number) => {
    const taken = usesWithin(uses, { limit: 2, windowMs: 60_000, now })
    uses = taken.uses
    return [taken.allowed, taken.retryAfterMs]
  }
  assert.deepEqual([take(0), take(10), take(20), take(59_999)].at(-1), [false, 1])
  assert.deepEqual(
    [take(60_000), take(60_009), take(60_010)],
    [
      [true, 0],
      [false, 1],
      [true, 0],
    ],
  )
})

test('after the clock was set back, uses of the time ahead refuse nobody; those of a clock a little ahead count', () => {
  const now = 1_000_000_000
  const window = { limit: 2, windowMs: 60_000, now }
  const day = 24 * 60 * 60_000
  assert.deepEqual(usesWithin([now + day, now + day + 1], window), { uses: [now], allowed: true, retryAfterMs: 0 })
  const ahead = usesWithin([now + 30_000, now + 30_001], window)
  assert.deepEqual([ahead.allowed, ahead.retryAfterMs], [false, 90_000])
})

test('sixty uses in a window are exact to the millisecond; more are counted by slices of it', () => {
  const last = (limit: number): readonly [allowed: boolean, entries: number] => {
    let uses: readonly Use[] = []
    for (let at = 0; at < limit; at++) uses = usesWithin(uses, { limit, windowMs: 60_000, now: at }).uses
    return [usesWithin(uses, { limit, windowMs: 60_000, now: 60_000 }).allowed, uses.length]
  }
  assert.deepEqual(last(60), [true, 60])
  assert.deepEqual(last(61), [false, 1])
})
