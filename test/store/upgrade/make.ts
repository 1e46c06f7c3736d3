// `node test/store/upgrade/make.ts COMMIT`: makes the databases of an earlier version with its own code, by real processes over
// SQLite and PostgreSQL, and keeps them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { statementsOf } from '#store/migration.ts'
import type * as today from '#store/migrations.ts'
import { atriumProcess, type Program, type Serving, serve } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { startPostgres } from '../../postgres-server.ts'
import { keepDatabases, type PostgresDump, type Table } from './databases.ts'
import { live } from './life.ts'
import { type ModelServer, sharedKey, startUpgradeModel } from './model.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const [operator, secret] = ['o'.repeat(32), 'w'.repeat(32)]

async function make(commit: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const code = mkdtempSync(join(tmpdir(), 'atrium-old-'))
  opened.defer(() => rmSync(code, { recursive: true, force: true }))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['x', '-C', code], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(code, 'node_modules'))
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', join(code, 'src', 'main.ts')] as const
  const { migrations } = (await import(pathToFileURL(join(code, 'src', 'store', 'migrations.ts')).href)) as typeof today
  const model = await startUpgradeModel()
  opened.defer(() => model.close())
  const server = await startPostgres()
  opened.defer(() => server.remove())
  const url = await server.database()
  const file = await liveIn({ model, program, read: (home) => readSqlite(join(home, 'atrium.db')) })
  const schema = migrations.flatMap((migration) => statementsOf(migration, 'postgres'))
  const dump = await liveIn({ model, program, env: { DATABASE_URL: url }, read: () => readPostgres(url, schema) })
  keepDatabases(migrations.length, file, dump)
  const counts = dump.tables.map(({ table, rows }) => `${table} ${rows.length}`)
  console.log(`version ${migrations.length}: ${counts.join(', ')}`)
}

type Living<T> = {
  readonly model: ModelServer
  readonly program: Program
  readonly env?: Record<string, string>
  readonly read: (home: string) => T | Promise<T>
}

/** Runs the old code in a home of its own, and reads what it has stored when it has ended. */
async function liveIn<T>({ model, program, env, read }: Living<T>): Promise<T> {
  const home = newHome()
  let serving: Serving | undefined
  try {
    mkdirSync(home.path, { recursive: true })
    const all = {
      ...model.env,
      ...env,
      ATRIUM_MASTER_KEY: sharedKey,
      ATRIUM_PRIVATE_HOSTS: model.host,
      LOG_LEVEL: 'warn',
      SERVICE_REBORN_WEBUI_TOKEN: operator,
      HTTP_WEBHOOK_SECRET: secret,
      HTTP_HOST: '127.0.0.1',
    }
    await atriumProcess(home.path, ['secret', 'set', 'kept'], { env: all, input: 'value of a secret\n', program })
    serving = await serve(home.path, all, program)
    const webhook = /webhook\s+(http:\S+)/.exec(serving.output())?.[1] ?? ''
    await live({ gateway: serving.url, webhook, operator, secret })
    await serving.stop()
    return await read(home.path)
  } finally {
    serving?.signal('SIGKILL')
    home.remove()
  }
}

function readSqlite(path: string): Buffer {
  const db = new DatabaseSync(path)
  const copy = `${path}.copy`
  db.prepare('VACUUM INTO ?').run(copy)
  db.close()
  return readFileSync(copy)
}

/** The rows, with the statements of the migrations that made their tables. */
async function readPostgres(url: string, schema: readonly string[]): Promise<PostgresDump> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const found = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position`,
  )
  const tables: Table[] = []
  for (const [table, own] of Map.groupBy(found.rows, (row) => row.table)) {
    const columns = own.map(({ column }) => column)
    const { rows } = await client.query<(string | null)[]>({
      text: `SELECT ${columns.map((name) => `"${name}"::text`).join(', ')} FROM "${table}"`,
      rowMode: 'array',
    })
    if (rows.length > 0) tables.push({ table, columns, rows })
  }
  await client.end()
  return { schema: ['CREATE TABLE schema_version (version BIGINT NOT NULL, oldest BIGINT)', ...schema], tables }
}

await make(process.argv[2] ?? 'HEAD')
