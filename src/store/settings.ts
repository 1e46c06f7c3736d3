// Settings: small JSON values by name.
import type { Json } from '#core/json.ts'
import type { SettingStore } from '#core/store.ts'
import { tellChange } from './change.ts'
import { query, type Sql } from './sql.ts'

export function createSettingStore({ sql, now }: { sql: Sql; now: () => number }): SettingStore {
  return {
    all: () =>
      sql.read(function* () {
        const rows = yield* query('SELECT name, value FROM settings')
        return Object.fromEntries(rows.map((row) => [String(row['name']), JSON.parse(String(row['value'])) as Json]))
      }),
    set: (name, value) =>
      sql.write(function* () {
        if (value === undefined) yield* query('DELETE FROM settings WHERE name = ?', name)
        else
          yield* query(
            `INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
            name,
            JSON.stringify(value),
            now(),
          )
        yield* tellChange(sql)
      }),
  }
}
