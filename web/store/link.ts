// The state of the live connection: for how long it has been down.
import { computed, signal } from '@preact/signals'

/** Shorter breaks are not shown. */
const quietMs = 1_000

/** When the connection broke; undefined while connected. */
const brokenAt = signal<number | undefined>(undefined)
const tick = signal(0)

/** How often the connection came back. */
export const reconnections = signal(0)

let timer: ReturnType<typeof setInterval> | undefined

/** Seconds since the connection broke; undefined while connected and during a break shorter than `quietMs`. */
export const offlineSecs = computed(() => {
  void tick.value
  const at = brokenAt.value
  if (at === undefined) return undefined
  const gone = Date.now() - at
  return gone < quietMs ? undefined : Math.floor(gone / 1000)
})

export function linkDown(): void {
  if (brokenAt.value !== undefined) return
  brokenAt.value = Date.now()
  timer = setInterval(() => tick.value++, 500)
}

export function linkUp(): void {
  if (brokenAt.value === undefined) return
  brokenAt.value = undefined
  reconnections.value++
  clearInterval(timer)
}
