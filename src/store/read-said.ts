// The text of a message that can be found, read without its large attachments.
import type { Item, Part } from '#core/item.ts'
import { mayHoldOldFence, readOldFences } from '#core/origins.ts'
import { saidIn } from '#core/thread-index.ts'
import { bodyBytes, itemOf, wholeBody, wholeItems } from './rows.ts'
import { first, type Job, query, type Row } from './sql.ts'

/** A larger message is read up to here: the texts at its beginning are found, those after an attachment are not. */
const maxSaidBytes = 256 * 1024
/** A message of at most this size is read with its size; a larger one alone, once its size is known to fit. */
const maxSmallBytes = 4 * 1024

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
  return { text: saidOf(row, whole), bytes }
}

type SaidRange = {
  readonly after: number
  readonly upTo: number
  readonly maxMessages: number
  readonly maxBytes: number
}

/**
 * The messages between two seqs, and the seq up to which they were read: at least one message, else within the bounds.
 * `bytes` is the size of the whole rows, attachments included: the database reads these.
 */
export function* readSaidIn(
  threadId: string,
  { after, upTo, maxMessages, maxBytes }: SaidRange,
): Job<{ messages: { seq: number; text: string }[]; through: number; bytes: number }> {
  // An item that shares its body begins with the beginning of that. A long body is not read for its type: the database
  // would read all of it.
  const messages = `FROM ${wholeItems}
     WHERE thread_id = ? AND seq BETWEEN ? AND ?
       AND (octet_length(items.body) > ${maxSaidBytes} OR items.body LIKE '${messageStart}%') ORDER BY seq`
  const small = `CASE WHEN ${bodyBytes} <= ${maxSmallBytes} THEN ${wholeBody} END AS body`
  const rows = yield* query(
    `SELECT seq, ${bodyBytes} AS bytes, ${small} ${messages} LIMIT ?`,
    threadId,
    after + 1,
    upTo,
    maxMessages + 1,
  )
  const said: { seq: number; text: string }[] = []
  let read = 0
  let bytes = 0
  for (const [at, row] of rows.entries()) {
    const [seq, size] = [Number(row['seq']), Number(row['bytes'])]
    read += Math.min(size, maxSaidBytes)
    if (at === maxMessages || (at > 0 && read > maxBytes)) return { messages: said, through: seq - 1, bytes }
    const text = row['body'] === null ? (yield* readSaid(threadId, seq)).text : saidOf(row, size)
    if (text !== '') said.push({ seq, text })
    bytes += size
  }
  return { messages: said, through: upTo, bytes }
}

/** The text of a message whose body has so many bytes, of which at most `maxSaidBytes` were read. */
function saidOf(row: Row, bytes: number): string {
  const item = bytes > maxSaidBytes ? messageAt(String(row['body'])) : itemOf(row)
  return item?.type === 'message' ? saidIn(item) : ''
}

const messageStart = '{"type":"message",'
/** A text of a message's content. The last one may be cut anywhere. */
const textPart =
  /\{"type":"text","text":"([^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*)(?:"(?:,"\w+":(?:true|"[^"\\]*"))*\},?)?/gy
const contentStart = '"content":['

/** Undefined for another item. */
function messageAt(beginning: string): Item | undefined {
  return beginning.startsWith(messageStart) ? messageIn(beginning) : undefined
}

/** The texts at the beginning of a message, up to its first attachment or the end of what was read. */
export function messageIn(beginning: string): Item {
  const role = beginning.startsWith('{"type":"message","role":"assistant"') ? 'assistant' : 'user'
  const parts = beginning.slice(beginning.indexOf(contentStart) + contentStart.length).matchAll(textPart)
  const content = [...parts].map(([, text = '']): Part => ({ type: 'text', text: JSON.parse(`"${text}"`) as string }))
  const message: Item = { type: 'message', role, content }
  return mayHoldOldFence(beginning) ? readOldFences(message) : message
}
