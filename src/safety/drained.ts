// For searches that work in slices: short texts need no pauses.

/** The result of work that is done without pauses. */
export function drained<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
