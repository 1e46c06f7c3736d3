// Writes under way, by key: a reader waits for those that began before it.

export interface Pending<Key> {
  /** Returns the promise that it is given. */
  track<T>(key: Key, write: Promise<T>): Promise<T>
  /** Resolves once the writes that are under way for the key have ended, well or not. */
  ended(key: Key): Promise<void>
}

export function createPending<Key = string>(): Pending<Key> {
  const writes = new Map<Key, Set<Promise<unknown>>>()
  return {
    track(key, write) {
      const beside = writes.get(key) ?? new Set()
      writes.set(key, beside.add(write))
      const end = (): void => {
        beside.delete(write)
        if (beside.size === 0) writes.delete(key)
      }
      write.then(end, end)
      return write
    },
    async ended(key) {
      const underWay = writes.get(key)
      if (underWay) await Promise.allSettled(underWay)
    },
  }
}
