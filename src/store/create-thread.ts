// Threads that begin without a turn: the conversations of API clients, and what is attached to them.
import type { UserId } from '#core/ids.ts'
import type { NewThread, ThreadMetadata } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import { type Bodies, insert } from './append-items.ts'
import { isReached, reachValue } from './reachable.ts'
import { entriesOf } from './rows.ts'
import { changes, type Job, run } from './sql.ts'
import { bytesOfRows, checkRoom } from './storage-quota.ts'

type CreateParts = {
  readonly id: string
  readonly now: number
  /** The texts of the items. */
  readonly bodies: Bodies
  /** The storage quota of a user; 0 means none. */
  readonly maxUserBytes: number
}

export function* createThread(user: UserId, thread: NewThread, parts: CreateParts): Job<Thread> {
  const { id, now, bodies, maxUserBytes } = parts
  const { door, title, metadata, drafts } = thread
  const attached = metadataText(metadata)
  const bytes = bytesOfRows([attached ?? '']) + bodies.bytes
  yield* checkRoom(user, { added: bytes, max: maxUserBytes })
  yield* run(
    `INSERT INTO threads (id, user_id, door, operator_reaches, title, created_at, updated_at, last_seq, last_turn, bytes,
                          metadata)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    user,
    door,
    reachValue(door),
    title,
    now,
    now,
    drafts.length,
    // `last_turn` is the sort key of the list. No turn has this id.
    id,
    bytes,
    attached,
  )
  // The items belong to no turn.
  yield* insert(id, entriesOf(drafts, id, 0, now), bodies.texts)
  return {
    id,
    userId: user,
    door,
    title,
    createdAt: now,
    updatedAt: now,
    lastSeq: drafts.length,
    state: 'idle',
    ...(attached !== null && { metadata }),
  }
}

export function* setMetadata(user: UserId, threadId: string, metadata: ThreadMetadata): Job<boolean> {
  const attached = metadataText(metadata)
  const changed = yield* changes(
    `UPDATE threads SET bytes = bytes + ? - COALESCE(octet_length(metadata), 0), metadata = ?
     WHERE id = ? AND ${isReached}`,
    Buffer.byteLength(attached ?? ''),
    attached,
    threadId,
    user,
    user,
  )
  return changed > 0
}

/** Null for none. */
function metadataText(metadata: ThreadMetadata): string | null {
  return Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null
}
