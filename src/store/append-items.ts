// Appends items to a thread, inside a transaction.
import { AppError } from '#core/errors.ts'
import type { Draft, Entry } from '#core/item.ts'
import { entriesOf } from './rows.ts'
import { first, type Job, run } from './sql.ts'

type Target = { readonly threadId: string; readonly turnId: string; readonly at: number }

/** Writes drafts after the thread's last item and sets its open call. The thread row is the lock that keeps seq gap-free. */
export function* append(target: Target, drafts: readonly Draft[], openCall: string | null): Job<Entry[]> {
  const row = yield* first(
    `UPDATE threads SET last_seq = last_seq + ?, updated_at = ?, open_call = ?, summarised = COALESCE(?, summarised)
     WHERE id = ? RETURNING last_seq`,
    drafts.length,
    target.at,
    openCall,
    summarisedIn(drafts),
    target.threadId,
  )
  if (!row) throw new AppError('lease_lost', `thread ${target.threadId} is gone`)
  const entries = entriesOf(drafts, target.turnId, Number(row['last_seq']) - drafts.length, target.at)
  yield* insert(target.threadId, entries)
  return entries
}

/** The seq up to which a summary among the drafts reaches. */
function summarisedIn(drafts: readonly Draft[]): number | null {
  for (const { item } of drafts) if (item.type === 'summary') return item.upTo
  return null
}

/** Writes entries that have their seqs. */
export function* insert(threadId: string, entries: readonly Entry[]): Job<void> {
  for (const { seq, id, turnId, at, item, asked } of entries) {
    yield* run(
      'INSERT INTO items (thread_id, seq, id, turn_id, at, body, asked) VALUES (?, ?, ?, ?, ?, ?, ?)',
      threadId,
      seq,
      id,
      turnId,
      at,
      JSON.stringify(item),
      asked ? JSON.stringify(asked) : null,
    )
  }
}
