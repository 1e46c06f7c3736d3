// Databases with something in every table and column, and what a backup must bring back of them.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { checkBackup, type RestoreParts, restoreBackup } from '#backup/restore.ts'
import { createSeal } from '#lib/seal.ts'
import { homeAt, type Home, lockHome, openHome } from '#home.ts'
import { termsOf } from '#memory/chunks.ts'
import { createReader } from '#memory/terms.ts'
import { newestVersion } from '#store/migrations.ts'
import { openStore } from '#store/open-store.ts'
import { type PortableRow, portableTables, type PortableValue } from '#store/portable-schema.ts'
import { openSqliteSnapshot } from '#store/snapshot-sqlite.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { finish, folder, turnOf } from '../store/harness.ts'

export const seal = createSeal('0'.repeat(64))
const rowsPerTable = 3

/** Every table of a SQLite home gets rows with a value in each column; beside them one real turn and one document. */
export async function fillHome(path: string): Promise<Home> {
  const home = homeAt(path)
  const store = openStore({ path: home.database, seal })
  const { turn } = await store.turns.start(turnOf())
  await finish(store, turn)
  const text = 'the quick brown fox'
  const terms = termsOf(createReader(), 'notes/fox.md', text)
  const document = { path: 'notes/fox.md', bytes: text.length, author: 'user', untrusted: false } as const
  await store.documents.put(turn.userId, [{ ...document, chunks: [{ text, lap: 0, terms }] }])
  await store.close()
  const db = new DatabaseSync(home.database)
  for (const { name, columns } of portableTables(newestVersion)) {
    const insert = db.prepare(
      `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (let row = 10; row < 10 + rowsPerTable; row++)
      insert.run(...columns.map((column) => valueOf(`${name}.${column.name}`, column.type, row)))
  }
  db.close()
  return home
}

function valueOf(column: string, type: 'text' | 'number' | 'bytes', row: number): PortableValue {
  if (column === 'turns.status') return 'done'
  if (column === 'chunk_vectors.numbers') return new Uint8Array(Float32Array.of(row, -0.1, 1 / 3).buffer)
  if (column.endsWith('cost_usd')) return 0.1 * row
  if (type === 'bytes') return Uint8Array.of(0, row, 255)
  return type === 'number' ? row : `${column} "${row}"\n\\u0000 é 🦊`
}

export async function rowsOf(snapshot: Snapshot): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const table of snapshot.tables) {
    const rows: string[] = []
    for await (const batch of snapshot.rows(table)) rows.push(...batch.map(textOf))
    all[table.name] = rows.toSorted()
  }
  await snapshot.close()
  return all
}

export async function sqliteRows(path: string, t: TestContext): Promise<Record<string, string[]>> {
  return rowsOf(await openSqliteSnapshot({ path, scratch: join(folder(t), 'copy') }))
}

/** Restores a backup as the command does: it checks the file, and holds the lock of the home. */
export async function restore(parts: RestoreParts) {
  const unlock = lockHome(openHome(parts.home.path))
  try {
    return await restoreBackup(parts, await checkBackup(parts))
  } finally {
    unlock?.()
  }
}

function textOf(row: PortableRow): string {
  return JSON.stringify(row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)))
}
