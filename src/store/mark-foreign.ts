// In a fork of another sender's thread, that sender's words are untrusted: the owner of the fork has not said them.
import { AppError } from '#core/errors.ts'
import type { Item, Part } from '#core/item.ts'
import { senderOrigin } from '#core/origins.ts'
import { itemOf, wholeBody, wholeItems } from './rows.ts'
import { type Job, query, run } from './sql.ts'
import { ownBytes } from './storage-quota.ts'

/** Items that are read at once. The event loop goes on between two pages: each item may have a megabyte. */
const pageItems = 10

/**
 * Marks the messages and summaries of a fork. They get bodies of their own: those of the original thread stay as they are.
 * Returns the bytes that the fork has more. Throws too_large.
 */
export function* markForeign(threadId: string, maxBytes: number): Job<number> {
  let [added, written] = [0, 0]
  for (let after = 0; ; ) {
    const rows = yield* query(
      `SELECT seq, ${ownBytes} AS bytes, ${wholeBody} AS body FROM ${wholeItems}
       WHERE thread_id = ? AND seq > ?
         AND (items.body LIKE '{"type":"message","role":"user",%' OR items.body LIKE '{"type":"summary",%')
       ORDER BY seq LIMIT ${pageItems}`,
      threadId,
      after,
    )
    for (const row of rows) {
      const body = JSON.stringify(marked(itemOf(row)))
      written += Buffer.byteLength(body)
      if (written > maxBytes) throw tooMuch(maxBytes)
      added += Buffer.byteLength(body) - Number(row['bytes'])
      yield* run(
        'UPDATE items SET body = ?, shared = NULL WHERE thread_id = ? AND seq = ?',
        body,
        threadId,
        Number(row['seq']),
      )
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageItems) return added
    after = Number(last['seq'])
  }
}

function marked(item: Item): Item {
  if (item.type === 'message') return { ...item, content: item.content.map(markedPart) }
  return item.type === 'summary' ? { ...item, origin: item.origin ?? senderOrigin } : item
}

function markedPart(part: Part): Part {
  return part.type === 'text' || part.type === 'framing' ? { ...part, origin: part.origin ?? senderOrigin } : part
}

function tooMuch(maxBytes: number): AppError {
  return new AppError('too_large', `the sender's messages have more than ${maxBytes} bytes: start a new thread instead`)
}
