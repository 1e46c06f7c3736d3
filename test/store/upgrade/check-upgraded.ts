// What a database of an earlier version must still have once the code of today has opened it.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { createMarker } from '#safety/marks.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { readReceipt } from '#turns/receipt.ts'
import { type PostgresDump, readPostgresDump } from './databases.ts'
import { sharedKey } from './model.ts'

export const seal = createSeal(sharedKey)
const marker = createMarker()

/** What the database had before its upgrade. */
export type Before = {
  readonly turns: readonly { readonly id: string; readonly user: string; readonly hash: string | null }[]
  readonly threads: readonly { readonly id: string; readonly user: string; readonly items: number }[]
  readonly waiting: number
  readonly documents: number
}

/** Puts databases of these versions one after the other in place of what is in a database, and opens each. */
export async function checkPostgres(url: string, versions: readonly number[]): Promise<void> {
  for (const version of versions) {
    const dump = readPostgresDump(version)
    await load(url, dump)
    const { store } = await openPostgresStore({ url, seal })
    await checkUpgraded(store, beforeOf(dump), version)
    await store.close()
  }
}

/** Every thread reads, every receipt is verified, and what else there was is there. */
export async function checkUpgraded(store: Store, before: Before, version: number): Promise<void> {
  const about = `version ${version}`
  assert.deepEqual(await store.check(), [], about)
  assert(before.turns.length > 5, about)
  for (const { id, user, items } of before.threads) {
    const { entries, more } = await store.threads.entries(userId(user), id, { after: 0, limit: 1_000 })
    assert(!more, about)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: items }, (_, at) => at + 1),
      `${about}, thread ${id}`,
    )
  }
  for (const { id, user, hash } of before.turns) {
    const receipt = await readReceipt(store, userId(user), { turnId: id, marker })
    assert.equal(receipt?.hash ?? null, hash, `${about}, turn ${id}`)
    assert.equal(receipt?.verified, hash !== null, `${about}, turn ${id}`)
  }
  // Receipts have digests since version 8.
  assert.equal(
    before.turns.some(({ hash }) => hash !== null),
    version >= 8,
    about,
  )
  assert.equal(await store.secrets.get('kept'), 'value of a secret', about)
  const [{ user } = { user: '' }] = before.turns
  const ada = userId(user)
  assert.equal((await store.turns.openGates(ada, { limit: 100 })).length, before.waiting, about)
  const note = await store.documents.get(ada, 'notes/a.md')
  assert.equal(note?.content, before.documents > 0 ? 'a later note about zeppelins' : undefined, about)
}

/** Puts the dump in place of what is in the database. */
async function load(url: string, { schema, tables }: PostgresDump): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  // No triggers: what they would count is in the rows.
  await client.query(`SET session_replication_role = replica`)
  await client.query(['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public', ...schema].join(';\n'))
  for (const { table, columns, rows } of tables) {
    const names = columns.map((name) => `"${name}"`).join(', ')
    const json = JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))))
    await client.query(
      `INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${names} FROM json_populate_recordset(NULL::"${table}", $1)`,
      [json],
    )
  }
  await client.end()
}

function beforeOf({ tables }: PostgresDump): Before {
  const rowsOf = (name: string): Record<string, string | null | undefined>[] => {
    const found = tables.find(({ table }) => table === name)
    return (found?.rows ?? []).map((row) =>
      Object.fromEntries(found?.columns.map((column, at) => [column, row[at]]) ?? []),
    )
  }
  return {
    turns: rowsOf('turns').map((row) => ({
      id: String(row['id']),
      user: String(row['user_id']),
      hash: row['hash'] ?? null,
    })),
    threads: rowsOf('threads').map((row) => ({
      id: String(row['id']),
      user: String(row['user_id']),
      items: Number(row['last_seq']),
    })),
    waiting: rowsOf('turns').filter(({ status }) => status === 'waiting').length,
    documents: rowsOf('documents').length,
  }
}
