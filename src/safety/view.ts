// A normalized copy of a text that maps each of its positions back to the original text.

export type View = {
  readonly text: string
  /** The position in the original text of a position in the view. */
  readonly at: (index: number) => number
}

/** Collects a view from the pieces of a text in order. A piece is its own letters, or letters that stand for them. */
export function createView(): { keep(piece: string): void; change(piece: string, to: string): void; view(): View } {
  const starts: number[] = []
  const shifts: number[] = []
  let text = ''
  let shift = 0
  return {
    keep(piece) {
      text += piece
    },
    change(piece, to) {
      text += to
      shift += piece.length - to.length
      // Changes in a row without letters between them are one: a text may consist of letters to drop.
      const last = starts.length - 1
      if (starts[last] === text.length) shifts[last] = shift
      else {
        starts.push(text.length)
        shifts.push(shift)
      }
    },
    view: () => ({ text, at: (index) => index + (shifts[lastUpTo(starts, index)] ?? 0) }),
  }
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
