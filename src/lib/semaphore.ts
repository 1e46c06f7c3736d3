// A semaphore with weighted shares. Takers wait in order, and leave when their signal aborts.

export interface Semaphore {
  readonly taken: number
  readonly waiting: number
  /** A function that releases the share; undefined if the taker would have to wait. A second release does nothing. */
  tryTake(size?: number): (() => void) | undefined
  /** Waits in order. Rejects with the signal's reason. */
  take(signal: AbortSignal, size?: number): Promise<() => void>
}

/** No share may be larger than `max`. */
export function createSemaphore(max: number): Semaphore {
  let taken = 0
  const waiting: { readonly size: number; readonly admit: () => void }[] = []

  function grant(size: number): () => void {
    taken += size
    let released = false
    return () => {
      if (released) return
      released = true
      taken -= size
      admitNext()
    }
  }

  function admitNext(): void {
    for (let [next] = waiting; next && taken + next.size <= max; [next] = waiting) {
      waiting.shift()
      next.admit()
    }
  }

  const tryTake = (size = 1): (() => void) | undefined =>
    waiting.length === 0 && taken + size <= max ? grant(size) : undefined

  return {
    get taken() {
      return taken
    },
    get waiting() {
      return waiting.length
    },
    tryTake,
    async take(signal, size = 1) {
      signal.throwIfAborted()
      const free = tryTake(size)
      if (free) return free
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const own = { size, admit: () => resolve(grant(size)) }
      const leave = (): void => {
        const at = waiting.indexOf(own)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(signal.reason as Error)
        // A large taker that left may have blocked smaller ones.
        admitNext()
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(own)
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
