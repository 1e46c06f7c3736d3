// Replicas of two versions over one database: a real service, and this process as a newer Atrium that migrates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migratePostgres } from '#store/migrate-postgres.ts'
import { migrations, newestVersion } from '#store/migrations.ts'
import { openPostgres } from '#store/postgres.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { killAll, startReplica } from './replicas.ts'

const server = usePostgres()
const shared = { changes: ['ALTER TABLE settings ADD COLUMN note TEXT'], shared: true } as const
const alone = { changes: ['ALTER TABLE settings ADD COLUMN kind TEXT'] }

test('a replica goes on beside a version that it shares, keeps back one that it does not, and stores nothing beside it', async () => {
  const url = await server.prepared()
  const old = await startReplica(url)
  const sql = openPostgres(url)
  try {
    await migratePostgres(sql.pool, { steps: [...migrations, shared] })
    assert.equal((await old.create({ input: 'hello' })).status, 200)
    await assert.rejects(migratePostgres(sql.pool, { steps: [...migrations, shared, alone] }), {
      code: 'database_unavailable',
      message: /one process of an earlier Atrium .* stop every replica/,
    })
    assert.equal((await old.create({ input: 'hello again' })).status, 200)
    // Suspended for so long that it does not count any more. In the middle of a beat its row would be locked.
    await until(async () => {
      old.signal('SIGSTOP')
      const { rowCount } = await sql.pool.query(
        'DELETE FROM processes WHERE owner IN (SELECT owner FROM processes FOR UPDATE SKIP LOCKED)',
      )
      if (rowCount !== 1) old.signal('SIGCONT')
      return rowCount === 1
    })
    const late = old.create({ input: 'too late' }).then(
      ({ status }) => status,
      () => 0,
    )
    await migratePostgres(sql.pool, { steps: [...migrations, shared, alone] })
    old.signal('SIGCONT')
    assert.equal(await old.ended, 1)
    const words = `error: a newer Atrium has brought the database to version ${newestVersion + 2}, which this one (version ${newestVersion}) cannot work with`
    assert(old.output().includes(words), old.output())
    assert.notEqual(await late, 200)
    const { rows } = await sql.pool.query<{ count: string }>('SELECT count(*) AS count FROM turns')
    assert.equal(Number(rows[0]?.count), 2)
  } finally {
    await killAll([old])
    await sql.close()
  }
})
