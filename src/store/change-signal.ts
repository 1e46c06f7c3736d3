// Notifies other processes of changed settings, tools, grants and the like, in the transaction that changes them.
import type { Signal } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Message } from './bus-message.ts'
import { type Job, run, type Sql } from './sql.ts'

/** Other processes reload at once. On SQLite there are none; a command that changed something notifies the service itself. */
export function* notifySettings({ backend }: Sql): Job<void> {
  yield* notify(backend, { type: 'settings' })
}

/** The same for the documents in a user's system prompt. */
export function* notifyIdentity({ backend }: Sql, user: UserId): Job<void> {
  yield* notify(backend, { type: 'identity', user })
}

/** The same for a user's grants. */
export function* notifyGrants({ backend }: Pick<Sql, 'backend'>, user: UserId): Job<void> {
  yield* notify(backend, { type: 'grants', user })
}

/** The same for a user's skills, and what the user has switched off. */
export function* notifySkills({ backend }: Sql, user: UserId): Job<void> {
  yield* notify(backend, { type: 'skills', user })
}

/** The same for the schedules of missions. */
export function* notifyMissions({ backend }: Pick<Sql, 'backend'>): Job<void> {
  yield* notify(backend, { type: 'missions' })
}

/** The same for the accounts of chat channels. */
export function* notifyChannels({ backend }: Pick<Sql, 'backend'>): Job<void> {
  yield* notify(backend, { type: 'channels' })
}

/** The same for ways of notification and quiet hours. */
export function* notifyWays({ backend }: Pick<Sql, 'backend'>): Job<void> {
  yield* notify(backend, { type: 'notifications', what: 'ways' })
}

/** The same for a user's secrets: leak scans look for their values. */
export function* notifySecrets({ backend }: Sql, owner: UserId): Job<void> {
  yield* notify(backend, { type: 'secrets', owner })
}

function* notify(backend: Sql['backend'], signal: Signal): Job<void> {
  if (backend === 'sqlite') return
  yield* run(`SELECT pg_notify('atrium', ?)`, JSON.stringify({ type: 'signal', signal } satisfies Message))
}
