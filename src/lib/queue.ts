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
  let waiting: T[] = []
  let open = true
  let overrun = false
  let wake: (() => void) | undefined

  function close(): void {
    if (!open) return
    open = false
    onClose()
    wake?.()
  }

  const iterator: AsyncIterator<readonly T[]> = {
    async next() {
      while (waiting.length === 0) {
        if (overrun) throw new Error(`the reader fell ${limit} events behind`)
        if (!open) return { done: true, value: undefined }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = undefined
      }
      const value = waiting
      waiting = []
      return { done: false, value }
    },
    return() {
      waiting = []
      close()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    push(values) {
      if (!open) return false
      if (waiting.length > 0 && waiting.length + values.length > limit) {
        waiting = []
        overrun = true
        close()
        return false
      }
      // Not by a spread: a large batch would overflow the stack.
      for (const value of values) waiting.push(value)
      wake?.()
      return true
    },
    close,
    [Symbol.asyncIterator]: () => iterator,
  }
}
