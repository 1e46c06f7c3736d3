// A clock whose jobs run when a test looks, and that can be set forward.
import type { Clock } from '#lib/clock.ts'

type Job = { readonly time: number; readonly job: () => unknown }

export function createJobClock(start = 0) {
  const jobs: Job[] = []
  let now = start
  let setMs = 0
  const clock: Pick<Clock, 'now' | 'at'> = {
    now: () => now,
    at(time, _, job) {
      jobs.push({ time, job })
      return { stop: () => Promise.resolve() }
    },
  }
  return {
    clock,
    jobs,
    now: () => now,
    elapsed: () => now - setMs,
    setForward: (ms: number): void => {
      now += ms
      setMs += ms
    },
    /** Runs the next job, at its time. */
    look: async (): Promise<void> => {
      const next = jobs.shift()
      now = Math.max(now, next?.time ?? now)
      await next?.job()
    },
  }
}
