// Opens the storage of a home: its lock, the store with the key of its secrets, and the bus between processes.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { type Home, lockHome, masterKey, nextKey, openHome } from '#home.ts'
import { decideRestore, dropStage, finishRestore, isRestoreDecided, preparedMark } from '#home/restore-stage.ts'
import type { Log } from '#lib/log.ts'
import { createSeal, type Seal } from '#lib/seal.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { type Migrated, wayBack } from '#store/migrate-sqlite.ts'
import { newestVersion } from '#store/migrations.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'

/** How long a command waits for another one that upgrades the database, and how often it looks. */
const maxLockWaitMs = 2_000
const lockLookMs = 50
/** Between two lines about an upgrade of the database. */
const upgradeLineMs = 5_000

export type HomeStore = { readonly home: Home; readonly store: Store; readonly seal: Seal }

export type Storage = HomeStore & {
  readonly bus: Bus
  /** Resolves when a newer Atrium has brought the database to a version that this process cannot work with. */
  readonly outdated: Promise<AppError>
  /** Closes everything; the home is unlocked last. */
  close(): Promise<void>
}

/**
 * Locks the home and opens its storage. Throws home_locked while another process has the lock. `onUpgrade` is told what the log
 * is told of an upgrade of the database.
 */
export async function openStorage(config: Config, log: Log, onUpgrade?: (words: string) => void): Promise<Storage> {
  await using opened = new AsyncDisposableStack()
  const unlock = lockHome(openHome(config.home))
  if (!unlock) {
    throw new AppError(
      'home_locked',
      `another Atrium runs on ${config.home}: stop it, or set ATRIUM_HOME to another folder`,
    )
  }
  opened.defer(unlock)
  const { promise: outdated, resolve: onOutdated } = Promise.withResolvers<AppError>()
  const { home, store, seal, openBus } = await openDatabase(config, {
    locked: true,
    say(fields, words) {
      log.warn(fields, words)
      onUpgrade?.(words)
    },
    onOutdated,
  })
  opened.defer(() => store.close())
  const bus = await openBus(log)
  opened.defer(() => bus.close())
  const closing = opened.move()
  return { home, store, seal, bus, outdated, close: () => closing.disposeAsync() }
}

/**
 * Opens the store without locking the home, for commands that read or change it beside a running service. Says on standard
 * error that it upgrades the database, and how to go back.
 */
export async function openHomeStore(config: Config): Promise<HomeStore> {
  const { home, store, seal } = await openDatabase(config, {
    locked: false,
    say: (_, words) => void process.stderr.write(`${words}\n`),
  })
  return { home, store, seal }
}

/**
 * Carries out a restore that a killed process left behind, or drops one that was not decided. With PostgreSQL its
 * transaction decides.
 */
export async function settleRestore(
  home: Home,
  { databaseUrl: url, locked }: { readonly databaseUrl: string | undefined; readonly locked: boolean },
): Promise<void> {
  const mark = url === undefined ? undefined : preparedMark(home.path)
  if (mark === undefined && !isRestoreDecided(home.path)) return
  const unlock = locked ? () => {} : lockHome(home)
  if (!unlock) throw new AppError('home_locked', `a backup is being restored into ${home.path}: try again later`)
  try {
    if (mark === undefined || url === undefined) return
    const { restoredAs } = await import('#store/load-postgres.ts')
    if ((await restoredAs(url)) !== mark) return dropStage(home.path)
    decideRestore(home.path)
    finishRestore(home.path)
  } finally {
    unlock()
  }
}

type Database = HomeStore & { readonly openBus: (log: Log) => Promise<Bus> }

type Opening = {
  readonly locked: boolean
  /** Tells of an upgrade of the database. */
  readonly say: (fields: object, words: string) => void
  readonly onOutdated?: (error: AppError) => void
}

async function openDatabase(config: Config, { locked, say, onOutdated }: Opening): Promise<Database> {
  const { maxUserBytes } = config
  const home = openHome(config.home)
  await settleRestore(home, { databaseUrl: config.databaseUrl, locked })
  const half = config.masterKey === undefined ? nextKey(home) : undefined
  const seal = createSeal(masterKey(home, config.masterKey), ...(half === undefined ? [] : [half]))
  const { onStep, onWait } = sayingUpgrade(say)
  if (config.databaseUrl === undefined) {
    const vectors = config.embedding !== undefined
    const onMigrated = ({ from, to, copy }: Migrated): void => {
      const words = wayBack({ from, copy, path: home.database })
      say({ from, to, copy }, `the database was brought to a newer version. ${words}`)
    }
    const lockToMigrate = (isOld: () => boolean) => (locked ? undefined : lockForUpgrade(home, isOld))
    const parts = { path: home.database, seal, vectors, maxUserBytes, locked, lockToMigrate, onStep, onMigrated }
    const store = openStore(parts)
    return { home, store, seal, openBus: () => Promise.resolve(createLocalBus()) }
  }
  const url = config.databaseUrl
  const { store, sql } = await openPostgresStore({
    url,
    seal,
    maxUserBytes,
    onStep,
    onWait,
    ...(onOutdated && { onOutdated }),
  })
  const { createPostgresBus } = await import('#store/bus-postgres.ts')
  return { home, store, seal, openBus: (log) => createPostgresBus({ url, sql, log }) }
}

/** A line at the beginning of an upgrade, or of the wait for another process, and others where it takes long. */
function sayingUpgrade(say: Opening['say']) {
  const [sayStep, sayWait] = [atTimes(say), atTimes(say)]
  return {
    onStep: (version: number) =>
      sayStep(
        { version, to: newestVersion },
        `upgrading the database from version ${version} to ${newestVersion}: a large one takes minutes`,
      ),
    onWait: () => sayWait({}, 'waiting for another Atrium, which upgrades or restores this database'),
  }
}

function atTimes(say: Opening['say']): Opening['say'] {
  let saidAt = Number.NEGATIVE_INFINITY
  return (fields, words) => {
    if (performance.now() - saidAt < upgradeLineMs) return
    saidAt = performance.now()
    say(fields, words)
  }
}

/**
 * A service of an earlier version may run on the home: its database is not migrated under it. Waits a little for another
 * process that upgrades, and returns undefined once it has. The wait blocks, as the migration itself does.
 */
function lockForUpgrade(home: Home, isOld: () => boolean): (() => void) | undefined {
  const until = performance.now() + maxLockWaitMs
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    const unlock = lockHome(home)
    if (unlock) return unlock
    if (!isOld()) return undefined
    if (performance.now() > until) break
    Atomics.wait(clock, 0, 0, lockLookMs)
  }
  throw new AppError(
    'home_locked',
    `an earlier Atrium, or one that is upgrading, runs on ${home.path}, and this one would upgrade its database: stop it first, use its own commands, or try again later`,
  )
}
