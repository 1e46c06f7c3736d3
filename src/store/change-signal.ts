// Telling other processes that settings or tools have changed, in the transaction that changes them.
import type { Signal } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Message } from './bus-message.ts'
import { type Job, run, type Sql } from './sql.ts'

/** Other processes follow at once; on SQLite there are none, and the command that changed something tells the service. */
export function* tellChange({ backend }: Sql): Job<void> {
  yield* tell(backend, { type: 'settings' })
}

/** The same for the documents that stand in a user's system prompt. */
export function* tellIdentity({ backend }: Sql, user: UserId): Job<void> {
  yield* tell(backend, { type: 'identity', user })
}

/** The same for what a user has allowed beyond one call. */
export function* tellGrants({ backend }: Pick<Sql, 'backend'>, user: UserId): Job<void> {
  yield* tell(backend, { type: 'grants', user })
}

/** The same for what somebody keeps sealed: which texts may not go out of their turns. */
export function* tellSecrets({ backend }: Sql, owner: UserId): Job<void> {
  yield* tell(backend, { type: 'secrets', owner })
}

function* tell(backend: Sql['backend'], signal: Signal): Job<void> {
  if (backend === 'sqlite') return
  yield* run(`SELECT pg_notify('atrium', ?)`, JSON.stringify({ type: 'signal', signal } satisfies Message))
}
