// Stores in memory for tests. Migrations take most of a quick test's time: they run once per process, and each database
// begins as a copy of the result.
import { createSeal } from '#lib/seal.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { openStore, type StoreParts } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'

const memory = ':memory:'
let image: Uint8Array | undefined

/** A SQLite database in memory with every table and no row. */
export function openMemorySqlite(): ReturnType<typeof openSqlite> {
  return openSqlite(memory, { image: migratedImage() })
}

/** A SQLite store in memory, with nothing in it. */
export function openMemoryStore(parts: Partial<Omit<StoreParts, 'path' | 'image'>> = {}): ReturnType<typeof openStore> {
  return openStore({ path: memory, image: migratedImage(), seal: createSeal('0'.repeat(64)), ...parts })
}

function migratedImage(): Uint8Array {
  if (image) return image
  const { db } = openSqlite(memory)
  migrateSqlite(db, memory)
  image = db.serialize()
  db.close()
  return image
}
