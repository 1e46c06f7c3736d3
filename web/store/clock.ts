// The current time as signals: one that ticks every 15 s, one that ticks every second.
import { signal } from '@preact/signals'

const tickMs = 15_000

/** Now, updated every 15 seconds. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now()
  }, tickMs)
}

let followers = 0
let ticking: ReturnType<typeof setInterval> | undefined
const toTheSecond = signal(Date.now())

/** Now to the second. Ticks only while something on the page follows it. */
export const seconds = {
  now: toTheSecond,
  /** Starts the ticks; returns the function that unfollows. */
  follow(): () => void {
    followers++
    toTheSecond.value = Date.now()
    ticking ??= setInterval(() => {
      toTheSecond.value = Date.now()
    }, 1_000)
    return () => {
      followers--
      if (followers > 0) return
      clearInterval(ticking)
      ticking = undefined
    }
  },
}
