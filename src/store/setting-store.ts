// Settings: small JSON values by name.
import type { Json } from '#core/json.ts'
import type { Settings, SettingStore } from '#core/store.ts'
import { notify } from './change-signal.ts'
import { type Job, query, run, type Sql } from './sql.ts'

export function createSettingStore({ sql, now }: { sql: Sql; now: () => number }): SettingStore {
  const change: SettingStore['change'] = (decide) =>
    sql.write(function* () {
      // The whole table, since a new setting has no row to lock. Readers are not blocked.
      if (sql.backend === 'postgres') yield* run('LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE')
      for (const [name, value] of Object.entries(decide(yield* all()))) {
        if (value === undefined) yield* run('DELETE FROM settings WHERE name = ?', name)
        else
          yield* run(
            `INSERT INTO settings (name, value, updated_at) VALUES (?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
            name,
            JSON.stringify(value),
            now(),
          )
      }
      yield* notify(sql, { type: 'settings' })
    })
  return { all: () => sql.read(all), change }
}

function* all(): Job<Settings> {
  const rows = yield* query('SELECT name, value FROM settings')
  return Object.fromEntries(rows.map((row) => [String(row['name']), JSON.parse(String(row['value'])) as Json]))
}
