// Notifies other processes of changed settings, tools, grants and the like, in the transaction that changes them.
import type { Signal } from '#core/bus.ts'
import type { Message } from './bus-message.ts'
import { type Job, run, type Sql } from './sql.ts'

/** Other processes reload at once. On SQLite there are none; a command that changed something notifies the service itself. */
export function* notify({ backend }: Pick<Sql, 'backend'>, signal: Signal): Job<void> {
  if (backend === 'sqlite') return
  yield* run(`SELECT pg_notify('atrium', ?)`, JSON.stringify({ type: 'signal', signal } satisfies Message))
}
