// Jobs that happen by the clock: the one place for the timers of the service. A job that fails is logged with its name and
// comes again, none runs twice at once, and none keeps the process from ending.
import type { Log } from './log.ts'

/** A longer wait is made of several: a machine that slept, or whose clock was set forward, is late by no more than this. */
const maxWaitMs = 60_000

export type ClockJob = () => void | Promise<void>

export interface Timer {
  /** The job is not begun again; resolves once it is over. */
  stop(): Promise<void>
}

export interface Clock {
  now(): number
  /** Does the job again and again; a time at which it still runs is left out. */
  every(ms: number, name: string, job: ClockJob): Timer
  /** Does the job once, at a time or, where that has passed, soon. A clock that is set back makes it no later. */
  at(time: number, name: string, job: ClockJob): Timer
  /** Stops all timers; resolves once no job runs. */
  close(): Promise<void>
}

export function createClock({ log, now = Date.now }: { log: Log; now?: () => number }): Clock {
  const timers = new Set<Timer>()
  let closed = false

  /** `arm` sets the timer and returns how it is taken back. */
  function start(name: string, job: ClockJob, arm: (run: () => Promise<void>) => () => void): Timer {
    if (closed) return { stop: () => Promise.resolve() }
    let running: Promise<void> | undefined
    const disarm = arm(() => {
      running ??= attempt(name, job).finally(() => {
        running = undefined
      })
      return running
    })
    const timer: Timer = {
      async stop() {
        disarm()
        timers.delete(timer)
        await running
      },
    }
    timers.add(timer)
    return timer
  }

  async function attempt(name: string, job: ClockJob): Promise<void> {
    try {
      await job()
    } catch (error) {
      log.error({ job: name, err: error }, 'a scheduled job failed')
    }
  }

  return {
    now,
    every: (ms, name, job) =>
      start(name, job, (run) => {
        const interval = setInterval(() => void run(), ms).unref()
        return () => clearInterval(interval)
      }),
    at(time, name, job) {
      const timer = start(name, job, (run) => {
        let timeout: NodeJS.Timeout
        const wait = (restMs: number): void => {
          const ms = Math.min(Math.max(restMs, 0), maxWaitMs)
          timeout = setTimeout(() => {
            const leftMs = Math.min(restMs - ms, time - now())
            if (leftMs > 0) wait(leftMs)
            else void run().then(() => timer.stop())
          }, ms).unref()
        }
        wait(time - now())
        return () => clearTimeout(timeout)
      })
      return timer
    },
    async close() {
      closed = true
      await Promise.all([...timers].map((timer) => timer.stop()))
    },
  }
}
