// A bounded amount of something that many share: takers wait in order, and leave when their signal says so.

export interface Semaphore {
  readonly taken: number
  readonly waiting: number
  /** Gives the share back; calling it again does nothing. Undefined when the taker would have to wait. */
  tryTake(size?: number): (() => void) | undefined
  /** Waits in order. Rejects with the signal's reason. */
  take(signal: AbortSignal, size?: number): Promise<() => void>
}

/** No share may be larger than `max`. */
export function createSemaphore(max: number): Semaphore {
  let taken = 0
  const waiting: { readonly size: number; readonly admit: () => void }[] = []

  function hold(size: number): () => void {
    taken += size
    let held = true
    return () => {
      if (!held) return
      held = false
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
    waiting.length === 0 && taken + size <= max ? hold(size) : undefined

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
      const own = { size, admit: () => resolve(hold(size)) }
      const leave = (): void => {
        const at = waiting.indexOf(own)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(signal.reason as Error)
        // A large taker that left may have held up smaller ones.
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
