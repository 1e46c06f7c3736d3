// A backup of a million items goes out and comes back in the memory that a small one takes.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { makeBackup } from '#backup/backup.ts'
import { checkBackup, restoreBackup } from '#backup/restore.ts'
import { homeAt, lockHome, openHome } from '#home.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'

const items = 1_000_000
/** What the process may grow by: the rows have some 400 MB. */
const maxGrowth = 220 * 1024 * 1024

test('a million items make a round trip with flat memory', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-million-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [home, target] = [openHome(join(folder, 'one')), openHome(join(folder, 'two'))]
  await openStore({ path: home.database, seal: createSeal('0'.repeat(64)) }).close()
  const db = new DatabaseSync(home.database)
  const insert = db.prepare('INSERT INTO items (thread_id, seq, id, turn_id, at, body) VALUES (?, ?, ?, ?, ?, ?)')
  db.exec('BEGIN')
  for (let at = 0; at < items; at++)
    insert.run(`t${at >> 5}`, at & 31, `i${at}`, `u${at >> 2}`, at, `${at} ${'x'.repeat(300)}`)
  db.exec('COMMIT')
  db.close()
  const file = join(folder, 'a.backup')
  let highest = 0
  const before = process.memoryUsage().rss
  const onProgress = (): void => {
    highest = Math.max(highest, process.memoryUsage().rss - before)
  }
  const { header } = await makeBackup({ home, file, withKey: false, onProgress })
  assert.equal(header.tables['items'], items)
  const unlock = lockHome(target)
  const parts = { home: target, file, replace: false, onProgress }
  await restoreBackup(parts, await checkBackup(parts))
  unlock?.()
  const restored = new DatabaseSync(homeAt(target.path).database)
  const found = restored.prepare('SELECT count(*) AS count, sum(length(body)) AS bytes FROM items').get()
  restored.close()
  const source = new DatabaseSync(home.database)
  assert.deepEqual(found, source.prepare('SELECT count(*) AS count, sum(length(body)) AS bytes FROM items').get())
  source.close()
  assert(highest < maxGrowth, `memory grew by ${Math.round(highest / 1024 / 1024)} MB`)
})
