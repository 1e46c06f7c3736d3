// Which turns of a long thread stay in the page.

/** Turns that stay in the page around the viewport, so that the browser's own search finds them. */
export const maxKept = 200
/** Turns that one idle moment adds. */
export const keptStep = 10

/** True for a thread of which not everything will be in the page. */
export function isLong(turns: number, hasEarlier: boolean): boolean {
  return hasEarlier || turns > maxKept
}

export type Range = { readonly from: number; readonly to: number }

/** The range widened to a number of turns, first by earlier ones. */
export function widened({ from, to }: Range, kept: number, count: number): Range {
  const earlier = Math.max(0, Math.min(from, kept - (to - from)))
  const start = from - earlier
  return { from: start, to: Math.max(to, Math.min(count, start + kept)) }
}

/** Turns that are drawn before the first look at the viewport: a whole page of them would take long. */
const firstTurns = 12

/** The first turn to draw of so many. The range ends at 0 before the first look. */
export function drawnFrom({ from, to }: Range, count: number): number {
  return to === 0 ? Math.max(0, count - firstTurns) : Math.min(from, Math.max(0, count - 1))
}
