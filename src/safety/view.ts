// A normalized copy of a text that maps each of its positions back to the original text.

export type View = {
  readonly text: string
  /** The position in the original text of a position in the view. */
  readonly at: (index: number) => number
}

/** Replaces every match of a global pattern. If nothing matches, the view's text equals the original. */
export function viewOf(text: string, pattern: RegExp, change: (piece: string) => string): View {
  const starts: number[] = []
  const shifts: number[] = []
  let shift = 0
  const changed = text.replaceAll(pattern, (piece: string, ...rest: unknown[]) => {
    const offset = rest.find((each) => typeof each === 'number') as number
    const replacement = change(piece)
    starts.push(offset - shift + replacement.length)
    shift += piece.length - replacement.length
    shifts.push(shift)
    return replacement
  })
  return { text: changed, at: (index) => index + (shifts[lastUpTo(starts, index)] ?? 0) }
}

/** The index of the last entry that is at most `value`; -1 if there is none. */
function lastUpTo(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
