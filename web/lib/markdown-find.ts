// Searches ahead in a text, in linear time for all of them together.

/** Finds the next occurrence of a string; -1 for none. */
export type Find = (wanted: string, from: number) => number

/** Finds strings. What was found is remembered, so that each is searched for once: calls should not go back. */
export function createFind(text: string): Find {
  const known = new Map<string, number>()
  return (wanted, from) => {
    const before = known.get(wanted)
    if (before !== undefined && (before < 0 || before >= from)) return before
    const found = text.indexOf(wanted, from)
    known.set(wanted, found)
    return found
  }
}

/** Finds the run of backticks that closes one of the same length. */
export function createTicks(text: string): (length: number, from: number) => number | undefined {
  let runs: Map<number, number[]> | undefined
  return (length, from) => {
    if (!runs) {
      runs = new Map()
      for (const { 0: run, index } of text.matchAll(/`+/g)) {
        const same = runs.get(run.length)
        if (same) same.push(index)
        else runs.set(run.length, [index])
      }
      for (const same of runs.values()) same.reverse()
    }
    const same = runs.get(length)
    while (same && same.length > 0 && (same.at(-1) ?? 0) < from) same.pop()
    return same?.at(-1)
  }
}
