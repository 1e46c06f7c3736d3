// The app: the agent with its store and tools, before any door is opened.
import { defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import { type Config, secretsIn } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import type { SettingsDesk, ToolDesk } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { newId, operator, type UserId } from '#core/ids.ts'
import type { Model } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { Tools } from '#core/tool.ts'
import { openBuiltInTools } from '#app/built-in-tools.ts'
import { openAccess, openComponents } from '#app/components.ts'
import { createInvoke } from '#app/invoke.ts'
import { createReadings } from '#app/serial-reload.ts'
import { readSafety } from '#app/safety-settings.ts'
import { createScans, watchSecrets } from '#app/leak-scans.ts'
import { storeShipped } from '#app/shipped-tools.ts'
import { createSettingsDesk } from '#app/settings-admin.ts'
import { createToolDesk, offIn } from '#app/tool-admin.ts'
import { joinSources } from '#app/tool-sources.ts'
import { openTelemetry } from '#app/open-telemetry.ts'
import { eraseWorkspace } from '#app/workspace-folder.ts'
import { openVectors } from '#app/open-vectors.ts'
import { type Home, lockHome, masterKey, nextKey, openHome, provisionedToken } from '#home.ts'
import type { Log } from '#lib/log.ts'
import { createMetrics, type Metrics } from '#lib/metrics.ts'
import { createSeal, type Seal } from '#lib/seal.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { createIdentity } from '#memory/identity.ts'
import { createMemoryTools } from '#memory/memory-tools.ts'
import { openModel } from '#models/open-model.ts'
import { createJudge } from '#safety/policy.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'
import { expireGates } from '#turns/gate-expiry.ts'
import { createGates, type Gates } from '#turns/gates.ts'
import { createGrants } from '#turns/grant-cache.ts'
import { createKeeper } from '#turns/lease.ts'
import { createRunner, type Runner } from '#turns/runner.ts'
import { createSpend } from '#turns/spend.ts'
import { createThreads, type Threads } from '#turns/threads.ts'
import { createTally, type Observer } from '#turns/turn-metrics.ts'
import { createTurns, type Turns } from '#turns/turns.ts'

const expiryCheckMs = 60_000
/** What open turns and streams get at the end before they are released for a restart. */
const drainMs = 10_000

/** The app without its doors: what every command that talks to the agent needs. */
export type App = {
  readonly home: Home
  readonly config: Config
  readonly store: Store
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly documents: Documents
  readonly runner: Runner
  readonly metrics: Metrics
  readonly tools: () => Tools
  /** How people give tools their secrets. */
  readonly access: () => Promise<ToolAccess>
  readonly model: () => Promise<Model>
  /** Models that are not asked for a while, since they failed again and again. */
  readonly passedOver: () => readonly string[]
  /** True while the database cannot be reached. */
  readonly storeAway: () => boolean
  readonly settings: SettingsDesk
  readonly toolDesk: ToolDesk
  /** Reads the settings again; the next turn follows them. */
  reload(): Promise<void>
  close(graceMs?: number): Promise<void>
}

export type AppParts = {
  /** The configuration under some stored settings; called again when they change. */
  readonly configure: (settings: Awaited<ReturnType<Store['settings']['all']>>) => Config
  readonly log: Log
}

/** Opens the store without taking the home: for commands that look or set, beside a running service. */
export async function openHomeStore(config: Config): Promise<{ home: Home; store: Store; seal: Seal }> {
  const { home, store, seal } = await openDatabase(config)
  return { home, store, seal }
}

async function openDatabase(
  config: Config,
): Promise<{ home: Home; store: Store; seal: Seal; openBus: (log: Log) => Promise<Bus> }> {
  const home = openHome(config.home)
  const half = config.masterKey === undefined ? nextKey(home) : undefined
  const seal = createSeal(masterKey(home, config.masterKey), ...(half === undefined ? [] : [half]))
  if (config.databaseUrl === undefined) {
    const store = openStore({ path: home.database, seal, vectors: config.embedding !== undefined })
    return { home, store, seal, openBus: () => Promise.resolve(createLocalBus()) }
  }
  const url = config.databaseUrl
  const { store, sql } = await openPostgresStore({ url, seal })
  const { createPostgresBus } = await import('#store/bus-postgres.ts')
  return { home, store, seal, openBus: (log) => createPostgresBus({ url, sql, log }) }
}

/** Takes the home and opens the app. Throws home_locked while another process has it. */
export async function openApp({ configure, log }: AppParts): Promise<App> {
  const first = configure({})
  const unlock = lockHome(openHome(first.home))
  if (!unlock) {
    throw new AppError(
      'home_locked',
      `another Atrium runs on ${first.home}: stop it, or set ATRIUM_HOME to another folder`,
    )
  }
  const opened: { close(): Promise<void> }[] = []
  try {
    const { home, store: bare, seal, openBus } = await openDatabase(first)
    opened.push(bare)
    const store: Store = { ...bare, secrets: watchSecrets(bare.secrets, (owner) => readSecrets(owner)) }
    const settings = await store.settings.all()
    let config = configure(settings)
    let safety = readSafety(settings)
    const scans = createScans({
      secrets: store.secrets,
      own: () => [...secretsIn(config), provisionedToken(home)],
    })
    await scans.read()
    let model: Promise<Model> | undefined
    const openCurrent = (): Promise<Model> => {
      const { window } = config
      model ??= openModel(config.model, (name) => store.secrets.get(name), log)
        .then((opened) => {
          passedOver = () => opened.passedOver?.() ?? []
          return window === undefined ? opened : { ...opened, window }
        })
        .catch((error: unknown) => {
          model = undefined
          throw error
        })
      return model
    }
    let passedOver = (): readonly string[] => []
    // A script is a file of ours: what is wrong with it is told at the start, not by every turn.
    if (config.model.provider === 'scripted') await openCurrent()
    const lease = await store.leases.join(newId())
    const bus = await openBus(log)
    opened.unshift(bus)
    await storeShipped(store, log)
    const components = openComponents({
      store,
      home,
      config,
      scan: scans.of,
      log,
      invokeTool: (...asked) => createInvoke({ tools: (user) => joined.tools(user), judge })(...asked),
    })
    const identity = createIdentity({ store: store.documents })
    const vectors = await openVectors({ config, store, log, owner: lease.owner })
    if (vectors) opened.unshift(vectors)
    const documents = createDocuments({
      store: store.documents,
      meaning: vectors?.meaning,
      written: (user) => {
        identity.forget(user)
        vectors?.wake()
      },
    })
    const ownTools = [openBuiltInTools(config, scans.of), createMemoryTools(documents)]
    let off = offIn(settings)
    const joined = await joinSources([...ownTools, components], log, () => off)
    const grants = createGrants({ store: store.grants })
    const judge = createJudge({
      settings: () => safety.policy,
      grants: (user) => grants.of(user),
      used: (user, grant, call) => grants.used(user, grant, call),
      marker: () => safety.marker(),
      scan: scans.of,
    })
    const metrics = createMetrics()
    const tally = createTally(metrics)
    const telemetry = await openTelemetry({ config: () => config, store, metrics, log, instance: lease.owner })
    const observer: Observer = {
      stepped: (...step) => tally.stepped(...step),
      rested(turn) {
        tally.rested(turn)
        telemetry?.rested(turn)
      },
    }
    const spend = createSpend({ store, caps: () => config.caps })
    const runner = createRunner({
      store,
      observer,
      bus,
      lease,
      log,
      histories: createHistories({ threads: store.threads, marker: () => safety.marker() }),
      model: openCurrent,
      tools: (user) => joined.tools(user),
      judge,
      grants,
      marker: () => safety.marker(),
      mask: (text, user) => scans.of(user).mask(text),
      identity: (user) => identity.partsFor(user),
      bounds: {
        ...defaultBounds,
        get steps() {
          return config.steps
        },
      },
      spend,
      maxRunning: config.maxRunning,
    })
    const turns = createTurns({
      store,
      bus,
      runner,
      observer,
      marker: () => safety.marker(),
      mask: (text, user) => scans.of(user).mask(text),
      spend,
      eraseFiles: (user) => eraseWorkspace(config, user),
    })
    const gates = createGates({ store, bus })
    // Turns of the last run of this home, or of a replica that is gone.
    const cutOff = await store.turns.recover(lease)
    if (cutOff > 0) log.info({ turns: cutOff }, 'turns of the last run go on')
    runner.wake()
    const keeper = store.backend === 'postgres' ? createKeeper({ store, runner, lease, log }) : undefined
    const expiry = setInterval(() => {
      expireGates({ store, gates, now: Date.now }).catch((error: unknown) =>
        log.error({ err: error }, 'gates could not expire'),
      )
    }, expiryCheckMs)
    expiry.unref()
    const read = async (): Promise<void> => {
      const settings = await store.settings.all()
      config = configure(settings)
      safety = readSafety(settings)
      await scans.read()
      off = offIn(settings)
      model = undefined
      identity.forget()
      await joined.reload()
      log.info({ provider: config.model.provider, model: config.model.name }, 'settings read again')
    }
    const readAgain = createReadings()
    const reload = (): Promise<void> => readAgain('settings', read)
    /** What somebody keeps sealed: the operator's may be the key of the model. */
    const readSecrets = (owner: UserId): Promise<void> =>
      readAgain(`secrets of ${owner}`, async () => {
        await scans.read(owner)
        if (owner === operator) model = undefined
      })
    const follow = (reading: Promise<void>): void => {
      reading.catch((error: unknown) => log.error({ err: error }, 'settings or secrets could not be read'))
    }
    bus.onSignal((signal) => {
      if (signal.type === 'identity') identity.forget(signal.user)
      if (signal.type === 'grants') grants.forget(signal.user)
      if (signal.type === 'removed') {
        follow(readSecrets(signal.user))
        eraseWorkspace(config, signal.user).catch((error: unknown) =>
          log.error({ err: error }, 'the files of a removed user could not be erased'),
        )
      }
      if (signal.type === 'settings') follow(reload())
      if (signal.type === 'secrets') follow(readSecrets(signal.owner))
    })
    let access: Promise<ToolAccess> | undefined
    const openDesk = (): Promise<ToolAccess> =>
      openAccess({ store, config, scan: scans.of, log, seal }).catch((error: unknown) => {
        access = undefined
        throw error
      })
    return {
      home,
      access: () => (access ??= openDesk()),
      get config() {
        return config
      },
      store,
      turns,
      threads: createThreads({ store, bus }),
      gates,
      documents,
      runner,
      metrics,
      tools: () => joined.tools(operator),
      model: openCurrent,
      passedOver: () => passedOver(),
      storeAway: () => keeper?.away() ?? false,
      reload,
      settings: createSettingsDesk({
        store,
        config: () => config,
        configure,
        model: openCurrent,
        reload,
      }),
      toolDesk: createToolDesk({
        store,
        builtIn: () => ownTools.flatMap((source) => source.tools()),
        sandbox: components.sandbox,
        reload,
      }),
      async close(graceMs = drainMs) {
        clearInterval(expiry)
        await runner.drain(graceMs)
        await keeper?.stop()
        await telemetry?.close()
        await joined.close()
        await vectors?.close()
        await bus.close()
        await store.close()
        unlock()
      },
    }
  } catch (error) {
    // A connection left open would keep the process from ending.
    for (const each of opened) await each.close()
    unlock()
    throw error
  }
}
