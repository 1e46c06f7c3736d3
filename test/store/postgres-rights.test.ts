// What the administrator of a PostgreSQL may withhold: rights, and changes of any kind.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { AppError } from '#core/errors.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'

const seal = createSeal('0'.repeat(64))
const server = usePostgres()

/** Runs statements as the administrator. */
async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** The address of a new database for a new user without rights. */
async function openToPoor(t: TestContext) {
  const url = await server.database()
  const name = `poor_${process.pid}`
  await administer(url, `CREATE ROLE ${name} LOGIN PASSWORD 'poor'`)
  t.after(() => administer(url, `DROP OWNED BY ${name}`, `DROP ROLE ${name}`))
  const poor = new URL(url)
  poor.username = name
  poor.password = 'poor'
  return { url, name, poor: poor.href }
}

test('a user who may not create tables is told so', async (t) => {
  const { poor } = await openToPoor(t)
  await assert.rejects(openPostgresStore({ url: poor, seal }), {
    code: 'database_unavailable',
    message: /lacks a right, such as to create tables/,
  })
})

test('a user whose rights were taken away stores again once they are back', async (t) => {
  const { url, name, poor } = await openToPoor(t)
  await administer(url, `GRANT CREATE ON SCHEMA public TO ${name}`)
  const { store } = await openPostgresStore({ url: poor, seal })
  t.after(() => store.close())
  const change = () => store.settings.change(() => ({ llm_provider: 'offline' }))
  await administer(url, `REVOKE ALL ON settings FROM ${name}`)
  await assert.rejects(change(), { code: 'database_unavailable', message: /lacks a right/ })
  await administer(url, `GRANT ALL ON settings TO ${name}`)
  await change()
})

test('a database that takes no changes is unavailable until it does again', async (t) => {
  const url = await server.database()
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const set = (how: 'on' | 'off') => {
    const change = `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${how}`
    const cutOff = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return administer(url, 'SET default_transaction_read_only = off', change, cutOff)
  }
  const storeOne = () => store.settings.change(() => ({ llm_provider: 'offline' }))
  const toldAs = async (reason: RegExp): Promise<boolean> => {
    const fault: unknown = await storeOne().then(
      () => undefined,
      (error: unknown) => error,
    )
    return fault instanceof AppError && fault.code === 'database_unavailable' && reason.test(fault.message)
  }
  await set('on')
  await until(() => toldAs(/takes no changes/))
  await assert.rejects(store.checkWrites(), { code: 'database_unavailable' })
  await set('off')
  await until(() =>
    storeOne().then(
      () => true,
      () => false,
    ),
  )
})
