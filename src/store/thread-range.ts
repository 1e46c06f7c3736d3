// Reads a range of a thread, bounded in rows and bytes. The sizes are queried before the items.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Draft, Entry, Item } from '#core/item.ts'
import type { Entries, ItemRef, QueuedEntry, EntryRange } from '#core/thread-store.ts'
import { isReached } from './reachable.ts'
import { readItemRow } from './item-headers.ts'
import { maxShortInput, readLongInput } from './long-input.ts'
import { convertInPace, minLongBytes, readApart } from './long-rows.ts'
import { bodyBytes, entryColumns, entryOf, inputIn, recordedEntryOf, wholeItems } from './rows.ts'
import { first, type Job, query, type Row, type Sql } from './sql.ts'
import { isQueued } from './turn-status.ts'

/** Default bound of one read in bytes. A larger item is returned alone. */
const defaultMaxBytes = 8 * 1024 * 1024
/** Bound on the total size of items that are looked up by id. */
const maxFoundBytes = 32 * 1024 * 1024

/** A range that is known, with its rows still to be read. */
export type PlannedRange = {
  readonly threadId: string
  readonly after: number
  readonly last: number
  readonly more: boolean
  readonly bytes: number
}

/** How far a range reaches within its bounds. */
export function* planRange(threadId: string, range: EntryRange): Job<PlannedRange> {
  const { after, upTo, limit, maxBytes = defaultMaxBytes } = range
  const end = upTo ?? Number.MAX_SAFE_INTEGER
  const sizes = yield* query(
    `SELECT seq, ${bodyBytes} AS bytes FROM ${wholeItems}
     WHERE thread_id = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?`,
    threadId,
    after + 1,
    end,
    limit + 1,
  )
  let last = after
  let bytes = 0
  let count = 0
  for (const row of sizes.slice(0, limit)) {
    const size = Number(row['bytes'])
    if (count > 0 && bytes + size > maxBytes) break
    bytes += size
    last = Number(row['seq'])
    count++
  }
  return { threadId, after, last, more: count > 0 && count < sizes.length, bytes }
}

/** The rows of a range, with these columns. */
export function* readPlanned({ threadId, after, last }: PlannedRange, columns = entryColumns): Job<Row[]> {
  if (last === after) return []
  return yield* query(
    `SELECT ${columns} FROM ${wholeItems} WHERE thread_id = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
    threadId,
    after + 1,
    last,
  )
}

export function* readRange(threadId: string, range: EntryRange): Job<Entries> {
  const planned = yield* planRange(threadId, range)
  const rows = yield* readPlanned(planned)
  return { entries: rows.map((row) => (range.recorded ? recordedEntryOf(row) : entryOf(row))), more: planned.more }
}

type Converted<T> = { readonly after: number; readonly values: T[]; readonly more: boolean }

/** The rows of a range, each converted. A long one leaves the event loop to others. */
export async function readRangeApart<T>(
  sql: Sql,
  plan: () => Job<PlannedRange | undefined>,
  convert: (row: Row, item?: Item) => T,
  columns = entryColumns,
): Promise<Converted<T>> {
  const found = await sql.read(function* () {
    const planned = yield* plan()
    return planned && { planned, ...(planned.bytes < minLongBytes && { rows: yield* readPlanned(planned, columns) }) }
  })
  if (!found) return { after: 0, values: [], more: false }
  const { planned, rows } = found
  const { threadId: of, after, more, bytes } = planned
  if (rows) return { after, values: rows.map((row) => convert(row)), more }
  const long = await readApart(sql, () => readPlanned(planned, columns), { of, bytes })
  return { after, values: await convertInPace(long, convert), more }
}

type QueuedInput = { readonly turnId: string; readonly at: number; readonly drafts: readonly Draft[] | undefined }

/** The inputs of a thread's queued turns, within bounds. Of a long one `drafts` are undefined. */
export function* readQueued(
  user: UserId,
  threadId: string,
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
): Job<QueuedInput[]> {
  const turns = yield* query(
    `SELECT id, created_at, octet_length(input) AS bytes FROM turns
     WHERE thread_id = ? AND ${isQueued} AND ${isReached} AND input IS NOT NULL ORDER BY id LIMIT ?`,
    threadId,
    user,
    user,
    limit,
  )
  const found: QueuedInput[] = []
  let bytes = 0
  for (const { id = '', created_at: at, bytes: size } of turns) {
    bytes += Number(size)
    if (found.length > 0 && bytes > maxBytes) break
    const isLong = Number(size) > maxShortInput
    const row = isLong ? undefined : yield* first('SELECT input FROM turns WHERE id = ?', id)
    found.push({ turnId: String(id), at: Number(at), drafts: isLong ? undefined : inputIn(row?.['input']) })
  }
  return found
}

/** The same as entries. Long inputs leave the event loop to others. */
export async function readQueuedApart(
  sql: Sql,
  ...[user, threadId, bounds]: Parameters<typeof readQueued>
): Promise<QueuedEntry[]> {
  const entries: QueuedEntry[] = []
  for (const { turnId, at, drafts } of await sql.read(() => readQueued(user, threadId, bounds))) {
    const input = drafts ?? (await readLongInput(sql, turnId))?.drafts ?? []
    entries.push(...input.map((draft) => ({ ...draft, turnId, at })))
  }
  return entries
}

export function* findItems(user: UserId, refs: readonly ItemRef[]): Job<Entry[]> {
  const found: Entry[] = []
  let bytes = 0
  for (const { threadId, itemId } of refs) {
    const ref = [threadId, itemId, user]
    // The index of ids, `items_by_id`, leaves out the first items of each thread.
    const row = (yield* first(itemById('seq > 32'), ...ref)) ?? (yield* first(itemById('seq <= 32'), ...ref))
    if (!row) continue
    bytes += Number(row['bytes'])
    if (bytes > maxFoundBytes) {
      throw new AppError(
        'too_large',
        `the referenced items have more than ${maxFoundBytes} bytes together: reference fewer`,
        { param: 'input' },
      )
    }
    const item = yield* readItemRow(threadId, Number(row['seq']))
    if (item) found.push(entryOf(item))
  }
  return found
}

function itemById(range: string): string {
  return `SELECT seq, ${bodyBytes} AS bytes FROM ${wholeItems} WHERE thread_id = ? AND items.id = ? AND ${range}
    AND EXISTS (SELECT 1 FROM threads WHERE threads.id = items.thread_id AND user_id = ?)`
}
