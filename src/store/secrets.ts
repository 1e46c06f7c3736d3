// Secrets: sealed before they reach the database, opened only for whoever asks by name.
import { AppError } from '#core/errors.ts'
import type { SecretStore } from '#core/store.ts'
import type { Seal } from '#lib/seal.ts'
import { first, query, type Sql } from './sql.ts'

export function createSecretStore({ sql, seal, now }: { sql: Sql; seal: Seal; now: () => number }): SecretStore {
  return {
    set: (name, value) =>
      sql.write(function* () {
        yield* query(
          `INSERT INTO secrets (name, sealed, updated_at) VALUES (?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`,
          name,
          seal.seal(name, value),
          now(),
        )
      }),
    get: (name) =>
      sql.read(function* () {
        const row = yield* first('SELECT sealed FROM secrets WHERE name = ?', name)
        if (!row) return undefined
        try {
          return seal.open(name, String(row['sealed']))
        } catch (error) {
          throw new AppError(
            'invalid_config',
            `the secret ${name} cannot be opened: it was sealed under another key; set it again, or restore the key file`,
            { cause: error },
          )
        }
      }),
    list: () =>
      sql.read(function* () {
        const rows = yield* query('SELECT name, updated_at FROM secrets ORDER BY name')
        return rows.map((row) => ({ name: String(row['name']), updatedAt: Number(row['updated_at']) }))
      }),
    remove: (name) =>
      sql.write(function* () {
        return (yield* first('DELETE FROM secrets WHERE name = ? RETURNING name', name)) !== undefined
      }),
  }
}
