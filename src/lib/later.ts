// Something that is done once, later. Tests pass a timer of their own.

/** Runs something after a time; returns how it is taken back. */
export type Later = (run: () => void, ms: number) => () => void

/** A timer that does not keep the process from ending. */
export const later: Later = (run, ms) => {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}
