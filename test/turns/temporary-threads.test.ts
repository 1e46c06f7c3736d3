// When temporary threads are erased, and by which process.
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { test } from 'node:test'
import { dayMs, hourMs } from '#core/time.ts'
import { createEraseClock } from '#turns/erase-clock.ts'
import { watchTemporaryThreads } from '#turns/temporary-threads.ts'
import { createJobClock } from './job-clock.ts'

type Times = { readonly ours?: boolean; readonly databaseTime?: (now: number) => number }

function watch(left: number[], { ours = true, databaseTime }: Times = {}) {
  const { clock, elapsed, now, ...rest } = createJobClock(1_000_000_000)
  const asked: number[] = []
  /** For how long the duty was taken. */
  const taken: number[] = []
  watchTemporaryThreads({
    store: {
      threads: {
        eraseTemporary(before) {
          asked.push(now() - before)
          const erased = left.shift() ?? 0
          return erased < 0 ? Promise.reject(new Error('away')) : Promise.resolve(erased)
        },
      },
      leases: {
        takeDuty(_, __, forMs) {
          taken.push(forMs)
          return Promise.resolve(ours)
        },
        databaseTime: () => Promise.resolve(databaseTime?.(now())),
      },
    },
    lease: { owner: 'one' },
    clock,
    elapsed,
  })
  return { ...rest, asked, taken, now }
}

test('threads whose last turn ended a day ago are erased part by part, at every look', async () => {
  const { asked, jobs, look } = watch([100, 3, 0, 0])
  await look()
  assert.deepEqual(asked, [dayMs, dayMs, dayMs])
  await look()
  assert.equal(asked.length, 4)
  assert.equal(jobs.length, 1)
})

test('a process without the duty erases nothing, and looks again', async () => {
  const { asked, jobs, look } = watch([1], { ours: false })
  await look()
  assert.deepEqual([asked.length, jobs.length], [0, 1])
})

test('a look that failed comes again', async () => {
  const { jobs, look } = watch([-1])
  await assert.rejects(look(), /away/)
  assert.equal(jobs.length, 1)
})

test('a clock that is set forward, or ahead of the database, erases no younger thread', async () => {
  const { asked, jobs, taken, look, setForward, now } = watch([])
  await look()
  setForward(3 * dayMs)
  await look()
  assert.equal(asked.length, 1)
  assert.deepEqual(
    jobs.map(({ time }) => time - now()),
    [hourMs],
  )
  assert.ok(Number(taken.at(-1)) > hourMs, 'no other process looks before')
  await look()
  assert.deepEqual(asked, [dayMs, dayMs])
  const ahead = watch([], { databaseTime: (now) => now - 3 * dayMs })
  await ahead.look()
  assert.deepEqual(ahead.asked, [4 * dayMs])
})

test('a machine that slept erases at its first look', async (t) => {
  let now = 1_000_000_000
  t.mock.method(os, 'uptime', () => now / 1000)
  syncBuiltinESMExports()
  const timeToErase = createEraseClock({
    leases: { databaseTime: () => Promise.resolve(undefined) },
    clock: { now: () => now },
  })
  now += 9 * hourMs
  const time = await timeToErase()
  t.mock.restoreAll()
  syncBuiltinESMExports()
  assert.equal(time, now)
})
