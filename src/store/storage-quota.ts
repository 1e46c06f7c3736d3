// How much each user stores, and the quota. Threads, shared bodies and documents have their bytes in a column; triggers add
// them up for each user, in the same transactions.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { StorageStore } from '#core/store.ts'
import type { TurnOptions } from '#core/turn.ts'
import { sizeWords } from '#core/words.ts'
import { first, type Job, type Sql } from './sql.ts'

/** Counted for each turn and each item beside its texts: the row, and its places in the indexes. */
export const rowBytes = 500

/** Counted for the text of an item. Of a shared body the item keeps the beginning, which counts with the body. */
export const ownBytes = 'CASE WHEN items.shared IS NULL THEN octet_length(items.body) ELSE 0 END'

/** The bytes that a user stores, as a part of a statement. It sums at most sixteen rows. */
export const storedBytes = '(SELECT COALESCE(sum(bytes), 0) FROM storage WHERE user_id = ?)'

/** `maxUserBytes` 0 means no quota. */
export function createStorageStore({ sql, maxUserBytes }: { sql: Sql; maxUserBytes: number }): StorageStore {
  return {
    used: (user) =>
      sql.read(function* () {
        return { bytes: yield* readStored(user), ...(maxUserBytes > 0 && { maxBytes: maxUserBytes }) }
      }),
  }
}

export function* readStored(user: UserId): Job<number> {
  return Number((yield* first(`SELECT ${storedBytes} AS stored`, user))?.['stored'])
}

/** `max` 0 means no quota. */
export type Quota = { readonly stored: number; readonly added: number; readonly max: number }

/** Throws storage_full if the user cannot store so many more bytes. */
export function checkQuota({ stored, added, max }: Quota): void {
  if (max === 0 || added <= 0 || stored + added <= max) return
  const message = `${sizeWords(stored)} of ${sizeWords(max)} are stored, and ${sizeWords(added)} more do not fit: delete threads or documents, or raise STORAGE_PER_USER_MB`
  throw new AppError('storage_full', message)
}

/** The same, by what the user stores now. */
export function* checkRoom(user: UserId, { added, max }: Omit<Quota, 'stored'>): Job<void> {
  if (max > 0) checkQuota({ stored: yield* readStored(user), added, max })
}

/** Bytes of a waiting input for each of its items, and for the list. `inputText` makes them, with ids of 36 characters. */
const waitingItemBytes = 54
const waitingListBytes = 1

/** The bytes of an input that waits: what its items will count in the log. `length` is that of its text. */
export function bytesOfWaiting(length: number, { inputs = 1 }: Pick<TurnOptions, 'inputs'>): number {
  return length - waitingListBytes + inputs * (rowBytes - waitingItemBytes)
}

/** The bytes of texts that are stored as rows of their own. */
export function bytesOfRows(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + rowBytes, 0)
}
