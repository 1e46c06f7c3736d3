// A bounded queue that is read in batches: one reader takes everything since its last read.

export interface Queue<T> extends AsyncIterable<readonly T[]> {
  /** False once the queue is closed or full. A full queue ends with an error for its reader. */
  push(values: readonly T[]): boolean
  close(): void
}

/**
 * A queue of at most `limit` waiting values. A reader that falls behind is cut off; the writer never waits. One batch may
 * be larger than the limit: a reader that has read everything before it is not behind.
 */
export function createQueue<T>(limit: number, onClose: () => void = () => {}): Queue<T> {
  let waiting: readonly T[] = []
  /** `waiting`, once a second batch had to be added: the first one is another's list. */
  let joined: T[] | undefined
  let open = true
  let overrun = false
  let wake: (() => void) | undefined

  function close(): void {
    if (!open) return
    open = false
    onClose()
    rouse()
  }

  function rouse(): void {
    wake?.()
    wake = undefined
  }

  function clear(): void {
    waiting = []
    joined = undefined
  }

  function add(values: readonly T[]): void {
    if (waiting.length === 0) {
      waiting = values
      return
    }
    if (!joined) {
      joined = [...waiting]
      waiting = joined
    }
    // Not by a spread: a large batch would overflow the stack.
    for (const value of values) joined.push(value)
  }

  function taken(): IteratorResult<readonly T[], undefined> {
    const value = waiting
    if (value.length > 0) {
      clear()
      return { done: false, value }
    }
    if (overrun) throw new Error(`the reader fell ${limit} events behind`)
    return { done: true, value: undefined }
  }

  // Not an async function: each token of a stream passes here, and one would take several objects more for each.
  const iterator: AsyncIterator<readonly T[], undefined> = {
    next() {
      if (waiting.length > 0 || !open) return Promise.try(taken)
      return new Promise<void>((resolve) => {
        wake = resolve
      }).then(taken)
    },
    return() {
      clear()
      close()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    push(values) {
      if (!open) return false
      if (waiting.length > 0 && waiting.length + values.length > limit) {
        clear()
        overrun = true
        close()
        return false
      }
      add(values)
      if (values.length > 0) rouse()
      return true
    },
    close,
    [Symbol.asyncIterator]: () => iterator,
  }
}
