// Waits that end. Neither leaves a timer behind, so a process that has nothing else to do can stop.

/** What comes of the work, or of `late` when it takes longer than so many milliseconds. */
export async function within<T, L>(ms: number, work: Promise<T>, late: () => L | Promise<L>): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<typeof over>()
  const timer = setTimeout(() => resolve(over), ms)
  try {
    const first = await Promise.race([work, promise])
    return first === over ? await late() : first
  } finally {
    clearTimeout(timer)
  }
}

/** Runs work whose signal fires with the given one, or after so many milliseconds. */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  try {
    return await run(AbortSignal.any([signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** What comes of the work, unless the signal fires first: for work that has no deadline of its own. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(new Error('aborted'))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const over = Symbol('over')
