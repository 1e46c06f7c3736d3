// Bounds of one message of a server. They are checked in its bytes: parsing millions of values would block everybody.
import { excessOf, type JsonBounds } from '#lib/json-bounds.ts'

export const maxMessageBytes = 8 * 1024 * 1024
/** The client package copies each member of an object. */
const messageBounds: JsonBounds = { values: 200_000, names: 40_000, levels: 1_000 }

/** The bound that the JSON text of a message exceeds, in words; undefined if it may be parsed. */
export function messageExcess(json: Uint8Array): string | undefined {
  return excessOf(json, messageBounds)
}
