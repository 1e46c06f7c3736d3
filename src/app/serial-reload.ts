// Runs reloads one after the other, so that an earlier read never replaces a later one.
import { createOneAtATime } from '#lib/one-at-a-time.ts'

/** Queues a reload. A reload with the same key that has not started yet is shared. */
export type SerialReload = (key: string, read: () => Promise<void>) => Promise<void>

export function createSerialReload(): SerialReload {
  const inOrder = createOneAtATime()
  const waiting = new Map<string, Promise<void>>()
  return (key, read) => {
    const queued = waiting.get(key)
    if (queued) return queued
    const next = inOrder('reload', () => {
      waiting.delete(key)
      return read()
    })
    waiting.set(key, next)
    return next
  }
}
