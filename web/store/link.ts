// The live connection to the gateway: whether it stands, and for how long it has not.
import { computed, signal } from '@preact/signals'

/** Shorter breaks are not worth a word. */
const quietMs = 1_000

/** When the connection broke; undefined while it stands. */
const brokenAt = signal<number | undefined>(undefined)
const tick = signal(0)
let timer: ReturnType<typeof setInterval> | undefined

/** For how many seconds it has been gone; undefined while that is nothing to tell. */
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
  brokenAt.value = undefined
  clearInterval(timer)
}
