// Rows of long items: read in a thread and parsed in pieces, so that the event loop goes on meanwhile.
import type { Item } from '#core/item.ts'
import { parseInPieces } from '#lib/json-pieces.ts'
import { inPace, nextTurn, pace } from '#lib/pace.ts'
import type { Job, Row, Sql } from './sql.ts'

/** Rows with more in total are read by themselves, with `readApart`. */
export const minLongBytes = 512 * 1024
/** Rows with more are read in a thread: SQLite takes up to a millisecond for each megabyte. */
const minThreadBytes = 2 * 1024 * 1024
/** Items from this size on are parsed in pieces. */
const minPiecesChars = 256 * 1024

/** Reads rows that have `bytes` in total. `of` names whose they are: those of one are read one after another. */
export async function readApart<T>(
  sql: Sql,
  job: () => Job<T>,
  { of, bytes }: { readonly of: string; readonly bytes: number },
): Promise<T> {
  await nextTurn()
  if (bytes < minThreadBytes) return sql.read(job)
  // Without a thread, for example because the files of the program were replaced.
  return sql.readLong(of, job).catch(() => sql.read(job))
}

/** Converts rows of items with pauses for the event loop. `convert` gets the items that were parsed in pieces. */
export async function convertInPace<T>(rows: readonly Row[], convert: (row: Row, item?: Item) => T): Promise<T[]> {
  const made: T[] = []
  for (const row of rows) {
    const body = row['body']
    const isLong = typeof body === 'string' && body.length >= minPiecesChars
    made.push(isLong ? convert(row, await parseLong(body)) : convert(row))
    await pace()
  }
  return made
}

async function parseLong(body: string): Promise<Item> {
  await nextTurn()
  const bytes = Buffer.from(body)
  await nextTurn()
  return (await inPace(parseInPieces(bytes))) as Item
}
