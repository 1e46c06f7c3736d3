// Opening a store: new ids, what is erased and migrated then, under which lock, and a look that changes nothing.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { idAt } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { hiddenPath } from '#store/document-slices.ts'
import type { Migrated } from '#store/migrate-sqlite.ts'
import { migrations, newestVersion } from '#store/migrations.ts'
import { inspectStore, openPostgresStore, openStore, type StoreParts } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { ada, dayMs, folder, minuteMs, queuedTurn, turnOf } from './harness.ts'
import { makeFile } from './sqlite-file.ts'
import { document } from './suite-documents.ts'

const seal = createSeal('0'.repeat(64))
const server = usePostgres()

function open(t: TestContext, parts: Omit<StoreParts, 'seal'>) {
  const store = openStore({ seal, ...parts })
  t.after(() => store.close())
  return store
}

test('what was left half written is erased by the process that has the home alone', async (t) => {
  const { path, db } = makeFile(t)
  const command = open(t, { path })
  await command.documents.put(ada, [document('a', 'hello'), document('b', 'hello')])
  db.prepare(`UPDATE chunks SET path = ? WHERE path = 'b'`).run(hiddenPath())
  const chunks = (): unknown => db.prepare('SELECT count(*) AS n FROM chunks').get()?.['n']
  await open(t, { path }).ping()
  assert.equal(chunks(), 2)
  open(t, { path, locked: true })
  await until(() => chunks() === 1)
})

test('a process without the home stores nothing once a newer one has migrated the file, and one with it does', async (t) => {
  const { path, db } = makeFile(t)
  const [command, service] = [open(t, { path }), open(t, { path, locked: true })]
  await command.settings.change(() => ({ a: 1 }))
  db.exec(`PRAGMA user_version = ${newestVersion + 1}`)
  await assert.rejects(
    command.settings.change(() => ({ a: 2 })),
    { code: 'database_unavailable', message: /a newer Atrium/ },
  )
  await service.settings.change(() => ({ b: 3 }))
  assert.deepEqual(await command.settings.all(), { a: 1, b: 3 })
})

test('what is new sorts after what was stored before the clock was set back', async (t) => {
  const { path, db } = makeFile(t)
  const { threadId } = (await open(t, { path }).turns.start(turnOf())).turn
  const ahead = idAt(Date.now() + 60 * minuteMs)
  db.prepare('UPDATE turns SET id = ?').run(ahead)
  db.prepare('UPDATE threads SET last_turn = ?').run(ahead)
  const store = open(t, { path })
  const queued = await store.turns.start(queuedTurn({ threadId }))
  assert.ok(queued.turn.id > ahead, 'in the queue of its thread')
  const begun = await store.turns.start(turnOf())
  const created = await store.threads.create(ada, { door: 'web', title: '', metadata: {}, drafts: [] })
  const forked = await store.threads.fork(ada, threadId, { beforeSeq: 1, door: 'web' })
  assert.deepEqual(
    (await store.threads.list(ada, { limit: 9 })).rows.map(({ id }) => id),
    [forked?.id, created.id, begun.turn.threadId, threadId],
  )
})

test('what is new sorts after what was stored before the clock was set back, on PostgreSQL', async (t) => {
  const { url, sql } = await server.emptied()
  const reopen = async () => {
    const { store } = await openPostgresStore({ url, seal })
    t.after(() => store.close())
    return store
  }
  await (await reopen()).turns.start(turnOf())
  const ahead = idAt(Date.now() + 60 * minuteMs)
  await sql.pool.query('UPDATE turns SET id = $1', [ahead])
  const replicas = [await reopen(), await reopen()]
  for (const store of replicas) assert.ok((await store.turns.start(turnOf())).turn.id > ahead)
})

test('a stored id that is days ahead is not followed: what goes by the time of ids would wait for days', async (t) => {
  const { path, db } = makeFile(t)
  await open(t, { path }).turns.start(turnOf())
  const ahead = idAt(Date.now() + 2 * dayMs)
  db.prepare('UPDATE turns SET id = ?').run(ahead)
  assert.ok((await open(t, { path }).turns.start(turnOf())).turn.id < ahead)
})

test('the home is locked while an old file is migrated, and for no other', async (t) => {
  const done: string[] = []
  const lockToMigrate: StoreParts['lockToMigrate'] = (isOld) => {
    done.push(`lock ${isOld()}`)
    return () => done.push(`unlock ${isOld()}`)
  }
  const onMigrated = ({ from, to }: Migrated): void => void done.push(`from ${from} to ${to}`)
  const parts = { lockToMigrate, onMigrated, seal }
  await openStore({ path: join(folder(t), 'new.db'), ...parts }).close()
  await openStore({ path: makeFile(t).path, ...parts }).close()
  assert.deepEqual(done, [], 'a new file and one of this version')
  const path = join(folder(t), 'old.db')
  const old = new DatabaseSync(path)
  old.exec('CREATE TABLE t (a); PRAGMA user_version = 1')
  old.close()
  // The table of a real file of version 1 is missing: the migration fails, and the home is free again.
  assert.throws(() => openStore({ path, ...parts }), { code: 'database_unavailable' })
  assert.deepEqual(done, ['lock true', 'unlock true'])
})

test('a look at a file tells its version and writes nothing, not even by a verb that would', async (t) => {
  const { path, db } = makeFile(t, newestVersion - 1)
  const { store, version } = inspectStore({ path, seal })
  t.after(() => store.close())
  assert.equal(version, migrations.length - 1)
  assert.deepEqual(await store.check(), [])
  await assert.rejects(
    store.settings.change(() => ({ a: 1 })),
    { code: 'home_unwritable' },
  )
  assert.equal(db.prepare('PRAGMA user_version').get()?.['user_version'], newestVersion - 1)
  const newer = makeFile(t, newestVersion + 1)
  assert.throws(() => inspectStore({ path: newer.path, seal }), { code: 'database_unavailable' })
})
