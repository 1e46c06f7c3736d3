// Notices that the other side sends nothing for too long.

export interface Silence {
  /** Something came: the time begins anew. */
  heard(): void
  end(): void
}

/** Calls `late` when nothing was heard for `ms`. */
export function watchSilence(ms: number, late: () => void): Silence {
  let next: NodeJS.Immediate | undefined
  // A process that was stopped for longer finds both at once: that the time is over, and what has come meanwhile. It is read first.
  const timer = setTimeout(() => {
    next = setImmediate(late)
  }, ms)
  return {
    heard() {
      clearImmediate(next)
      timer.refresh()
    },
    end() {
      clearImmediate(next)
      clearTimeout(timer)
    },
  }
}
