// Secrets: sealed before they reach the database, opened only for whoever asks by name. Each is the operator's or a user's.
import { AppError } from '#core/errors.ts'
import { isUuid, operator, type UserId } from '#core/ids.ts'
import type { Renewal, Secret, SecretStore } from '#core/secret.ts'
import type { Seal } from '#lib/seal.ts'
import { notifySettings, notifySecrets } from './change-signal.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'

type Place = { readonly name: string; readonly owner: UserId }

const columns = 'user_id, name, sealed, renewal, same_as, updated_at'

export function createSecretStore({ sql, seal, now }: { sql: Sql; seal: Seal; now: () => number }): SecretStore {
  const find = (name: string, owner: UserId): Promise<Secret | undefined> =>
    sql.read(function* () {
      const row = yield* rowOf({ name, owner })
      const origin = row?.['same_as'] ?? null
      const real = origin === null ? row : yield* rowOf({ name: String(origin), owner })
      return real && secretOf(real, seal)
    })
  return {
    set: (name, value, { owner = operator, renewal } = {}) =>
      sql.write(function* () {
        const place = { name, owner }
        yield* holdAccount(owner, sql.lock)
        yield* save(place, {
          sealed: seal.seal(boundTo(place), value),
          renewal: renewal ? seal.seal(renewalOf(place), JSON.stringify(renewal)) : null,
          sameAs: null,
          at: now(),
        })
        yield* notifySecrets(sql, owner)
      }),
    share: (name, sameAs, owner) =>
      sql.write(function* () {
        yield* holdAccount(owner, sql.lock)
        const rows = yield* query(
          `SELECT name, same_as, sealed FROM secrets WHERE user_id = ? AND name IN (?, ?) ORDER BY name${sql.lock}`,
          owner,
          name,
          sameAs,
        )
        const origin = rows.find((row) => row['name'] === sameAs)
        if (!origin || origin['same_as'] !== null || origin['sealed'] === '' || name === sameAs)
          throw new AppError('invalid_input', `${sameAs} cannot be shared: it is not there, or is another's itself`)
        // What was lent of the secret that stood here is lent of that one from now on.
        yield* run('UPDATE secrets SET same_as = ? WHERE user_id = ? AND same_as = ?', sameAs, owner, name)
        yield* save({ name, owner }, { sealed: '', renewal: null, sameAs, at: now() })
        yield* notifySecrets(sql, owner)
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
          .map((row) => secretOf(row, seal))
          .flatMap(({ owner, value, renewal }) =>
            [value, renewal?.token ?? []].flat().map((each) => ({ owner, value: each })),
          )
      }),
    remove: (name, owner = operator) =>
      sql.write(function* () {
        const row = yield* first('DELETE FROM secrets WHERE user_id = ? AND name = ? RETURNING name', owner, name)
        // What was only lent goes with it.
        if (row) yield* run('DELETE FROM secrets WHERE user_id = ? AND same_as = ?', owner, name)
        yield* notifySecrets(sql, owner)
        return row !== undefined
      }),
    removeBelow: (prefix) =>
      sql.write(function* () {
        const pattern = `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`
        yield* run(`DELETE FROM secrets WHERE name LIKE ? ESCAPE '\\' OR same_as LIKE ? ESCAPE '\\'`, pattern, pattern)
        yield* notifySettings(sql)
      }),
    claimRenewal: ({ name, owner, updatedAt }, until) =>
      sql.write(function* () {
        const row = yield* first(
          `UPDATE secrets SET renewing_until = ? WHERE user_id = ? AND name = ? AND updated_at = ?
             AND (renewing_until IS NULL OR renewing_until < ?) RETURNING name`,
          until,
          owner,
          name,
          updatedAt,
          now(),
        )
        return row !== undefined
      }),
    endRenewal: ({ name, owner, updatedAt }, outcome) =>
      sql.write(function* () {
        const place = { name, owner }
        const same = 'user_id = ? AND name = ? AND updated_at = ?'
        // Never the same as before: it tells whether a secret has changed.
        const later = Math.max(now(), updatedAt + 1)
        if (outcome.type === 'failed') {
          yield* run(`UPDATE secrets SET renewing_until = NULL WHERE ${same}`, owner, name, updatedAt)
        } else if (outcome.type === 'ended') {
          // A user's stays as ended: their next call asks for a sign-in, and does not go out under the operator's.
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
            seal.seal(boundTo(place), outcome.value),
            seal.seal(renewalOf(place), JSON.stringify(outcome.renewal)),
            later,
            owner,
            name,
            updatedAt,
          )
        }
        if (outcome.type !== 'failed') yield* notifySecrets(sql, owner)
      }),
    reseal: (to) =>
      sql.write(function* () {
        const rows = yield* query(`SELECT ${columns} FROM secrets WHERE same_as IS NULL AND sealed <> ''${sql.lock}`)
        for (const row of rows) {
          const { name, owner, value, renewal } = secretOf(row, seal)
          const place = { name, owner }
          yield* run(
            'UPDATE secrets SET sealed = ?, renewal = ? WHERE user_id = ? AND name = ?',
            to.seal(boundTo(place), value),
            renewal ? to.seal(renewalOf(place), JSON.stringify(renewal)) : null,
            owner,
            name,
          )
        }
        return rows.length
      }),
  }
}

/** Whoever is removed at this moment goes first, and nothing is stored; or goes after, and takes it along. */
function* holdAccount(owner: UserId, lock: string): Job<void> {
  // Who has an account is known by a UUID; the operator has none.
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

function* save({ name, owner }: Place, { sealed, renewal, sameAs, at }: Saved): Job<void> {
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

function rowOf({ name, owner }: Place): Job<Row | undefined> {
  return first(`SELECT ${columns} FROM secrets WHERE user_id = ? AND name = ?`, owner, name)
}

function secretOf(row: Row, seal: Seal): Secret {
  const [name, owner] = [String(row['name']), String(row['user_id']) as UserId]
  const place = { name, owner }
  try {
    const renewal = row['renewal'] === null ? undefined : seal.open(renewalOf(place), String(row['renewal']))
    return {
      ...place,
      ...(row['sealed'] === ''
        ? { value: '', ended: true as const }
        : { value: seal.open(boundTo(place), String(row['sealed'])) }),
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

/** What a seal is bound to: neither another name nor another owner can be given a row. */
function boundTo({ name, owner }: Place): string {
  return owner === operator ? name : `user/${owner}/${name}`
}

function renewalOf(place: Place): string {
  return `renewal/${boundTo(place)}`
}
