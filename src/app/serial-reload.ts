// Runs reloads one after the other, so that an earlier read never replaces a later one.

/** Queues a reload. A reload with the same key that has not started yet is shared. */
export type SerialReload = (key: string, read: () => Promise<void>) => Promise<void>

export function createSerialReload(): SerialReload {
  let last: Promise<unknown> = Promise.resolve()
  const waiting = new Map<string, Promise<void>>()
  return (key, read) => {
    const queued = waiting.get(key)
    if (queued) return queued
    const next = last.then(() => {
      waiting.delete(key)
      return read()
    })
    waiting.set(key, next)
    last = next.catch(() => {})
    return next
  }
}
