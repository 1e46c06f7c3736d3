// The index over chunks of documents: their rows, and their terms in the full-text index (`term-index.ts`).
import type { Candidates, Chunk, FoundChunk } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { inList, type Job, query, type Row, run, type Sql } from './sql.ts'
import { bestChunks, type IndexTables, type IndexTotals, saveTerms, termVector } from './term-index.ts'

export const documentIndex: IndexTables = { chunks: 'chunks', terms: 'chunk_terms' }

type NewChunk = { readonly path: string; readonly at: number; readonly chunk: Chunk }
export type IndexOwner = IndexTotals & { readonly user: UserId }

export function* saveChunk(sql: Sql, { user, number }: IndexOwner, { path, at, chunk }: NewChunk): Job<void> {
  const { text, lap, terms } = chunk
  const values = [user, path, at, lap, terms.body.length, text] as const
  if (sql.backend === 'postgres') {
    const insert =
      'INSERT INTO chunks (user_id, path, at, lap, size, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?::tsvector)'
    yield* run(insert, ...values, termVector(number, terms))
    return
  }
  const insert = 'INSERT INTO chunks (user_id, path, at, lap, size, text) VALUES (?, ?, ?, ?, ?, ?)'
  yield* run(insert, ...values)
  yield* saveTerms(documentIndex, number, terms)
}

/** Removes the chunks of documents, all in one statement: on SQLite each would write the index anew. */
export function* eraseChunks(sql: Sql, user: UserId, paths: readonly string[]): Job<void> {
  const [ofThem, list] = [`user_id = ? AND path ${inList[sql.backend]}`, JSON.stringify(paths)]
  if (sql.backend === 'sqlite') {
    yield* run(`DELETE FROM chunk_terms WHERE rowid IN (SELECT id FROM chunks WHERE ${ofThem})`, user, list)
  }
  yield* run(`DELETE FROM chunks WHERE ${ofThem}`, user, list)
}

export function* findChunks(sql: Sql, owner: IndexOwner, candidates: Candidates): Job<FoundChunk[]> {
  const { statement, values } = bestChunks(sql, documentIndex, owner, candidates)
  // `|| ''` keeps the planner from an index on user_id: the join must start from the few best rows, not from all of the user's.
  const rows = yield* query(
    `SELECT c.path, c.at, c.text, d.untrusted, d.updated_at FROM (${statement}) AS best
     JOIN chunks c ON c.id = best.id AND c.user_id || '' = ?
     JOIN documents d ON d.user_id = c.user_id AND d.path = c.path ORDER BY best.score DESC, c.id DESC`,
    ...values,
    owner.user,
  )
  return rows.map(foundOf)
}

export function foundOf(row: Row): FoundChunk {
  return {
    path: String(row['path']),
    at: Number(row['at']),
    text: String(row['text']),
    untrusted: Number(row['untrusted']) === 1,
    updatedAt: Number(row['updated_at']),
  }
}
