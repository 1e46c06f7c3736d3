// The beginning of what a turn was asked, for lists: a bounded read, however large the message is.
import { textOf } from '#core/item.ts'
import type { UserId } from '#core/ids.ts'
import { isReached } from './reachable.ts'
import { messageIn } from './read-said.ts'
import { bodyBytes, wholeBody, wholeItems } from './rows.ts'
import { first, type Job, type Value } from './sql.ts'

/** Larger messages, those with large attachments, have no opening: SQLite reads a whole value to cut it. */
const maxMessageBytes = 64 * 1024
/** Characters of the stored JSON that are read. */
const readChars = 4_000

/** A column of `turns`: the beginning of the JSON of its first item, or of the input while the turn is queued. */
export const openingColumn = `COALESCE(
  (SELECT CASE WHEN ${bodyBytes} <= ${maxMessageBytes} THEN substr(${wholeBody}, 1, ${readChars}) END FROM ${wholeItems}
   WHERE items.thread_id = turns.thread_id AND items.seq = turns.first_seq AND items.turn_id = turns.id),
  CASE WHEN octet_length(turns.input) <= ${maxMessageBytes} THEN substr(turns.input, 1, ${readChars}) END) AS opening`

const userMessage = /^(?:\[\{"id":"[^"\\]*","item":)?\{"type":"message","role":"user"/

/** The text in this column; undefined if the turn does not begin with a user's message, or the message is too large. */
export function openingIn(column: Value | undefined): string | undefined {
  const beginning = String(column)
  if (!userMessage.test(beginning)) return undefined
  const message = messageIn(beginning)
  return message.type === 'message' ? textOf(message) : undefined
}

export function* readOpening(user: UserId, turnId: string): Job<string | undefined> {
  const row = yield* first(`SELECT ${openingColumn} FROM turns WHERE id = ? AND ${isReached}`, turnId, user, user)
  return openingIn(row?.['opening'])
}
