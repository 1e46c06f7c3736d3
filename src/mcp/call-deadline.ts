// The time of one call: renewed by progress up to a whole, and stopped while a person is asked.

export type CallDeadline = {
  /** Aborts with the given signal, or when the time is over. */
  readonly signal: AbortSignal
  readonly isOver: () => boolean
  renew(): void
  /** Stops the time until the returned function is called. */
  hold(): () => void
  /** Ends the time for good, also of a call whose person is still being asked. */
  end(): void
}

export type DeadlineParts = { readonly signal: AbortSignal; readonly callMs: number; readonly maxMs: number }

export function createCallDeadline({ signal, callMs, maxMs }: DeadlineParts): CallDeadline {
  const controller = new AbortController()
  const late = (): void => controller.abort(new Error('the call took too long'))
  let leftMs = maxMs
  let since = 0
  let holds = 0
  let ended = false
  let timers: NodeJS.Timeout[] = []

  function stop(): void {
    if (timers.length > 0) leftMs -= performance.now() - since
    for (const timer of timers) clearTimeout(timer)
    timers = []
  }

  function start(): void {
    stop()
    if (ended) return
    since = performance.now()
    timers = [setTimeout(late, Math.max(0, Math.min(callMs, leftMs)))]
  }

  start()
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    isOver: () => controller.signal.aborted,
    renew() {
      if (holds === 0) start()
    },
    hold() {
      holds++
      stop()
      return () => {
        if (--holds === 0) start()
      }
    },
    end() {
      ended = true
      stop()
    },
  }
}
