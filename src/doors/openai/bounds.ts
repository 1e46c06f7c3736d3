// How deep and how large a JSON value of a caller may be.
import { isDeeperThan } from '#core/json.ts'

/** More than anything a program means. */
export const maxLevels = 100

/** True for a value nested deeper than anything a program means: what is stored is written as JSON, and that recurses. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(maxLevels, value)
}

/** Why a value is more than a bound allows, undefined when it is not; looked at no further than that. */
export function overBounds(value: unknown, { levels, values }: { levels: number; values: number }): string | undefined {
  let left = values
  const walk = (each: unknown, above: number): string | undefined => {
    left -= 1
    if (left < 0) return `has more than ${values} values`
    if (typeof each !== 'object' || each === null) return undefined
    if (above === levels) return `is nested deeper than ${levels} levels`
    for (const inner of Object.values(each)) {
      const over = walk(inner, above + 1)
      if (over) return over
    }
    return undefined
  }
  return walk(value, 0)
}
