// Installed components: their bytes, capability file, description and schema.
import type { ToolRecord, ToolStore } from '#core/tool-record.ts'
import { notify } from './change-signal.ts'
import { removeGrantsOf } from './grant-store.ts'
import { changes, first, query, type Row, run, type Sql } from './sql.ts'

const columns = 'name, sha256, capabilities, description, schema, installed_at'

export function createToolStore({ sql, now }: { sql: Sql; now: () => number }): ToolStore {
  return {
    put: (tool, component) =>
      sql.write(function* () {
        yield* run(
          `INSERT INTO tools (name, sha256, capabilities, description, schema, component, installed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, capabilities = excluded.capabilities,
             description = excluded.description, schema = excluded.schema, component = excluded.component,
             installed_at = excluded.installed_at`,
          tool.name,
          tool.sha256,
          tool.capabilities,
          tool.description,
          tool.schema,
          component,
          now(),
        )
        yield* notify(sql, { type: 'settings' })
      }),
    list: () =>
      sql.read(function* () {
        return (yield* query(`SELECT ${columns} FROM tools ORDER BY name`)).map(recordOf)
      }),
    component: (name) =>
      sql.read(function* () {
        const bytes = (yield* first('SELECT component FROM tools WHERE name = ?', name))?.['component']
        return bytes instanceof Uint8Array ? bytes : undefined
      }),
    remove: (name) =>
      sql.write(function* () {
        const removed = yield* changes('DELETE FROM tools WHERE name = ?', name)
        if (removed === 0) return false
        // A later tool of this name must not inherit them.
        yield* removeGrantsOf(sql, [name])
        yield* notify(sql, { type: 'settings' })
        return true
      }),
  }
}

function recordOf(row: Row): ToolRecord {
  return {
    name: String(row['name']),
    sha256: String(row['sha256']),
    capabilities: String(row['capabilities']),
    description: String(row['description']),
    schema: String(row['schema']),
    installedAt: Number(row['installed_at']),
  }
}
