// The time of the page, as coarse as what it is shown in.
import { signal } from '@preact/signals'

const beatMs = 15_000

/** Now, moved on every few seconds. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now()
  }, beatMs)
}
