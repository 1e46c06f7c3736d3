// Reads the end of a run straight from the database, SQLite or PostgreSQL.
import { openPostgres } from '#store/postgres.ts'
import { entryColumns, recordedEntryOf, turnOf, turnColumns, wholeItems } from '#store/rows.ts'
import { query, type Sql } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'
import type { Stored } from './history.ts'

/** Where a run is stored: the file of SQLite or the address of PostgreSQL. */
export type Place = { readonly path: string } | { readonly url: string }

export function openPlace(place: Place): Sql {
  return 'url' in place ? openPostgres(place.url) : openSqlite(place.path)
}

/** A queued turn may stay: behind one that waits for a person. */
export async function countRunnable(sql: Sql): Promise<number> {
  const [row] = await sql.read(() =>
    query(
      `SELECT count(*) AS n FROM turns t WHERE status = 'running' OR (status = 'queued' AND NOT EXISTS
         (SELECT 1 FROM turns w WHERE w.thread_id = t.thread_id AND w.status = 'waiting'))`,
    ),
  )
  return Number(row?.['n'])
}

export async function readStored(sql: Sql): Promise<Stored> {
  const [threads, items, turns, usage] = await Promise.all([
    sql.read(() => query('SELECT id, user_id, last_seq FROM threads')),
    sql.read(() => query(`SELECT thread_id, ${entryColumns} FROM ${wholeItems} ORDER BY thread_id, seq`)),
    sql.read(() => query(`SELECT ${turnColumns}, reserved_usd, hash FROM turns ORDER BY id`)),
    sql.read(() => query('SELECT user_id, sum(cost_usd) AS cost_usd FROM usage GROUP BY user_id')),
  ])
  const byThread = Map.groupBy(items, (row) => String(row['thread_id']))
  return {
    threads: threads.map((row) => ({
      id: String(row['id']),
      userId: String(row['user_id']),
      lastSeq: Number(row['last_seq']),
      entries: (byThread.get(String(row['id'])) ?? []).map((row) => recordedEntryOf(row)),
    })),
    turns: turns.map((row) => {
      const { id, threadId, userId, status, usage: used } = turnOf(row)
      const amount = (value: unknown): number | null => (value === null ? null : Number(value))
      const hash = row['hash'] === null ? null : String(row['hash'])
      return {
        turnId: id,
        threadId,
        userId,
        status,
        costUsd: used.costUsd,
        reservedUsd: amount(row['reserved_usd']),
        hash,
      }
    }),
    spent: new Map(usage.map((row) => [String(row['user_id']), Number(row['cost_usd'])])),
  }
}
