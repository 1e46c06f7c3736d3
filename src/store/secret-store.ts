// Secrets of the operator and of users, sealed before they reach the database.
import { AppError } from '#core/errors.ts'
import { isUuid, operator, type UserId } from '#core/ids.ts'
import type { Renewal, Secret, SecretStore } from '#core/secret.ts'
import { repeatsItself } from '#core/find-text.ts'
import type { Seal } from '#lib/seal.ts'
import { notify } from './change-signal.ts'
import { databaseClock } from './lease-store.ts'
import { resealNotifications } from './notification-rows.ts'
import { changes, first, type Job, query, type Row, run, type Sql } from './sql.ts'

type SecretKey = { readonly name: string; readonly owner: UserId }

const columns = 'user_id, name, sealed, renewal, same_as, updated_at'

export function createSecretStore({ sql, seal, now }: { sql: Sql; seal: Seal; now: () => number }): SecretStore {
  const find = (name: string, owner: UserId): Promise<Secret | undefined> =>
    sql.read(function* () {
      const row = yield* findRow({ name, owner })
      const real = row && row['same_as'] !== null ? yield* findRow({ name: String(row['same_as']), owner }) : row
      return real && (openOf(real, seal) ?? endedOf(real))
    })
  const setTogether: SecretStore['setTogether'] = (secrets, owner) =>
    sql.write(function* () {
      yield* lockAccount(owner, sql.lock)
      for (const { name, value, renewal } of secrets) {
        // Texts are searched for it, and a hostile one would make that slow.
        if (repeatsItself(value)) {
          throw new AppError('invalid_input', `${name} repeats itself too much for a secret: nothing was stored`)
        }
        const key = { name, owner }
        yield* save(key, {
          sealed: seal.seal(sealContext(key), value),
          renewal: renewal ? seal.seal(renewalContext(key), JSON.stringify(renewal)) : null,
          sameAs: null,
          at: now(),
        })
      }
      yield* notify(sql, { type: 'secrets', owner })
    })
  return {
    set: (name, value, { owner = operator, renewal } = {}) =>
      setTogether([{ name, value, ...(renewal && { renewal }) }], owner),
    setTogether,
    share: (name, sameAs, owner) =>
      sql.write(function* () {
        yield* lockAccount(owner, sql.lock)
        const rows = yield* query(
          `SELECT name, same_as, sealed FROM secrets WHERE user_id = ? AND name IN (?, ?) ORDER BY name${sql.lock}`,
          owner,
          name,
          sameAs,
        )
        const origin = rows.find((row) => row['name'] === sameAs)
        if (!origin || origin['same_as'] !== null || origin['sealed'] === '' || name === sameAs)
          throw new AppError(
            'invalid_input',
            `${sameAs} cannot be shared: it does not exist, or is itself shared from another secret`,
          )
        // Secrets that were shared from the replaced one are shared from the new origin.
        yield* run('UPDATE secrets SET same_as = ? WHERE user_id = ? AND same_as = ?', sameAs, owner, name)
        yield* save({ name, owner }, { sealed: '', renewal: null, sameAs, at: now() })
        yield* notify(sql, { type: 'secrets', owner })
      }),
    async get(name, owner = operator) {
      const secret = await find(name, owner)
      return secret?.ended ? undefined : secret?.value
    },
    find,
    list: (owner = operator) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT name, same_as, updated_at FROM secrets
           WHERE user_id = ? AND (same_as IS NOT NULL OR sealed <> '') ORDER BY name`,
          owner,
        )
        return rows.map(({ name, same_as: sameAs, updated_at: at }) => ({
          name: String(name),
          updatedAt: Number(at),
          ...(sameAs !== null && { sameAs: String(sameAs) }),
        }))
      }),
    values: (owner) =>
      sql.read(function* () {
        const all = `SELECT ${columns} FROM secrets WHERE same_as IS NULL AND sealed <> ''`
        const rows = yield* owner === undefined ? query(all) : query(`${all} AND user_id = ?`, owner)
        return rows
          .flatMap((row) => openOf(row, seal) ?? [])
          .flatMap(({ owner, value, renewal }) =>
            [value, renewal?.token ?? []].flat().map((each) => ({ owner, value: each })),
          )
      }),
    unopenable: () =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT ${columns} FROM secrets WHERE same_as IS NULL AND sealed <> '' ORDER BY user_id, name`,
        )
        return rows.filter((row) => !openOf(row, seal)).map(keyOf)
      }),
    remove: (name, owner = operator) =>
      sql.write(function* () {
        const removed = yield* changes('DELETE FROM secrets WHERE user_id = ? AND name = ?', owner, name)
        // Secrets that were shared from it go too.
        if (removed > 0) yield* run('DELETE FROM secrets WHERE user_id = ? AND same_as = ?', owner, name)
        yield* notify(sql, { type: 'secrets', owner })
        return removed > 0
      }),
    removeBelow: (prefix) =>
      sql.write(function* () {
        const pattern = `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`
        yield* run(`DELETE FROM secrets WHERE name LIKE ? ESCAPE '\\' OR same_as LIKE ? ESCAPE '\\'`, pattern, pattern)
        yield* notify(sql, { type: 'settings' })
      }),
    claimRenewal: ({ name, owner, updatedAt }, forMs) =>
      sql.write(function* () {
        // The clocks of two replicas may differ by more than a renewal takes.
        const row = sql.backend === 'postgres' ? yield* first(`SELECT ${databaseClock} AS now`) : undefined
        const at = row ? Number(row['now']) : now()
        // A claim that ends much later than a new one would is from a clock that was set back since. A little later is one that
        // another replica made while this one waited for the row.
        const claimed = yield* changes(
          `UPDATE secrets SET renewing_until = ? WHERE user_id = ? AND name = ? AND updated_at = ?
             AND (renewing_until IS NULL OR renewing_until NOT BETWEEN ? AND ?)`,
          at + forMs,
          owner,
          name,
          updatedAt,
          at,
          at + 2 * forMs,
        )
        return claimed > 0
      }),
    endRenewal: ({ name, owner, updatedAt }, outcome) =>
      sql.write(function* () {
        const key = { name, owner }
        const same = 'user_id = ? AND name = ? AND updated_at = ?'
        // Always greater than before: `updated_at` is the version of a secret.
        const later = Math.max(now(), updatedAt + 1)
        if (outcome.type === 'failed') {
          yield* run(`UPDATE secrets SET renewing_until = NULL WHERE ${same}`, owner, name, updatedAt)
        } else if (outcome.type === 'ended') {
          // A user's secret stays, marked as ended: the next call asks for a sign-in and does not fall back to the operator's.
          if (owner === operator) yield* run(`DELETE FROM secrets WHERE ${same}`, owner, name, updatedAt)
          else
            yield* run(
              `UPDATE secrets SET sealed = '', renewal = NULL, renewing_until = NULL, updated_at = ? WHERE ${same}`,
              later,
              owner,
              name,
              updatedAt,
            )
        } else {
          yield* run(
            `UPDATE secrets SET sealed = ?, renewal = ?, renewing_until = NULL, updated_at = ? WHERE ${same}`,
            seal.seal(sealContext(key), outcome.value),
            seal.seal(renewalContext(key), JSON.stringify(outcome.renewal)),
            later,
            owner,
            name,
            updatedAt,
          )
        }
        if (outcome.type !== 'failed') yield* notify(sql, { type: 'secrets', owner })
      }),
    reseal: (to) =>
      sql.write(function* () {
        const rows = yield* query(`SELECT ${columns} FROM secrets WHERE same_as IS NULL AND sealed <> ''${sql.lock}`)
        for (const row of rows) {
          const { name, owner, value, renewal } = secretOf(row, seal)
          const key = { name, owner }
          yield* run(
            'UPDATE secrets SET sealed = ?, renewal = ? WHERE user_id = ? AND name = ?',
            to.seal(sealContext(key), value),
            renewal ? to.seal(renewalContext(key), JSON.stringify(renewal)) : null,
            owner,
            name,
          )
        }
        yield* resealNotifications(seal, to, sql.lock)
        return rows.length
      }),
  }
}

/** Locks the user's row. A concurrent removal comes before, and nothing is stored; or after, and deletes the secret too. */
export function* lockAccount(owner: UserId, lock: string): Job<void> {
  // Only users with an account have a UUID; the operator has no row.
  if (!isUuid(owner)) return
  const row = yield* first(`SELECT id FROM users WHERE id = ?${lock}`, owner)
  if (!row) throw new AppError('not_found', 'the user was removed: nothing was stored')
}

type Saved = {
  readonly sealed: string
  readonly renewal: string | null
  readonly sameAs: string | null
  readonly at: number
}

function* save({ name, owner }: SecretKey, { sealed, renewal, sameAs, at }: Saved): Job<void> {
  yield* run(
    `INSERT INTO secrets (user_id, name, sealed, renewal, same_as, updated_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, name) DO UPDATE SET sealed = excluded.sealed, renewal = excluded.renewal,
       same_as = excluded.same_as, renewing_until = NULL, updated_at = excluded.updated_at`,
    owner,
    name,
    sealed,
    renewal,
    sameAs,
    at,
  )
}

function findRow({ name, owner }: SecretKey): Job<Row | undefined> {
  return first(`SELECT ${columns} FROM secrets WHERE user_id = ? AND name = ?`, owner, name)
}

function keyOf(row: Row): SecretKey {
  return { name: String(row['name']), owner: String(row['user_id']) as UserId }
}

/** Undefined if it was sealed under another key. */
function openOf(row: Row, seal: Seal): Secret | undefined {
  try {
    return secretOf(row, seal)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** A secret that cannot be opened, such as after a restore without its key, must be set again like one that has ended. */
function endedOf(row: Row): Secret {
  return { ...keyOf(row), value: '', ended: true, updatedAt: Number(row['updated_at']) }
}

function secretOf(row: Row, seal: Seal): Secret {
  const key = keyOf(row)
  const { name } = key
  try {
    const renewal = row['renewal'] === null ? undefined : seal.open(renewalContext(key), String(row['renewal']))
    return {
      ...key,
      ...(row['sealed'] === ''
        ? { value: '', ended: true as const }
        : { value: seal.open(sealContext(key), String(row['sealed'])) }),
      updatedAt: Number(row['updated_at']),
      ...(renewal !== undefined && { renewal: JSON.parse(renewal) as Renewal }),
    }
  } catch (error) {
    throw new AppError(
      'invalid_config',
      `the secret ${name} cannot be opened: it was sealed under another key; set it again, or restore the key file`,
      { cause: error },
    )
  }
}

/** The context that a value is sealed with: a row cannot be moved to another name or owner. */
function sealContext({ name, owner }: SecretKey): string {
  return owner === operator ? name : `user/${owner}/${name}`
}

function renewalContext(key: SecretKey): string {
  return `renewal/${sealContext(key)}`
}
