// Reading again what has changed: one after the other, since what was read earlier must not replace what was read later.

/** Reads something again; whoever asks for what still waits its turn joins it. */
export type ReadAgain = (what: string, read: () => Promise<void>) => Promise<void>

export function createReadings(): ReadAgain {
  let last: Promise<unknown> = Promise.resolve()
  const waiting = new Map<string, Promise<void>>()
  return (what, read) => {
    const joined = waiting.get(what)
    if (joined) return joined
    const next = last.then(() => {
      waiting.delete(what)
      return read()
    })
    waiting.set(what, next)
    last = next.catch(() => {})
    return next
  }
}
