// Whether a figure of a long run stays flat: a robust slope through its values, and the bound that it must not exceed.
// Pure.
import { median } from '../../../bench/compare.ts'

/** A value of a figure, and when it was taken, in milliseconds. */
export type Point = { readonly at: number; readonly value: number }

/** What counts as flat: the growth over the whole measured time, as a share of the first value, and at least so much. */
export type Bound = { readonly share: number; readonly least: number }

export type Verdict = {
  /** The line through the values, at its two ends. */
  readonly start: number
  readonly end: number
  readonly perHour: number
  /** The growth that is still flat. */
  readonly allowed: number
  /** `unknown`: there are too few values. */
  readonly result: 'flat' | 'rising' | 'unknown'
}

/** With fewer values even a straight line may be chance. */
export const minPoints = 8
/** How sure a rise must be, in standard deviations of Kendall's S for values without a trend: 1 in 1,000. */
const minCertainty = 3.09
const hourMs = 3_600_000

/** A figure rises if its slope exceeds the bound and its values agree on the direction: noise does not. */
export function judgeSlope(points: readonly Point[], { share, least }: Bound): Verdict {
  const known = points.filter(({ value }) => Number.isFinite(value))
  const slope = medianSlope(known)
  const [first, last] = [known.at(0)?.at ?? 0, known.at(-1)?.at ?? 0]
  const start = median(known.map(({ at, value }) => value - slope * (at - first)))
  const growth = slope * (last - first)
  const allowed = Math.max(Math.abs(start) * share, least)
  const line = { start, end: start + growth, perHour: slope * hourMs, allowed }
  if (known.length < minPoints) return { ...line, result: 'unknown' }
  return { ...line, result: growth > allowed && certainty(known) >= minCertainty ? 'rising' : 'flat' }
}

/** Theil and Sen: the median of the slopes of all pairs. Up to a quarter of the values may be anything. */
function medianSlope(points: readonly Point[]): number {
  return points.length < 2 ? 0 : median(pairs(points, (a, b) => (b.value - a.value) / (b.at - a.at)))
}

/** Mann and Kendall: how many more pairs rise than fall, in standard deviations. Equal values count as no rise. */
function certainty(points: readonly Point[]): number {
  const n = points.length
  const sum = pairs(points, (a, b) => Math.sign(b.value - a.value)).reduce((all, each) => all + each, 0)
  return (sum - 1) / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
}

function pairs(points: readonly Point[], of: (a: Point, b: Point) => number): number[] {
  return points.flatMap((a, at) => points.slice(at + 1).map((b) => of(a, b)))
}
