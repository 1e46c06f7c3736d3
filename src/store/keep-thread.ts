// A temporary thread is kept once somebody goes on in it without `store: false`, or names, pins or archives it. It and its
// turns are listed and searched from then on, and no longer erased after a day.
import { changes, type Job, run } from './sql.ts'

/** Keeps a thread that the user reaches. Another than a temporary one stays as it is. */
export function* keepThread(threadId: string): Job<void> {
  // Not `= 1`: PostgreSQL would look through the index of all temporary threads.
  const kept = yield* changes('UPDATE threads SET temporary = 0 WHERE id = ? AND temporary <> 0', threadId)
  if (kept === 0) return
  yield* run('UPDATE turns SET temporary = 0 WHERE thread_id = ?', threadId)
  yield* run(
    `INSERT INTO threads_to_index (thread_id, look_at) VALUES (?, 0) ON CONFLICT (thread_id) DO UPDATE SET look_at = 0`,
    threadId,
  )
}
