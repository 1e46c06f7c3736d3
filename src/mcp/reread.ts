// Reads a server's list again when the server says that it has changed: one read at a time, and not one after the other.
import { setTimeout as pause } from 'node:timers/promises'

/** Minimum time between the end of a read and the next. A server may announce changes as often as it likes. */
const minGapMs = 1_000

export type RereadParts = {
  readonly read: () => Promise<void>
  /** The connection is over: its list is not read any more. */
  readonly over: () => boolean
  readonly wait?: (ms: number) => Promise<void>
}

/** Returns what to call with each announcement. Announcements during a read, and in the gap after it, become one read. */
export function createReread({ read, over, wait = systemWait }: RereadParts): () => void {
  let reading = false
  let again = false

  async function readAll(): Promise<void> {
    do {
      again = false
      await read()
      await wait(minGapMs)
    } while (again && !over())
    reading = false
  }

  return () => {
    again = true
    if (reading || over()) return
    reading = true
    void readAll()
  }
}

async function systemWait(ms: number): Promise<void> {
  await pause(ms, undefined, { ref: false })
}
