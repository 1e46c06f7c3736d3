// When temporary threads are erased, and by which process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs } from '#core/time.ts'
import { watchTemporaryThreads } from '#turns/temporary-threads.ts'

type Job = () => void | Promise<void>

function watch(left: number[], ours = true) {
  const jobs: { readonly time: number; readonly job: Job }[] = []
  const asked: number[] = []
  const start = 1_000_000_000
  let now = start
  watchTemporaryThreads({
    store: {
      threads: {
        eraseTemporary(before) {
          asked.push(now - before)
          const erased = left.shift() ?? 0
          return erased < 0 ? Promise.reject(new Error('away')) : Promise.resolve(erased)
        },
      },
      leases: { takeDuty: () => Promise.resolve(ours) },
    },
    lease: { owner: 'one' },
    clock: {
      now: () => now,
      at(time, _, job) {
        jobs.push({ time, job })
        return { stop: () => Promise.resolve() }
      },
    },
  })
  return {
    asked,
    jobs,
    next: async (): Promise<void> => {
      const { time, job } = jobs.shift() ?? { time: now, job: () => {} }
      now = time
      await job()
    },
  }
}

test('threads whose last turn ended a day ago are erased part by part, at every look', async () => {
  const { asked, jobs, next } = watch([100, 3, 0, 0])
  await next()
  assert.deepEqual(asked, [dayMs, dayMs, dayMs])
  await next()
  assert.equal(asked.length, 4)
  assert.equal(jobs.length, 1)
})

test('a process without the duty erases nothing, and looks again', async () => {
  const { asked, jobs, next } = watch([1], false)
  await next()
  assert.deepEqual([asked.length, jobs.length], [0, 1])
})

test('a look that failed comes again', async () => {
  const { jobs, next } = watch([-1])
  await assert.rejects(next(), /away/)
  assert.equal(jobs.length, 1)
})
