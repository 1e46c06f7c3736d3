// A semaphore with weighted shares, and one for each key. Takers wait in order, and leave when their signal aborts.

export interface Semaphore {
  readonly taken: number
  readonly waiting: number
  /** A function that releases the share; undefined if the taker would have to wait. A second release does nothing. */
  tryTake(size?: number): (() => void) | undefined
  /** Waits in order. Rejects with the signal's reason. */
  take(signal: AbortSignal, size?: number): Promise<() => void>
}

type Waiter = { readonly size: number; readonly admit: () => void }

/** No share may be larger than `max`. */
export function createSemaphore(max: number): Semaphore {
  let taken = 0
  const waiting: Waiter[] = []

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
      // A large taker that left may have blocked smaller ones.
      return waitInLine<Waiter, () => void>(waiting, {
        entryOf: (resolve) => ({ size, admit: () => resolve(grant(size)) }),
        signal,
        left: admitNext,
      })
    },
  }
}

type Place<Entry, Value> = {
  /** The entry of the line. Whoever admits it takes it out of the line and calls `resolve`. */
  readonly entryOf: (resolve: (value: Value) => void) => Entry
  readonly signal: AbortSignal
  /** Called after the entry has left, because the signal aborted. */
  readonly left?: () => void
}

/** Waits in a line until the entry is admitted. Leaves it, and rejects with the signal's reason, when the signal aborts. */
export async function waitInLine<Entry, Value = void>(
  line: Entry[],
  { entryOf, signal, left }: Place<Entry, Value>,
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const own = entryOf(resolve)
  const leave = (): void => {
    const at = line.indexOf(own)
    if (at < 0) return
    line.splice(at, 1)
    reject(signal.reason as Error)
    left?.()
  }
  signal.addEventListener('abort', leave, { once: true })
  line.push(own)
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** A semaphore for each key. It lasts while somebody holds a share of it or waits for one. */
export interface Semaphores<Key> {
  tryTake(key: Key, size?: number): (() => void) | undefined
  take(key: Key, signal: AbortSignal, size?: number): Promise<() => void>
  waiting(key: Key): number
}

export function createSemaphores<Key>(max: number): Semaphores<Key> {
  const open = new Map<Key, Semaphore>()

  function openFor(key: Key): Semaphore {
    const own = open.get(key) ?? createSemaphore(max)
    open.set(key, own)
    return own
  }

  function closing(key: Key, own: Semaphore, release: () => void): () => void {
    return () => {
      release()
      // Whoever waited has a share now. A second release must not close the semaphore that was opened since.
      if (own.taken === 0 && open.get(key) === own) open.delete(key)
    }
  }

  return {
    tryTake(key, size) {
      const own = openFor(key)
      const release = own.tryTake(size)
      return release && closing(key, own, release)
    },
    async take(key, signal, size) {
      signal.throwIfAborted()
      const own = openFor(key)
      return closing(key, own, await own.take(signal, size))
    },
    waiting: (key) => open.get(key)?.waiting ?? 0,
  }
}
