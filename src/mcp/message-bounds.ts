// Bounds of one message of a server. They are checked in its bytes: parsing millions of values would block everybody.
import { type JsonBounds, JsonCount } from '#lib/json-bounds.ts'

export const maxMessageBytes = 8 * 1024 * 1024
const maxValues = 200_000
/** Members of objects: the client package copies each of them. */
const maxNames = 40_000
const maxLevels = 1_000
const messageBounds: JsonBounds = { values: maxValues, names: maxNames, levels: maxLevels }

/** The limit that the JSON text of a message exceeds; undefined if it may be parsed. */
export function messageExcess(json: Uint8Array): string | undefined {
  const excess = new JsonCount(json, messageBounds).next(json.length)
  if (!excess) return undefined
  const { values, names, levels } = messageBounds
  return {
    values: `more than ${values} values`,
    names: `more than ${names} field names`,
    levels: `more than ${levels} levels`,
  }[excess.bound]
}
