// The app: the agent with its store and tools, before any door is opened.
import type { Config } from '#config.ts'
import { choiceName } from '#config/model.ts'
import type { OfferedModels, SettingsAdmin, ToolAdmin } from '#core/admin.ts'
import type { AppError } from '#core/errors.ts'
import { newId, operator, type UserId } from '#core/ids.ts'
import type { McpServers } from '#core/mcp.ts'
import type { ReadPdf } from '#core/pdf.ts'
import { providers } from '#core/providers.ts'
import { firstSecret } from '#core/secret.ts'
import type { Settings, Store } from '#core/store.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { Tools } from '#core/tool.ts'
import { openLiveSettings } from '#app/live-settings.ts'
import { createOfferedModels } from '#app/offered-models.ts'
import { openMemory } from '#app/open-memory.ts'
import { openMissions } from '#app/open-missions.ts'
import { newsOfMission } from '#reach/events.ts'
import { openReach } from '#app/open-reach.ts'
import { openStorage } from '#app/open-storage.ts'
import { openTelegram } from '#app/open-telegram.ts'
import { openTools } from '#app/open-tools.ts'
import { openTurns, type OpenTurns } from '#app/open-turns.ts'
import { ownSecretsOf } from '#app/own-secrets.ts'
import { createPolicy } from '#app/policy.ts'
import { createReadPdf } from '#app/read-pdf.ts'
import { createSettingsAdmin } from '#app/settings-admin.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import type { Documents } from '#memory/documents.ts'
import { createFence } from '#safety/fence.ts'
import type { Missions } from '#missions/missions.ts'
import type { Notifications } from '#reach/notifications.ts'
import type { PolicySettings } from '#safety/policy-table.ts'
import { createSkills, type Skills } from '#skills/skills.ts'

/** The app without its doors: what every command that talks to the agent needs. */
export type App = Omit<OpenTurns, 'onRest' | 'close'> & {
  readonly home: Home
  readonly config: Config
  readonly store: Store
  readonly documents: Documents
  /** Loaded when they are first asked for. */
  readonly missions: () => Promise<Missions>
  /** Fires missions, sends notifications and serves the chats of the connected bot from now on. */
  readonly startDuties: () => Promise<void>
  /** Loaded when they are first asked for. */
  readonly notifications: () => Promise<Notifications>
  /** The name of the Telegram bot that is served. */
  readonly telegramBot: () => string | undefined
  readonly skills: Skills
  /** Reads the PDFs that people send, through whichever door. */
  readonly readPdf: ReadPdf
  readonly tools: () => Tools
  /** The operator's policy settings. */
  readonly policy: () => PolicySettings
  /** How users sign in to tools and set their secrets. */
  readonly access: () => Promise<ToolAccess>
  /** The models that can be chosen for a thread. */
  readonly models: OfferedModels
  /** Models that are skipped for a while, because they failed repeatedly. */
  readonly skippedModels: () => readonly string[]
  /** Resolves when a newer Atrium has brought the database to a version that this process cannot work with. */
  readonly outdated: Promise<AppError>
  readonly settings: SettingsAdmin
  readonly toolAdmin: ToolAdmin
  /** MCP servers; loaded when they are first asked for. */
  readonly mcp: () => Promise<McpServers>
  /** Reads the settings again; the next turn follows them. */
  reload(): Promise<void>
  /** Stops firing missions, then waits for running turns up to the grace period and releases the others. */
  drain(graceMs: number): Promise<void>
  /** Drains, and closes everything. */
  close(graceMs: number): Promise<void>
}

export type AppParts = {
  /** Makes the configuration from stored settings; called again when they change. */
  readonly configure: (settings: Settings) => Config
  readonly log: Log
  /** Is told that the database is upgraded, which takes minutes if it is large. */
  readonly onUpgrade?: (words: string) => void
}

/** Locks the home and opens the app. Throws home_locked while another process has the lock. */
export async function openApp({ configure, log, onUpgrade }: AppParts): Promise<App> {
  // A failed start closes what it opened: an open connection would keep the process from ending.
  await using opened = new AsyncDisposableStack()
  const storage = await openStorage(configure({}), log, onUpgrade)
  opened.defer(() => storage.close())
  const { home, seal, bus } = storage
  const ownSecrets = (config: Config) => ownSecretsOf(home, config)
  const live = await openLiveSettings({ store: storage.store, bus, configure, ownSecrets, log })
  const store: Store = { ...storage.store, secrets: live.secrets }
  // Opened now, so that a fault in the script file is reported at the start and not by every turn.
  if (live.config().model.provider === 'scripted') await live.model.open()
  const lease = await store.leases.join(newId())
  const memory = await openMemory({ config: live.config(), store, bus, owner: lease.owner, log })
  opened.defer(() => memory.close())
  const { documents, identity } = memory
  live.onReload(() => identity.forget())
  const policy = createPolicy({
    store,
    safety: live.safety,
    scan: live.scan,
    isBuiltIn: (spec) => tools.isBuiltIn(spec),
  })
  const skills = createSkills({ store: store.skills, marker: () => live.safety().marker() })
  bus.onSignal((signal) => {
    if (signal.type === 'skills') skills.forget(signal.user)
  })
  const tools = await openTools({
    home,
    store,
    seal,
    live,
    documents,
    skills,
    policy,
    missions: () => missions.missions(),
    log,
  })
  opened.defer(() => tools.close())
  const fence = createFence(seal.keyFor('fence'))
  const models = createOfferedModels(live.config)
  const modelChecks = {
    isOffered: (model: string) => models.names().includes(model),
    isUsual: (model: string) => model === choiceName(live.config().model),
  }
  const turnParts = { store, bus, lease, live, identity, skills, policy, tools: tools.tools, fence, modelChecks, log }
  const running = await openTurns(turnParts)
  opened.defer(() => running.close())
  const { turns, threads, gates, runner, onRest } = running
  const mask = (text: string, user: UserId): string => live.scan(user).mask(text)
  const reach = openReach({ store, bus, lease, config: live.config, onRest, mask, gates, log })
  opened.defer(() => reach.close())
  const missions = openMissions({
    store,
    bus,
    turns,
    onRest,
    newsOf: newsOfMission,
    onNews: reach.added,
    tools: tools.tools,
    log,
  })
  opened.defer(() => missions.close())
  const readPdf = createReadPdf()
  const telegram = openTelegram({
    store,
    bus,
    turns,
    threads,
    gates,
    readPdf,
    config: live.config,
    onReload: live.onReload,
    owner: lease.owner,
    mask,
    log,
  })
  opened.defer(() => telegram.close())
  const closing = opened.move()
  async function drain(graceMs: number): Promise<void> {
    telegram.stop()
    await missions.stop()
    await runner.drain(graceMs)
  }
  return {
    ...running,
    home,
    get config() {
      return live.config()
    },
    store,
    documents,
    skills,
    readPdf,
    missions: missions.missions,
    async startDuties() {
      await missions.start()
      await reach.start()
      await telegram.start()
    },
    notifications: reach.notifications,
    telegramBot: telegram.bot,
    tools: () => tools.tools(operator),
    policy: () => live.safety().policy,
    access: tools.access,
    models,
    skippedModels: live.model.skippedModels,
    outdated: storage.outdated,
    settings: createSettingsAdmin({
      store,
      config: live.config,
      configure,
      model: live.model.open,
      tryChoice: async (choice) =>
        (await import('#app/try-choice.ts')).tryChoice(choice, { secrets: store.secrets, proxy: live.config().proxy }),
      providerModels: async (choice) => {
        const { listProviderModels } = await import('#models/provider-models.ts')
        const { keys } = providers[choice.provider]
        const apiKey = choice.apiKey ?? (await firstSecret(keys, (name) => store.secrets.get(name)))?.value
        return listProviderModels({ ...choice, proxy: live.config().proxy, ...(apiKey && { apiKey }) })
      },
      reload: live.reload,
    }),
    toolAdmin: tools.admin,
    mcp: tools.mcp,
    reload: live.reload,
    drain,
    async close(graceMs) {
      await drain(graceMs)
      await closing.disposeAsync()
    },
  }
}
