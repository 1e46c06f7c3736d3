// A SQLite file on the disk, looked at from outside, and a version that comes after the newest one.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { migrations, newestVersion } from '#store/migrations.ts'
import { folder } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

/** A file as the newest version leaves it, or with another version number; `db` is a connection beside the test's. */
export function makeFile(
  t: TestContext,
  version = newestVersion,
): { readonly path: string; readonly db: DatabaseSync } {
  const path = join(folder(t), 'a.db')
  const memory = openMemorySqlite()
  memory.db.prepare('VACUUM INTO ?').run(path)
  memory.db.close()
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA user_version = ${version}`)
  t.after(() => db.close())
  return { path, db }
}

/** The migrations with one more. */
export const next = [
  ...migrations,
  { changes: ['ALTER TABLE settings ADD COLUMN note TEXT', `INSERT INTO settings VALUES ('v', '2', 0, '')`] },
]

/** The version of a file. */
export function versionOf(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  } finally {
    db.close()
  }
}

/** The rows of its settings. */
export function settingsOf(path: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db
      .prepare('SELECT name, value FROM settings')
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}
