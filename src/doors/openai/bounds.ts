// Limits on the depth and size of a caller's JSON values.
import { byteLength, isDeeperThan } from '#core/json.ts'
import { isLong, jsonInSlices } from '#core/json-slices.ts'
import { pace } from '#lib/pace.ts'

/** Deeper than any real request. */
const maxLevels = 100
/** The JSON of a caller's metadata, and of the schema that an answer must fit. */
export const maxMetadataBytes = 16 * 1024
export const maxFormatBytes = 64 * 1024
/** Schemas are adapted to the provider before every model call. */
export const formatBounds = { levels: 64, values: 2_000 }

/** True for a value nested deeper than `maxLevels`. Storing it would call JSON.stringify, which recurses. */
export function isTooDeep(value: unknown): boolean {
  return isDeeperThan(maxLevels, value)
}

/** The size of a value as JSON. A long one is written with pauses for the event loop. */
export async function jsonBytes(value: unknown): Promise<number> {
  if (!isLong(value)) return byteLength(JSON.stringify(value))
  let bytes = 0
  for (const slice of jsonInSlices(value)) {
    bytes += byteLength(slice)
    await pace()
  }
  return bytes
}

/** How a value exceeds its bounds; undefined when it does not. The walk stops at the first excess. */
export function overBounds(value: unknown, { levels, values }: { levels: number; values: number }): string | undefined {
  let left = values
  const walk = (each: unknown, depth: number): string | undefined => {
    left -= 1
    if (left < 0) return `has more than ${values} values`
    if (typeof each !== 'object' || each === null) return undefined
    if (depth === levels) return `is nested deeper than ${levels} levels`
    for (const inner of Object.values(each)) {
      const over = walk(inner, depth + 1)
      if (over) return over
    }
    return undefined
  }
  return walk(value, 0)
}
