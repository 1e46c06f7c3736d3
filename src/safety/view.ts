// A text as a forgiving reader takes it, with the way back: every place in the view has its place in the text.

export type View = {
  readonly text: string
  /** Where in the text a place of the view stands. */
  readonly at: (index: number) => number
}

/** The text with every match of a global pattern changed. The view is the text itself where nothing matches. */
export function viewOf(text: string, pattern: RegExp, change: (piece: string) => string): View {
  const starts: number[] = []
  const places: number[] = []
  let shift = 0
  const changed = text.replaceAll(pattern, (piece: string, ...rest: unknown[]) => {
    const offset = rest.find((each) => typeof each === 'number') as number
    const by = change(piece)
    starts.push(offset - shift + by.length)
    shift += piece.length - by.length
    places.push(shift)
    return by
  })
  return { text: changed, at: (index) => index + (places[lastUpTo(starts, index)] ?? 0) }
}

/** The last position whose value is at most the given one; -1 for none. */
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
