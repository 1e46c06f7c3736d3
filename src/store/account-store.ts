// Users and the hashes of their tokens.
import { AppError } from '#core/errors.ts'
import { newId, type UserId, userId } from '#core/ids.ts'
import type { AccountStore, ListedUser, NewToken, Token, User } from '#core/account.ts'
import { dayMs } from '#core/time.ts'
import { changes, first, type Job, query, type Row, run, type Sql } from './sql.ts'

/** A token's id is this many first digits of its hash. */
const idDigits = 16
const maxListedTokens = 1_000
/** Expired tokens and sessions are kept so long: a clock that was set forward may be set back. */
export const expiredMs = 30 * dayMs
const maxListedRemovals = 1_000
/** The expiry of a token without one, for comparisons. */
const never = Number.MAX_SAFE_INTEGER

export function createAccountStore({ sql, now }: { sql: Sql; now: () => number }): AccountStore {
  return {
    addUser: (name, token) =>
      sql.write(function* () {
        if (yield* first('SELECT id FROM users WHERE name = ?', name)) {
          const message = `a user named ${name} exists already: \`atrium user token NAME\` makes another token`
          throw new AppError('invalid_input', message, { param: 'name' })
        }
        const user: User = { id: userId(newId()), name, createdAt: now() }
        yield* query('INSERT INTO users (id, name, created_at) VALUES (?, ?, ?)', user.id, name, user.createdAt)
        yield* saveToken(user, token, now())
        return user
      }),
    addToken: (name, token) =>
      sql.write(function* () {
        const row = yield* first('SELECT * FROM users WHERE name = ?', name)
        if (!row)
          throw new AppError('not_found', `no user is named ${name}: see \`atrium user list\``, { param: 'name' })
        if (yield* first('SELECT user_id FROM removals WHERE user_id = ?', userOf(row).id))
          throw new AppError(
            'invalid_input',
            `${name} is being removed: add the user anew once \`atrium user list\` no longer has it`,
            { param: 'name' },
          )
        yield* saveToken(userOf(row), token, now())
        return userOf(row)
      }),
    listUsers: () =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT u.*, (SELECT count(*) FROM tokens t WHERE t.user_id = u.id AND (t.expires_at IS NULL OR t.expires_at > ?)) AS tokens,
             (SELECT max(coalesce(t.expires_at, ?)) FROM tokens t WHERE t.user_id = u.id AND (t.expires_at IS NULL OR t.expires_at > ?)) AS ends_at,
             (SELECT max(i.issuer) FROM identities i WHERE i.user_id = u.id) AS issuer,
             (SELECT max(s.seen_at) FROM sessions s WHERE s.user_id = u.id) AS session_at,
             ${lastTurn(0)} AS turn_at, ${lastTurn(1)} AS temporary_turn_at
           FROM users u ORDER BY u.name`,
          now(),
          never,
          now(),
        )
        return rows.map(listedUserOf)
      }),
    listTokens: (name) =>
      sql.read(function* () {
        const row = yield* first('SELECT id FROM users WHERE name = ?', name)
        return row && (yield* tokensOf(String(row['id']), now())).map(({ token }) => token)
      }),
    removeToken: (name, id) =>
      sql.write(function* () {
        const row = yield* first('SELECT * FROM users WHERE name = ?', name)
        const found = row && (yield* tokensOf(String(row['id']), now())).find(({ token }) => token.id === id)
        if (!row || !found) return undefined
        yield* run('DELETE FROM tokens WHERE hash = ?', found.hash)
        return userOf(row)
      }),
    shutOut: (name) =>
      sql.write(function* () {
        const row = yield* first('SELECT * FROM users WHERE name = ?', name)
        if (!row) return undefined
        const user = userOf(row)
        yield* run(
          'INSERT INTO removals (user_id, begun_at) VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING',
          user.id,
          now(),
        )
        yield* removeAccess(user.id)
        return user
      }),
    removeUser: (user) =>
      sql.write(function* () {
        yield* run('DELETE FROM users WHERE id = ?', user)
        yield* removeAccess(user)
        yield* run('DELETE FROM storage WHERE user_id = ?', user)
        for (const table of ['skills', 'skill_files', 'skill_contents', 'skill_switches']) {
          yield* run(`DELETE FROM ${table} WHERE user_id = ?`, user)
        }
        const grants = yield* changes('DELETE FROM grants WHERE user_id = ?', user)
        const secrets = yield* changes('DELETE FROM secrets WHERE user_id = ?', user)
        return { grants, secrets }
      }),
    removals: (after = userId('')) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT user_id, begun_at FROM removals WHERE user_id > ? ORDER BY user_id LIMIT ?',
          after,
          maxListedRemovals,
        )
        return rows.map((row) => ({ user: userId(String(row['user_id'])), at: Number(row['begun_at']) }))
      }),
    forgetRemoval: (user) => sql.write(() => run('DELETE FROM removals WHERE user_id = ?', user)),
    findByToken: (hash, at) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT u.*, t.tools FROM tokens t JOIN users u ON u.id = t.user_id
           WHERE t.hash = ? AND (t.expires_at IS NULL OR t.expires_at > ?)`,
          hash,
          at,
        )
        return row && { ...userOf(row), ...toolsIn(row) }
      }),
  }
}

function* removeAccess(user: UserId): Job<void> {
  for (const table of ['tokens', 'sessions', 'identities']) yield* run(`DELETE FROM ${table} WHERE user_id = ?`, user)
}

function* saveToken(user: User, { hash, expiresAt, tools }: NewToken, at: number): Job<void> {
  yield* run('DELETE FROM tokens WHERE user_id = ? AND expires_at < ?', user.id, at - expiredMs)
  yield* query(
    'INSERT INTO tokens (hash, user_id, created_at, expires_at, tools) VALUES (?, ?, ?, ?, ?)',
    hash,
    user.id,
    at,
    expiresAt ?? null,
    tools ? JSON.stringify(tools) : null,
  )
}

/** Valid tokens, newest first. The id is the beginning of the hash, which reveals nothing about the token. */
function* tokensOf(user: string, at: number): Job<{ hash: string; token: Token }[]> {
  const rows = yield* query(
    'SELECT * FROM tokens WHERE user_id = ? AND (expires_at IS NULL OR expires_at > ?) LIMIT ?',
    user,
    at,
    maxListedTokens,
  )
  return rows
    .map((row) => ({
      hash: String(row['hash']),
      token: {
        id: String(row['hash']).slice(0, idDigits),
        createdAt: Number(row['created_at']),
        ...(row['expires_at'] !== null && { expiresAt: Number(row['expires_at']) }),
        ...toolsIn(row),
      },
    }))
    .sort((a, b) => b.token.createdAt - a.token.createdAt)
}

/** The tools of a token. */
export function toolsIn(row: Row): Pick<NewToken, 'tools'> {
  return row['tools'] ? { tools: JSON.parse(String(row['tools'])) as string[] } : {}
}

function lastTurn(temporary: 0 | 1): string {
  return `(SELECT t.created_at FROM turns t WHERE t.user_id = u.id AND t.temporary = ${temporary} ORDER BY t.id DESC LIMIT 1)`
}

function listedUserOf(row: Row): ListedUser {
  const endsAt = Number(row['ends_at'] ?? never)
  const seenAt = Math.max(...['session_at', 'turn_at', 'temporary_turn_at'].map((at) => Number(row[at])))
  return {
    ...userOf(row),
    tokens: Number(row['tokens']),
    ...(endsAt < never && { expiresAt: endsAt }),
    ...(row['issuer'] !== null && { issuer: String(row['issuer']) }),
    ...(seenAt > 0 && { seenAt }),
  }
}

export function userOf(row: Row): User {
  return { id: userId(String(row['id'])), name: String(row['name']), createdAt: Number(row['created_at']) }
}
