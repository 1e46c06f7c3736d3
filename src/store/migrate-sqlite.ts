// Migrations on SQLite: each version is one exclusive transaction, with a copy of the file kept before it.
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { checkVersion, migrations, statementsOf } from './migrations.ts'

/**
 * Brings a SQLite file up to the newest version. Each step is one exclusive transaction that looks at the version again
 * once it holds the lock, so two processes starting together do it once; a copy is kept beside the file before each, unless
 * the file is new and has nothing to lose.
 */
export function migrateSqlite(db: DatabaseSync, path: string, steps = migrations): void {
  const version = (): number => versionOf(db)
  checkVersion(version(), steps)
  const isNew = version() === 0
  while (version() < steps.length) {
    const from = version()
    if (!isNew && path !== ':memory:') backUp(db, `${path}.v${from}.backup`, from)
    db.exec('BEGIN EXCLUSIVE')
    try {
      if (version() === from) {
        for (const statement of statementsOf(steps[from] ?? [], 'sqlite')) db.exec(statement)
        db.exec(`PRAGMA user_version = ${from + 1}`)
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

/** Copies the whole database, in one piece or not at all: a copy that a crash cut off must not pass for one. */
function backUp(db: DatabaseSync, target: string, version: number): void {
  const draft = `${target}.${process.pid}`
  rmSync(draft, { force: true })
  try {
    db.prepare('VACUUM INTO ?').run(draft)
    chmodSync(draft, 0o600)
    const copy = new DatabaseSync(draft, { readOnly: true })
    const copied = versionOf(copy)
    copy.close()
    // A process that started beside us may have migrated meanwhile: then it has also kept the copy.
    if (copied === version) renameSync(draft, target)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The version that a file has; 0 when nothing was made in it. */
export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}
