// Loads the rows of a backup into a new SQLite file.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as pass } from 'node:timers/promises'
import { syncPath } from '#lib/sync-path.ts'
import { indexColumns } from './term-index.ts'
import { type Loading, named, type TermsOf, vectorOf } from './load.ts'
import { applyMigrations, versionOf } from './migrate-sqlite.ts'
import { migrations } from './migrations.ts'
import { type PortableRow, portableTables } from './portable-schema.ts'
import { asAppError } from './sqlite-faults.ts'
import { sqliteBits } from './vector-store.ts'

/** True for a file with rows that a restore would replace. Nothing is lost with rate counters. */
export function holdsRows(path: string): boolean {
  if (!existsSync(path)) return false
  const db = new DatabaseSync(path)
  try {
    const version = versionOf(db)
    return portableTables(Math.min(version, migrations.length)).some(
      ({ name }) => name !== 'counters' && db.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined,
    )
  } catch (error) {
    throw asAppError(error)
  } finally {
    db.close()
  }
}

type SqliteLoadParts = { readonly path: string; readonly version: number; readonly termsOf: TermsOf }

/** Creates the file. It has no journal: a load that is cut off is begun again with a new file. */
export function loadSqlite({ path, version, termsOf }: SqliteLoadParts): Loading {
  closeSync(openSync(path, 'wx', 0o600))
  const db = new DatabaseSync(path)
  const statements = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const known = statements.get(text) ?? db.prepare(text)
    statements.set(text, known)
    return known
  }
  let lastOwner: { readonly user: string; readonly number: number } = { user: '', number: 0 }

  function addTerms(columns: readonly string[], row: PortableRow): void {
    const { id, user_id: user, path: of, text } = named(columns, row)
    if (lastOwner.user !== user) {
      const found = prepare('SELECT number FROM document_owners WHERE user_id = ?').get(String(user))
      lastOwner = { user: String(user), number: Number(found?.['number'] ?? 0) }
    }
    const terms = indexColumns(lastOwner.number, termsOf(String(of), String(text)))
    prepare('INSERT INTO chunk_terms (rowid, title, body, extra) VALUES (?, ?, ?, ?)').run(Number(id), ...terms)
  }

  db.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-16000; PRAGMA temp_store=FILE')
  applyMigrations(db, version)
  db.exec('BEGIN')
  return {
    async add({ name }, columns, rows) {
      try {
        const isVector = name === 'chunk_vectors'
        const all = isVector ? [...columns, 'bits'] : columns
        const insert = prepare(`INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`)
        for (const row of rows) {
          const vector = isVector ? vectorOf(named(columns, row)['numbers']) : undefined
          insert.run(...row, ...(isVector ? [vector ? sqliteBits(vector) : null] : []))
          if (name === 'chunks') addTerms(columns, row)
        }
      } catch (error) {
        throw asAppError(error)
      }
      await pass()
    },
    async finish() {
      try {
        db.exec('COMMIT')
        statements.clear()
        applyMigrations(db)
        db.close()
        syncPath(path)
      } catch (error) {
        throw asAppError(error)
      }
      await pass()
    },
    abort() {
      if (db.isOpen) db.close()
      rmSync(path, { force: true })
      return Promise.resolve()
    },
  }
}
