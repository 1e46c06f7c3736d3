// The settings in force and what depends on them: configuration, safety rules, leak scans, the model. All are read again
// when a setting or a secret changes, in this or another process.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Settings, Store } from '#core/store.ts'
import type { Log } from '#lib/log.ts'
import type { LeakScan, OwnSecret } from '#safety/leaks.ts'
import { createCurrentModel, type CurrentModel } from './current-model.ts'
import { createScans, watchSecrets } from './leak-scans.ts'
import { readSafety, type Safety } from './safety-settings.ts'
import { createSerialReload } from './serial-reload.ts'

export type LiveSettings = {
  /** The settings as stored. */
  readonly stored: () => Settings
  readonly config: () => Config
  readonly safety: () => Safety
  /** Finds secrets in outgoing text of a user. */
  readonly scan: (user: UserId) => LeakScan
  /** Finds secrets in text that a user sends. */
  readonly scanSent: (user: UserId) => LeakScan
  readonly model: Pick<CurrentModel, 'open' | 'skippedModels'>
  /** The secret store; a change through it resolves once it is in force. */
  readonly secrets: SecretStore
  /** Reads the settings again; the next turn follows them. */
  readonly reload: () => Promise<void>
  /** Adds a callback for every reload, called once the new settings are in force. */
  readonly onReload: (follow: () => Promise<void> | void) => void
}

export type LiveSettingsParts = {
  readonly store: Pick<Store, 'settings' | 'secrets'>
  /** Makes the configuration from stored settings; called again when they change. */
  readonly configure: (settings: Settings) => Config
  /** The installation's secrets that are not in the secret store. */
  readonly ownSecrets: (config: Config) => readonly OwnSecret[]
  /** Reports changes by other processes; absent in commands that read once. */
  readonly bus?: Pick<Bus, 'onSignal'>
  readonly log: Log
}

export async function openLiveSettings(parts: LiveSettingsParts): Promise<LiveSettings> {
  const { store, configure, ownSecrets, bus, log } = parts
  let stored: Settings = {}
  let config = configure(stored)
  let safety = readSafety(stored)
  const scans = createScans({ secrets: store.secrets, own: () => ownSecrets(config) })
  const model = createCurrentModel({ config: () => config, secrets: store.secrets, log })
  const followers: (() => Promise<void> | void)[] = []
  const reloadSerially = createSerialReload()

  const read = async (): Promise<void> => {
    const settings = await store.settings.all()
    config = configure(settings)
    safety = readSafety(settings)
    stored = settings
    await scans.read()
  }
  const reload = (): Promise<void> =>
    reloadSerially('settings', async () => {
      await read()
      model.forget()
      for (const follow of followers) await follow()
      log.info({ provider: config.model.provider, model: config.model.name }, 'settings reloaded')
    })
  /** Reads a user's secrets again; one of the operator's may be the model's key. */
  const readSecrets = (owner: UserId): Promise<void> =>
    reloadSerially(`secrets of ${owner}`, async () => {
      await scans.read(owner)
      if (owner === operator) model.forget()
    })
  const logged = (reading: Promise<void>): void => {
    reading.catch((error: unknown) => log.error({ err: error }, 'could not read settings or secrets'))
  }
  bus?.onSignal((signal) => {
    if (signal.type === 'settings') logged(reload())
    if (signal.type === 'secrets') logged(readSecrets(signal.owner))
    if (signal.type === 'removed') logged(readSecrets(signal.user))
  })
  // After the subscription: a change that came in between would be missed. In order: what is read for a signal is later.
  await reloadSerially('first settings', read)

  return {
    stored: () => stored,
    config: () => config,
    safety: () => safety,
    scan: scans.of,
    scanSent: scans.ofSent,
    model,
    secrets: watchSecrets(store.secrets, readSecrets),
    reload,
    onReload: (follow) => void followers.push(follow),
  }
}
