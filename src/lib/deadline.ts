// Waits with a deadline. None leaves a timer behind, so a process with nothing else to do can exit.

/** The result of the work, or of `onTimeout` if the work takes longer than `ms`. */
export async function within<T, L>(ms: number, work: Promise<T>, onTimeout: () => L | Promise<L>): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<typeof over>()
  const timer = setTimeout(() => resolve(over), ms)
  try {
    const first = await Promise.race([work, promise])
    return first === over ? await onTimeout() : first
  } finally {
    clearTimeout(timer)
  }
}

/** Runs work with a signal that aborts with the given one, or after `ms`. */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), ms)
  try {
    return await run(AbortSignal.any([signal, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** The result of the work; rejects if the signal aborts first. For work that takes no signal itself. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const over = Symbol('over')
