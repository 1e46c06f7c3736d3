// The text of a message that can be found, read without its large attachments.
import type { Item, Part } from '#core/item.ts'
import { mayHoldOldFence, readOldFences } from '#core/origins.ts'
import { saidIn } from '#core/thread-index.ts'
import { bodyBytes, itemOf, wholeBody, wholeItems } from './rows.ts'
import { first, type Job } from './sql.ts'

/** A larger message is read up to here: the texts at its beginning are found, those behind an attachment are not. */
export const maxSaidBytes = 256 * 1024

/** The text and how many bytes were read for it. Empty if that would be more than `maxBytes`. */
export function* readSaid(
  threadId: string,
  seq: number,
  maxBytes = maxSaidBytes,
): Job<{ text: string; bytes: number }> {
  const sized = `SELECT ${bodyBytes} AS bytes FROM ${wholeItems} WHERE thread_id = ? AND seq = ?`
  const whole = Number((yield* first(sized, threadId, seq))?.['bytes'] ?? 0)
  const bytes = Math.min(whole, maxSaidBytes)
  if (bytes > maxBytes) return { text: '', bytes: 0 }
  const read = `SELECT substr(${wholeBody}, 1, ${maxSaidBytes}) AS body FROM ${wholeItems} WHERE thread_id = ? AND seq = ?`
  const row = yield* first(read, threadId, seq)
  if (!row) return { text: '', bytes: 0 }
  const item = whole > maxSaidBytes ? messageIn(String(row['body'])) : itemOf(row)
  return { text: item.type === 'message' ? saidIn(item) : '', bytes }
}

/** A text of a message's content. The last one may be cut anywhere. */
const textPart =
  /\{"type":"text","text":"([^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*)(?:"(?:,"\w+":(?:true|"[^"\\]*"))*\},?)?/gy
const contentStart = '"content":['

/** The texts at the beginning of a message, up to its first attachment or the end of what was read. */
export function messageIn(beginning: string): Item {
  const role = beginning.startsWith('{"type":"message","role":"assistant"') ? 'assistant' : 'user'
  const parts = beginning.slice(beginning.indexOf(contentStart) + contentStart.length).matchAll(textPart)
  const content = [...parts].map(([, text = '']): Part => ({ type: 'text', text: JSON.parse(`"${text}"`) as string }))
  const message: Item = { type: 'message', role, content }
  return mayHoldOldFence(beginning) ? readOldFences(message) : message
}
