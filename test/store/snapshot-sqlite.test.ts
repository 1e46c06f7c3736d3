// A snapshot of a SQLite file: its rows in batches of a bounded size, from a copy that goes with it.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { newestVersion } from '#store/migrations.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { openSqliteSnapshot } from '#store/snapshot-sqlite.ts'
import { folder } from './harness.ts'
import { makeFile } from './sqlite-file.ts'

/** The sizes of the batches of a table, and the number of its rows. */
async function batchesOf(snapshot: Snapshot, name: string): Promise<[sizes: number[], count: number]> {
  const table = snapshot.tables.find((each) => each.name === name) ?? assert.fail(name)
  const sizes: number[] = []
  for await (const batch of snapshot.rows(table)) sizes.push(batch.length)
  return [sizes, await snapshot.count(table)]
}

test('a batch has 500 rows, or as many as bring it to 1 MiB', async (t) => {
  const { path, db } = makeFile(t)
  const mebibyte = 1024 * 1024
  const insert = (table: string, rows: number, bytes: number): void =>
    db.exec(`INSERT INTO ${table} WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${rows})
      SELECT 'k' || x, replace(hex(zeroblob(${bytes / 2})), '00', 'xx'), 1 FROM n`)
  insert('settings (name, value, updated_at)', 1_001, 10)
  insert('counters (key, uses, expires_at)', 5, mebibyte / 2)
  const half = mebibyte / 2 - 1
  const zones = [half, half - 1, 1, half, half, 1]
  for (const [at, chars] of zones.entries())
    db.prepare('INSERT INTO user_zones (user_id, zone) VALUES (?, ?)').run(String(at), 'x'.repeat(chars))
  const scratch = join(folder(t), 'copy')
  const snapshot = await openSqliteSnapshot({ path, scratch })
  assert.deepEqual([snapshot.backend, snapshot.version], ['sqlite', newestVersion])
  db.exec('DELETE FROM settings')
  assert.deepEqual(await batchesOf(snapshot, 'settings'), [[500, 500, 1], 1_001], 'as they were at the beginning')
  assert.deepEqual(await batchesOf(snapshot, 'counters'), [[2, 2, 1], 5])
  assert.deepEqual(await batchesOf(snapshot, 'user_zones'), [[3, 2, 1], 6], 'to the byte')
  assert.deepEqual(await batchesOf(snapshot, 'threads'), [[], 0])
  assert.ok(existsSync(scratch))
  await snapshot.close()
  assert.deepEqual(readdirSync(dirname(scratch)), [])
})

test('a file of a newer version is refused, and its copy removed', async (t) => {
  const { path } = makeFile(t, newestVersion + 1)
  const scratch = join(folder(t), 'copy')
  await assert.rejects(openSqliteSnapshot({ path, scratch }), { code: 'database_unavailable' })
  assert.deepEqual(readdirSync(dirname(scratch)), [])
})
