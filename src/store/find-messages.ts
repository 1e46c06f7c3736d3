// Finds chunks of threads in the full-text index, and reads their texts from the items.
import type { Candidates } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import type { FoundMessage, SearchReading } from '#core/thread-index.ts'
import { isListed, isReached } from './reachable.ts'
import { readSaid } from './read-said.ts'
import { type Job, query, type Row, type Sql } from './sql.ts'
import { bestChunks, type IndexTables, type IndexTotals, withIndex } from './term-index.ts'
import { hiddenValue } from './thread-variants.ts'

/** Chunks that are looked at beyond the limit: variants of a conversation have the same messages. */
const maxVariantChunks = 200

type Search = {
  readonly user: UserId
  readonly tables: IndexTables
  readonly totals: IndexTotals
  readonly candidates: Candidates
  readonly reading: SearchReading
}

export function* findMessages(sql: Sql, { user, tables, totals, candidates, reading }: Search): Job<FoundMessage[]> {
  const { limit } = candidates
  const { statement, values } = bestChunks(sql, tables, totals, { ...candidates, limit: limit + maxVariantChunks })
  const rows = yield* withIndex(
    sql,
    query(
      `SELECT c.id, c.thread_id, c.seq, c.start, c.chars, t.title, t.updated_at, t.family, t.archived
       FROM (${statement}) AS best
       JOIN ${tables.chunks} c ON c.id = best.id
       JOIN threads t ON t.id = c.thread_id AND ${isReached} AND ${isListed} ORDER BY best.score DESC, c.id DESC`,
      ...values,
      user,
      user,
    ),
  )
  const found: FoundMessage[] = []
  for (const row of oneVariantEach(rows).slice(0, limit)) {
    const [threadId, seq, start] = [String(row['thread_id']), Number(row['seq']), Number(row['start'])]
    const key = `${threadId} ${seq}`
    let text = seq === 0 ? String(row['title']) : reading.texts.get(key)
    if (text === undefined) {
      const read = yield* readSaid(threadId, seq, reading.bytesLeft)
      reading.bytesLeft -= read.bytes
      text = read.text
      reading.texts.set(key, text)
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

/** Of the chunks at one place of a conversation the best; that of the variant that lists show, if it is among them. */
function oneVariantEach(rows: readonly Row[]): Row[] {
  const best = new Map<string, Row>()
  for (const row of rows) {
    const key = [row['family'] ?? row['thread_id'], row['seq'], row['start']].join(' ')
    if (!best.has(key) || Number(row['archived']) !== hiddenValue) best.set(key, row)
  }
  return [...best.values()]
}
