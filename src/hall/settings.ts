// The desk for settings: what stands, what may be changed, and the change itself, checked before anything is stored.
import type { Config } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { SettingsDesk } from '#core/desk.ts'
import { isObject } from '#core/json.ts'
import type { Model } from '#core/model.ts'
import { providerNames, providers } from '#core/providers.ts'
import type { Settings, Store } from '#core/store.ts'
import { policyTable, ruleOf } from '#safety/policy-table.ts'
import { markIds, markWords } from '#safety/marks.ts'
import { mergePolicy, readSafetySettings } from '#safety/policy-settings.ts'

export type SettingsParts = {
  readonly store: Pick<Store, 'settings' | 'secrets'>
  readonly config: () => Config
  readonly configure: (settings: Settings) => Config
  readonly model: () => Promise<Model>
  readonly steps: number
  readonly reload: () => Promise<void>
}

export function createSettingsDesk(parts: SettingsParts): SettingsDesk {
  const { store, configure } = parts

  function check(settings: Settings): void {
    try {
      configure(settings)
      readSafetySettings(settings)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError('invalid_input', error.message, { cause: error, ...(error.param && { param: error.param }) })
    }
  }

  return {
    async read() {
      const [settings, secrets] = await Promise.all([store.settings.all(), store.secrets.list()])
      const config = parts.config()
      const { model, caps, capsFixed } = config
      const { policy, marksOff } = readSafetySettings(settings)
      const sealed = secrets.map(({ name }) => name)
      return {
        model: {
          provider: model.provider,
          name: model.name,
          ...(model.baseUrl !== undefined && { baseUrl: model.baseUrl }),
          fallback: (model.fallback ?? []).map(({ provider, name }) => `${provider}/${name}`),
          chosenBy: model.source,
        },
        providers: providerNames.map((name) => {
          return { name, words: providers[name].words, missing: missingOf(name, config, sealed) }
        }),
        limits: {
          perTurnUsd: caps.perTurn ?? null,
          perDayUsd: caps.perDay ?? null,
          steps: parts.steps,
          fixed: capsFixed,
        },
        policy: policyTable.map(({ id, calls }) => ({
          id,
          calls,
          clean: ruleOf(id, false, policy),
          tainted: ruleOf(id, true, policy),
          changed: policy[id] !== undefined,
        })),
        marks: markIds.map((id) => ({ id, says: markWords(id), on: !marksOff.includes(id) })),
      }
    },
    async change(settings) {
      await store.settings.change((stored) => {
        const { policy } = settings
        const wanted = isObject(policy) ? { ...settings, policy: mergePolicy(stored['policy'], policy) } : settings
        check({ ...stored, ...wanted })
        return Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, value ?? undefined]))
      })
      await parts.reload()
    },
    async tryModel() {
      const { tryModel } = await import('#models/trial.ts')
      return tryModel(await parts.model())
    },
  }
}

/** What a provider lacks to be chosen. */
export function missingOf(
  name: keyof typeof providers,
  { model, keysGiven }: Config,
  sealed: readonly string[],
): string[] {
  const { keys, keyed, needs } = providers[name]
  const inUse = name === model.provider
  const hasKey = keys.some((key) => keysGiven.includes(key) || sealed.includes(key)) || (inUse && model.apiKey)
  return [...(keyed && !hasKey ? keys.slice(0, 1) : []), ...(inUse ? [] : needs)]
}
