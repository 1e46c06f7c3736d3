// Restores a backup into a home: checked first, prepared aside, and put in place by one step.
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { newId } from '#core/ids.ts'
import type { Home } from '#home.ts'
import { createStage, decideRestore, dropStage, finishRestore } from '#home/restore-stage.ts'
import { mountedNames, preparedMark, writePlan } from '#home/restore-stage.ts'
import { termsOf } from '#memory/chunks.ts'
import { createReader } from '#memory/terms.ts'
import type { Loading } from '#store/load.ts'
import { newestVersion } from '#store/migrations.ts'
import { type PortableColumn, type PortableRow, type PortableTable, portableTables } from '#store/portable-schema.ts'
import { type BackupSource, type OnProgress, writeAll } from './backup.ts'
import type { Line } from './format.ts'
import { createFileWriter, fileFolders, keyNames, readKeys } from './home-files.ts'
import { readBackup, type Summary, verifyBackup } from './read-file.ts'
import { restoreFault } from './restore-fault.ts'
import { createBackupFile } from './write-file.ts'

export type RestoreParts = BackupSource & {
  readonly file: string
  /** Replaces what the home and the database have; a copy is kept aside. */
  readonly replace: boolean
  readonly onProgress?: OnProgress
}

export type Restored = Summary & {
  /** The folder of the home with what was replaced. */
  readonly aside?: string
}

/** Checks a backup without touching anything: the file, and whether this program and this home can take it. */
export async function checkBackup({ home, file, masterKey, onProgress }: RestoreParts): Promise<Summary> {
  const keys = createKeyReader()
  const onRead = (share: number): void => onProgress?.('checking the backup', share)
  const summary = await verifyBackup(file, { onRead, onLine: (line) => keys.line(line) })
  const { schema, version } = summary.header
  if (schema > newestVersion) {
    const reason = `its database has version ${schema}, this Atrium knows ${newestVersion}`
    throw new AppError('invalid_input', `${file} is of a newer Atrium (${version}): ${reason}`)
  }
  // A key of the environment that is not the backup's would open nothing that it brings.
  if (masterKey !== undefined && keys.found().length > 0 && !keys.found().includes(masterKey.toLowerCase()))
    throw new AppError(
      'invalid_config',
      `${file} brings its own key, but ATRIUM_MASTER_KEY is another one: unset it, or restore a backup without a key`,
    )
  checkMounts(home, summary.header.with_key)
  const device = statSync(home.path).dev
  for (const name of fileFolders) {
    const folder = join(home.path, name)
    if (existsSync(folder) && statSync(folder).dev !== device)
      throw new AppError('invalid_input', `${folder} is on another disk than the home: move it away first`)
  }
  return summary
}

/** A mount point cannot be renamed, even one of the same disk: the restore would stop halfway. */
function checkMounts(home: Home, withKey: boolean): void {
  const file = '/proc/self/mountinfo'
  const names = [...fileFolders, basename(home.database), ...(withKey ? keyNames : [])]
  const [name] = existsSync(file) ? mountedNames(readFileSync(file, 'utf8'), realpathSync(home.path), names) : []
  if (name !== undefined)
    throw new AppError('invalid_input', `${join(home.path, name)} is a mount point: unmount it first`)
}

/** Restores a backup. The caller has locked the home and called `checkBackup`. */
export async function restoreBackup(parts: RestoreParts, summary: Summary): Promise<Restored> {
  const { home, databaseUrl: url } = parts
  const mark = newId()
  const aside = `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const stage = createStage(home.path)
  try {
    if (url === undefined) await fillSqlite(parts, summary, stage)
    else await fillPostgres(parts, summary, { stage, mark, aside, url })
    if (url === undefined) writePlan(home.path, planOf(stage, { mark, aside, summary }))
  } catch (error) {
    // With a plan the database may have been committed all the same: the next start looks.
    if (preparedMark(home.path) === undefined) dropStage(home.path)
    throw restoreFault(error, { home: home.path, file: parts.file })
  }
  decideRestore(home.path)
  finishRestore(home.path)
  return { ...summary, ...(existsSync(join(home.path, aside)) && { aside: join(home.path, aside) }) }
}

async function fillSqlite(parts: RestoreParts, summary: Summary, stage: string): Promise<void> {
  const { home, replace } = parts
  const { loadSqlite, holdsRows } = await import('#store/load-sqlite.ts')
  if (!replace && (holdsRows(home.database) || holdsFiles(home))) throw notEmpty(home.path)
  const version = summary.header.schema
  const loading = loadSqlite({ path: join(stage, 'atrium.db'), version, termsOf: termMaker() })
  try {
    await load(parts, summary, { loading, stage })
    await loading.finish()
  } catch (error) {
    await loading.abort()
    throw error
  }
}

type PostgresRestore = { readonly stage: string; readonly mark: string; readonly aside: string; readonly url: string }

/** The commit of the database decides; the files are ready before it. */
async function fillPostgres(
  parts: RestoreParts,
  summary: Summary,
  { stage, mark, aside, url }: PostgresRestore,
): Promise<void> {
  const { home, replace, onProgress } = parts
  const { loadPostgres } = await import('#store/load-postgres.ts')
  const loading = await loadPostgres({ url, termsOf: termMaker(), mark })
  try {
    if (!replace && (loading.replaced || holdsFiles(home))) throw notEmpty('the database')
    if (loading.replaced) {
      mkdirSync(join(stage, aside), { mode: 0o700 })
      const kept = await createBackupFile(join(stage, aside, 'database.backup'))
      await writeAll(kept, {
        snapshot: loading.replaced,
        keys: readKeys(home, parts),
        withKey: true,
        home,
        onProgress: (_, share) => onProgress?.('keeping a copy of what is replaced', share),
      })
    }
    await loading.begin(summary.header.schema)
    await load(parts, summary, { loading, stage })
    writePlan(home.path, planOf(stage, { mark, aside, summary }))
    await loading.finish()
  } catch (error) {
    await loading.abort()
    throw error
  }
}

function planOf(stage: string, { mark, aside, summary }: { mark: string; aside: string; summary: Summary }) {
  const places = readdirSync(stage).filter((name) => name !== 'plan.json' && name !== aside)
  // A key that is half changed would belong to the key that is replaced.
  const clears = summary.header.with_key && !places.includes('master-key.next') ? ['master-key.next'] : []
  return { mark, places, clears, aside }
}

/** Reads the file once more: rows go to the database, files to the stage. */
async function load(
  { file, masterKey, operatorToken, onProgress }: RestoreParts,
  { header, sha256 }: Summary,
  { loading, stage }: { loading: Loading; stage: string },
): Promise<void> {
  const tables = new Map(portableTables(header.schema).map((table) => [table.name, table]))
  for (const folder of fileFolders) mkdirSync(join(stage, folder), { mode: 0o700 })
  const files = createFileWriter(stage, namesOutside(masterKey, operatorToken))
  let into: Target | undefined
  let count = 0
  let rows: PortableRow[] = []
  const flush = async (): Promise<void> => {
    if (into && rows.length > 0) await loading.add(into.table, into.columns, rows)
    rows = []
  }
  try {
    for await (const lines of readBackup(file, (share) => onProgress?.('restoring', share))) {
      for (const line of lines) {
        if (line.type === 'row') {
          if (into) checkRow(into, line.row, ++count)
          rows.push(line.row)
        } else await flush()
        if (line.type === 'table') {
          into = targetOf(tables, line)
          count = 0
        } else if (line.type !== 'row') await files.add(line)
        if (line.type === 'end' && line.sha256 !== sha256)
          throw new AppError('invalid_input', `${file} was changed meanwhile: nothing was restored`)
      }
      await flush()
    }
    await files.end()
  } finally {
    await files.close()
  }
}

/** A table that rows go to, and the types of their values. */
type Target = {
  readonly table: PortableTable
  readonly columns: readonly string[]
  readonly types: readonly PortableColumn['type'][]
}

function targetOf(
  tables: ReadonlyMap<string, PortableTable>,
  { table: name, columns }: { readonly table: string; readonly columns: readonly string[] },
): Target {
  const table = tables.get(name)
  if (!table) throw unknownPart(`a table ${name}`)
  const types = columns.map((column) => {
    const known = table.columns.find((each) => each.name === column)
    if (!known) throw unknownPart(`a column ${column} of ${name}`)
    return known.type
  })
  return { table, columns, types }
}

function unknownPart(what: string): AppError {
  return new AppError('invalid_input', `the backup has ${what}, which this Atrium does not know: nothing was restored`)
}

/** SQLite would take any value. `number` is that of the row in its table. */
function checkRow({ table, columns, types }: Target, row: PortableRow, number: number): void {
  const at = row.findIndex((value, each) => value !== null && typeOf(value) !== types[each])
  if (at < 0) return
  const where = `row ${number} of the table ${table.name} has a value in the column ${columns[at]}`
  throw new AppError('invalid_input', `${where} that is not of the type ${types[at]}: nothing was restored`)
}

/** Undefined for a number that SQLite would take and not give back. */
function typeOf(value: string | number | Uint8Array): PortableColumn['type'] | undefined {
  if (typeof value === 'string') return 'text'
  if (typeof value !== 'number') return 'bytes'
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 'number' : undefined
}

/** Where the environment has a value, its file is not used. */
function namesOutside(masterKey: string | undefined, operatorToken: string | undefined): string[] {
  return keyNames.filter((name) => (name === 'webui-token' ? operatorToken : masterKey) !== undefined)
}

/** Finds the master keys among the lines of a backup. */
function createKeyReader() {
  const keys: string[] = []
  let inKey = false
  return {
    line(line: Line): void {
      if (line.type === 'part' && inKey) keys.push(Buffer.from(line.bytes).toString('utf8').trim())
      inKey = line.type === 'file' && line.path.startsWith('master-key')
    },
    found: () => keys,
  }
}

function holdsFiles({ path }: Home): boolean {
  return fileFolders.some((name) => existsSync(join(path, name)) && readdirSync(join(path, name)).length > 0)
}

function notEmpty(what: string): AppError {
  return new AppError('forbidden', `${what} is not empty: with --replace it is replaced, and a copy is kept aside`)
}

function termMaker() {
  const reader = createReader()
  return (path: string, text: string) => termsOf(reader, path, text)
}
