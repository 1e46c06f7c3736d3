// Bounds of one message of a server. They are checked in its bytes: parsing millions of values would block everybody.
import { countJson, type JsonBounds } from '#lib/json-bounds.ts'

export const maxMessageBytes = 8 * 1024 * 1024
const maxValues = 200_000
const maxLevels = 1_000
const messageBounds: JsonBounds = { values: maxValues, names: maxValues, levels: maxLevels }

/** What is too much in the JSON text of a message; undefined if it may be parsed. */
export function messageExcess(json: Uint8Array): string | undefined {
  const excess = countJson(json, messageBounds).next(json.length)
  if (!excess) return undefined
  return excess.bound === 'levels' ? `more than ${maxLevels} levels` : `more than ${maxValues} values`
}
