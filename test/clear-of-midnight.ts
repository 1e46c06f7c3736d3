// For tests on the real clock whose writes and reads must fall on the same day.
import { setTimeout as pause } from 'node:timers/promises'

const dayMs = 86_400_000
/** Tests that read what they wrote on this day take less. */
const clearMs = 60_000

/** Returns at once, except in the last minute of a day in UTC or here: it waits for the next day. */
export async function clearOfMidnight(): Promise<void> {
  const wait = msToMidnight(new Date())
  if (wait <= clearMs) await pause(wait)
}

function msToMidnight(now: Date): number {
  const local = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime()
  return Math.min(local - now.getTime(), dayMs - (now.getTime() % dayMs))
}
