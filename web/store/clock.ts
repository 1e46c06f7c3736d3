// The time of the page, as coarse as what it is shown in.
import { signal } from '@preact/signals'

const tickMs = 15_000

/** Now, moved on every few seconds. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now()
  }, tickMs)
}

let followers = 0
let ticking: ReturnType<typeof setInterval> | undefined
const toTheSecond = signal(Date.now())

/** Now to the second, kept only while something that is shown follows it. */
export const seconds = {
  now: toTheSecond,
  /** Returns the way to leave. */
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
