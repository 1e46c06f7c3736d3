// Administration of settings: reads them, and checks changes before they are stored.
import type { Config } from '#config.ts'
import {
  checkStoredChoice,
  type FallbackConfig,
  isSameModel,
  type ModelConfig,
  modelText,
  settingFault,
} from '#config/model.ts'
import { AppError, wrongField } from '#core/errors.ts'
import type { ChangeOptions, ModelTrial, SettingsAdmin } from '#core/admin.ts'
import { isObject, type Json } from '#core/json.ts'
import type { Model } from '#core/model.ts'
import { providers } from '#core/providers.ts'
import type { Settings, Store } from '#core/store.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'
import { checkKeyAddresses } from './key-addresses.ts'
import { forgetting, keeping, keptIn } from './recent-models.ts'
import { listModels, missingOf, offeredProviders } from './model-choices.ts'
import { rowsInForce } from '#safety/policy-table.ts'
import { markIds, markWords } from '#safety/marks.ts'
import { mergeMarks, mergePolicy, readSafetySettings } from '#safety/policy-settings.ts'

export type SettingsParts = {
  readonly store: Pick<Store, 'settings' | 'secrets'>
  readonly config: () => Config
  readonly configure: (settings: Settings) => Config
  readonly model: () => Promise<Model>
  /** Tests a model that is about to be chosen. Throws when it does not answer. */
  readonly tryChoice: (choice: ModelConfig) => Promise<ModelTrial | undefined>
  /** The models that a provider lists itself. */
  readonly providerModels: (choice: ModelConfig) => Promise<readonly string[]>
  readonly reload: () => Promise<void>
}

export function createSettingsAdmin(parts: SettingsParts): SettingsAdmin {
  const { store, configure } = parts

  /** The settings to store for a change, given those already stored. Throws invalid_input when they are not valid. */
  function decide(stored: Settings, { policy, marks, models, ...others }: Settings): Settings {
    checkModelFields(others)
    try {
      const changes: Settings = {
        ...others,
        ...keeping(stored, others),
        ...(isObject(models) && forgetting(stored, Object.keys(models))),
        ...(policy !== undefined && { policy: isObject(policy) ? mergePolicy(stored['policy'], policy) : policy }),
        ...(isObject(marks) && { marks_off: mergeMarks(stored['marks_off'], marks) }),
      }
      const { model } = configure({ ...stored, ...changes })
      if (model.source === 'environment' && others['llm_provider']) checkStoredChoice({ ...stored, ...changes })
      readSafetySettings({ ...stored, ...changes })
      return changes
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError('invalid_input', error.message, { cause: error, ...(error.param && { param: error.param }) })
    }
  }

  /** The model that a change would bring, with the given key in place of the known one. */
  async function choiceIn(settings: Settings, { key, keyMoves }: Pick<ChangeOptions, 'key' | 'keyMoves'>) {
    const stored = await store.settings.all()
    const { model, environmentKeys } = configure({ ...stored, ...decide(stored, settings) })
    const { keys } = providers[model.provider]
    const [keyName] = keys
    if (!keyMoves) {
      const sealed = (await store.secrets.list()).map(({ name }) => name)
      checkKeyAddresses(model, key, { now: parts.config().model, kept: keptIn(stored), sealed })
    }
    if (key === undefined) return { model, keyName: keyName ?? '' }
    checkInForce({ llm_provider: settings['llm_provider'] ?? null }, model)
    if (keyName === undefined) throw new AppError('invalid_input', `${model.provider} takes no key`, { param: 'key' })
    // It would be stored and never used.
    if (model.apiKey !== undefined) {
      const variable = ['LLM_API_KEY', ...keys].find((name) => environmentKeys.includes(name)) ?? keyName
      throw new AppError('invalid_input', `${variable} in the environment is the key: unset it first`, { param: 'key' })
    }
    return { model: { ...model, apiKey: key }, keyName }
  }

  /** Seals a key while `work` is done. If that fails, the key is as it was before. */
  async function withKey(name: string, key: string, work: () => Promise<void>): Promise<void> {
    const before = await store.secrets.get(name)
    await store.secrets.set(name, key)
    try {
      await work()
    } catch (error) {
      await (before === undefined ? store.secrets.remove(name) : store.secrets.set(name, before))
      throw error
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
          fallback: (model.fallback ?? []).map((each) => fallbackText(each, model)),
          offered: (model.choices ?? []).map((each) => fallbackText(each, model)),
          offeredFixed: config.offeredFixed,
          chosenBy: model.source,
        },
        models: await listModels({ config, sealed, kept: keptIn(settings) }),
        providers: offeredProviders(config).map((name) => {
          const { words, keys } = providers[name]
          return { name, words, missing: missingOf(name, config, sealed), ...(keys[0] && { key: keys[0] }) }
        }),
        limits: {
          perTurnUsd: caps.perTurn ?? null,
          perDayUsd: caps.perDay ?? null,
          steps: config.steps,
          retentionDays: config.retentionDays,
          fixed: capsFixed,
        },
        policy: rowsInForce(policy),
        marks: markIds.map((id) => ({ id, says: markWords(id), on: !marksOff.includes(id) })),
      }
    },
    async change(settings, { force = false, key, keyMoves = false } = {}) {
      const { model, keyName } = await choiceIn(settings, { keyMoves, ...(key !== undefined && { key }) })
      if (!force && (key !== undefined || !isSameModel(model, parts.config().model))) await parts.tryChoice(model)
      const storeChanges = () =>
        store.settings.change((stored) =>
          Object.fromEntries(
            Object.entries(decide(stored, settings)).map(([name, value]) => [name, value ?? undefined]),
          ),
        )
      await (key === undefined ? storeChanges() : withKey(keyName, key, storeChanges))
      await parts.reload()
    },
    async tryChoice(settings, key) {
      const { model } = await choiceIn(settings, key === undefined ? {} : { key })
      checkInForce(settings, model)
      const trial = await parts.tryChoice(model)
      if (!trial) throw new AppError('invalid_input', 'a script answers only its own messages', { param: 'provider' })
      return trial
    },
    async providerModels(settings, key) {
      // A provider without a default model needs a name, which is what is looked for.
      const named = { ...settings, llm_model: 'any' }
      const { model } = await choiceIn(named, key === undefined ? {} : { key })
      checkInForce({ ...settings, llm_model: null }, model)
      return parts.providerModels(model)
    },
    async tryModel() {
      const trial = await parts.tryChoice(parts.config().model)
      if (trial) return trial
      // A script gives an answer to no choice, and one to a message.
      const { tryModel } = await import('#models/trial.ts')
      return tryModel(await parts.model())
    },
  }
}

/** The fields of a request that change the model, by the settings in which they are stored. */
const modelFields = [
  ['llm_provider', 'provider'],
  ['llm_model', 'model'],
  ['llm_base_url', 'base_url'],
  ['llm_fallback', 'fallback'],
  ['llm_models', 'offered'],
] as const

/** Throws invalid_input that names the field of a value which the next start would refuse. */
function checkModelFields(changes: Settings): void {
  for (const [setting, field] of modelFields) {
    const value = changes[setting]
    const fault = typeof value === 'string' && value !== '' ? settingFault(setting, value) : undefined
    if (fault !== undefined) throw wrongField(field, fault)
  }
}

/** Throws if the environment says something else than the settings: another model would be asked in place of theirs. */
function checkInForce(settings: Settings, model: ModelConfig): void {
  const address = settings['llm_base_url']
  const wishes: readonly [variable: string, param: string, wanted: Json | undefined, inForce: string | undefined][] = [
    ['LLM_PROVIDER', 'provider', settings['llm_provider'], model.provider],
    ['LLM_MODEL', 'model', model.provider === 'offline' ? null : settings['llm_model'], model.name],
    ['LLM_BASE_URL', 'base_url', typeof address === 'string' ? withoutEndSlashes(address) : null, model.baseUrl],
  ]
  for (const [variable, param, wanted, inForce] of wishes) {
    // Some providers have no address.
    if (typeof wanted !== 'string' || inForce === undefined || wanted === inForce) continue
    const message = `${variable} in the environment is ${inForce} and goes before this: unset it first`
    throw new AppError('invalid_input', message, { param })
  }
}

/** A fallback as it is stored, with its address only when that differs from the main model's. */
function fallbackText({ baseUrl, ...model }: FallbackConfig, main: FallbackConfig): string {
  return modelText(baseUrl === undefined || baseUrl === main.baseUrl ? model : { ...model, baseUrl })
}
