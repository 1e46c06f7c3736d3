// Migrations on SQLite: one exclusive transaction per version, after a backup of the file.
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checkVersion, migrations, statementsOf } from './migrations.ts'

/**
 * Migrates a SQLite file to the newest version. Each step checks the version again inside its transaction, so two processes
 * that start together apply it once. Before each step the file is backed up beside itself, unless it is new.
 */
export function migrateSqlite(db: DatabaseSync, path: string, steps = migrations): void {
  const version = (): number => versionOf(db)
  checkVersion(version(), steps)
  const isNew = version() === 0
  while (version() < steps.length) {
    const from = version()
    if (!isNew && path !== ':memory:') backUp(db, `${path}.v${from}.backup`, from)
    migrateStep(db, from, steps)
  }
}

/** Brings a new file that nobody else has open to a version, without a copy. */
export function applyMigrations(db: DatabaseSync, to = migrations.length): void {
  for (let from = versionOf(db); from < to; from++) migrateStep(db, from, migrations)
}

function migrateStep(db: DatabaseSync, from: number, steps: typeof migrations): void {
  db.exec('BEGIN EXCLUSIVE')
  try {
    if (versionOf(db) === from) {
      for (const statement of statementsOf(steps[from] ?? [], 'sqlite')) db.exec(statement)
      db.exec(`PRAGMA user_version = ${from + 1}`)
    }
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Copies the database to a temporary name and renames it: a copy cut off by a crash must not look like a backup. */
function backUp(db: DatabaseSync, target: string, version: number): void {
  const temporary = `${target}.${process.pid}`
  rmSync(temporary, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(temporary)
    chmodSync(temporary, 0o600)
    const copy = new DatabaseSync(temporary, { readOnly: true })
    const copied = versionOf(copy)
    copy.close()
    // Else another process has migrated meanwhile, and made the backup itself.
    if (copied === version) renameSync(temporary, target)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** The schema version of a file; 0 if it is empty. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}
