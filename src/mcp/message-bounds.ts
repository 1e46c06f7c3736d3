// Bounds of one message of a server. They are checked in its bytes: parsing millions of values would block everybody.
import type { JsonBounds } from '#lib/json-bounds.ts'

export const maxMessageBytes = 8 * 1024 * 1024
export const messageBounds: JsonBounds = { values: 200_000, names: 40_000, levels: 1_000 }
