// Identities of users at an OIDC issuer, and sign-ins in progress.
import { newId } from '#core/ids.ts'
import type { Identity, IdentityStore, User } from '#core/account.ts'
import { maxUserNameChars } from '#core/page-limits.ts'
import { userOf } from './account-store.ts'
import { first, type Job, run, type Sql } from './sql.ts'

/** First digits of a hashed state that are its slot. The 65,536 slots bound the table; a collision replaces a sign-in. */
const slotDigits = 4
const tailLength = 8

export function createIdentityStore({ sql, now }: { sql: Sql; now: () => number }): IdentityStore {
  return {
    find: (identity) => sql.read(() => findUser(identity)),
    has: (user) =>
      sql.read(function* () {
        return (yield* first('SELECT 1 AS one FROM identities WHERE user_id = ? LIMIT 1', user)) !== undefined
      }),
    enrol: (identity, names) =>
      sql.write(function* () {
        const known = yield* findUser(identity)
        if (known) return known
        const user = yield* addUser(names, now())
        const { issuer, subject } = identity
        const added = yield* first(
          `INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (issuer, subject) DO NOTHING RETURNING user_id`,
          issuer,
          subject,
          user.id,
          now(),
        )
        if (added) return user
        // Another process has added the identity.
        yield* run('DELETE FROM users WHERE id = ?', user.id)
        return (yield* findUser(identity)) ?? user
      }),
    begin: ({ state, browser, endsAt }) =>
      sql.write(function* () {
        yield* run('DELETE FROM sign_ins WHERE ends_at <= ?', now())
        yield* run(
          `INSERT INTO sign_ins (slot, state, browser, ends_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (slot) DO UPDATE SET state = excluded.state, browser = excluded.browser, ends_at = excluded.ends_at`,
          slotOf(state),
          state,
          browser,
          endsAt,
        )
      }),
    take: (state) =>
      sql.write(function* () {
        const row = yield* first(
          'DELETE FROM sign_ins WHERE slot = ? AND state = ? RETURNING browser, ends_at',
          slotOf(state),
          state,
        )
        return row && Number(row['ends_at']) > now() ? { browser: String(row['browser']) } : undefined
      }),
  }
}

function slotOf(state: string): string {
  return state.slice(0, slotDigits)
}

function* findUser({ issuer, subject }: Identity): Job<User | undefined> {
  const row = yield* first(
    'SELECT u.* FROM identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = ? AND i.subject = ?',
    issuer,
    subject,
  )
  return row && userOf(row)
}

/** Adds a user under the first free name. An existing account is never taken over by its name. */
function* addUser(names: readonly string[], at: number): Job<User> {
  const id = newId()
  const tail = id.slice(-tailLength)
  const last = `${(names[0] ?? 'somebody').slice(0, maxUserNameChars - tailLength - 1)} ${tail}`
  for (const name of [...names, last]) {
    const row = yield* first(
      'INSERT INTO users (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING *',
      id,
      name,
      at,
    )
    if (row) return userOf(row)
  }
  throw new Error('no free name for a new user')
}
