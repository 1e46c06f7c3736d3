// Pages of lists in the order of a sortable key, newest first.
import type { Page } from '#core/page.ts'
import type { Row } from './sql.ts'

/** Sorts after every id: the cursor of a list's first page. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The page of a list of which one row more than `limit` was read. The next one begins after the `key` of its last row. */
export function pageOf<T>(rows: readonly Row[], limit: number, convert: (row: Row) => T, key = 'id'): Page<T> {
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { rows: rows.slice(0, limit).map(convert), ...(last && { nextCursor: String(last[key]) }) }
}
