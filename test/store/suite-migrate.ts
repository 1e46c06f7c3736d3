// Each version of the schema, reached from a database of the version before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { migrations } from '#store/migrations.ts'
import { ada } from './harness.ts'
import { document } from './suite-documents.ts'
import type { OpenVersion } from './versions.ts'

export function migrateTests(openVersion: OpenVersion): void {
  test('a database of any earlier version opens, with what it holds', async (t) => {
    for (let version = 1; version <= migrations.length; version++) {
      const old = await openVersion(t, version)
      await old.run(`INSERT INTO users (id, name, created_at) VALUES ('u1', 'ada', 1)`)
      await old.run(`INSERT INTO tokens (hash, user_id, created_at) VALUES ('h1', 'u1', 1)`)
      const store = await old.upgrade()
      assert.deepEqual(await store.accounts.findByToken('h1', 2), { id: userId('u1'), name: 'ada', createdAt: 1 })
    }
  })

  test('a database from before documents takes and finds them', async (t) => {
    const store = await (await openVersion(t, 1)).upgrade()
    await store.documents.put(ada, [document('a', 'hello')])
    assert.deepEqual((await store.documents.count(ada, [{ term: 'hello' }], 9))?.counts, [1])
  })
}
