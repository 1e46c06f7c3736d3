// Telling other processes that settings or tools have changed, in the transaction that changes them.
import type { Message } from './bus-message.ts'
import { type Job, run, type Sql } from './sql.ts'

const changed = JSON.stringify({ type: 'signal', signal: { type: 'settings' } } satisfies Message)

/** Other processes follow at once; on SQLite there are none, and the command that changed something tells the service. */
export function* tellChange({ backend }: Sql): Job<void> {
  if (backend === 'postgres') yield* run(`SELECT pg_notify('atrium', ?)`, changed)
}
