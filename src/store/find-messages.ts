// Finds chunks of threads in the full-text index, and reads their texts from the items.
import type { Candidates } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { type FoundMessage, saidIn } from '#core/thread-index.ts'
import { readItemRow } from './item-headers.ts'
import { isListed, isReached } from './reachable.ts'
import { bodyBytes, itemOf, wholeItems } from './rows.ts'
import { first, type Job, query, type Sql } from './sql.ts'
import { bestChunks, type IndexTables, type IndexTotals, withIndex } from './term-index.ts'

/** Bound on the total size of items that one search reads. */
const maxFoundBytes = 8 * 1024 * 1024

type Search = {
  readonly user: UserId
  readonly tables: IndexTables
  readonly totals: IndexTotals
  readonly candidates: Candidates
}

export function* findMessages(sql: Sql, { user, tables, totals, candidates }: Search): Job<FoundMessage[]> {
  const { statement, values } = bestChunks(sql, tables, totals, candidates)
  const rows = yield* withIndex(
    sql,
    query(
      `SELECT c.id, c.thread_id, c.seq, c.start, c.chars, t.title, t.updated_at FROM (${statement}) AS best
       JOIN ${tables.chunks} c ON c.id = best.id
       JOIN threads t ON t.id = c.thread_id AND ${isReached} AND ${isListed} ORDER BY best.score DESC, c.id DESC`,
      ...values,
      user,
      user,
    ),
  )
  const found: FoundMessage[] = []
  const texts = new Map<string, string>()
  let bytesLeft = maxFoundBytes
  for (const row of rows) {
    const [threadId, seq, start] = [String(row['thread_id']), Number(row['seq']), Number(row['start'])]
    const key = `${threadId} ${seq}`
    let text = seq === 0 ? String(row['title']) : texts.get(key)
    if (text === undefined) {
      const read = yield* readSaid(threadId, seq, bytesLeft)
      bytesLeft -= read.bytes
      text = read.text
      texts.set(key, text)
    }
    found.push({
      path: threadId,
      at: Number(row['id']),
      seq,
      text: text.slice(start, start + Number(row['chars'])),
      untrusted: false,
      updatedAt: Number(row['updated_at']),
    })
  }
  return found
}

/** The text of a message; empty if it is larger than what may still be read. */
function* readSaid(threadId: string, seq: number, maxBytes: number): Job<{ text: string; bytes: number }> {
  const size = yield* first(
    `SELECT ${bodyBytes} AS bytes FROM ${wholeItems} WHERE thread_id = ? AND seq = ?`,
    threadId,
    seq,
  )
  const bytes = Number(size?.['bytes'] ?? 0)
  const row = bytes <= maxBytes ? yield* readItemRow(threadId, seq) : undefined
  const item = row && itemOf(row)
  return item?.type === 'message' ? { text: saidIn(item), bytes } : { text: '', bytes: 0 }
}
