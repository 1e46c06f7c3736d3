// The model in use, opened at first use and again after a change of its settings or key.
import type { Config } from '#config.ts'
import { choiceName, offeredModels } from '#config/model.ts'
import type { Model } from '#core/model.ts'
import type { SecretStore } from '#core/secret.ts'
import { type Loaded, loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { type ModelChoice, openModel } from '#models/open-model.ts'

export type CurrentModel = {
  /**
   * Opens the model if it is not open. After a failure the next call tries again. `choice` names one of the models that
   * are offered for choosing; any other name means the usual one.
   */
  readonly open: (choice?: string) => Promise<Model>
  /** Models that are skipped for a while, because they failed repeatedly. */
  readonly skippedModels: () => readonly string[]
  /** Makes the next `open` open the model anew. */
  readonly forget: () => void
}

export type CurrentModelParts = {
  readonly config: () => Config
  readonly secrets: Pick<SecretStore, 'get'>
  readonly log: Log
}

export function createCurrentModel({ config, secrets, log }: CurrentModelParts): CurrentModel {
  let usual = openUsual()
  let opened: Model | undefined
  const chosen = new Map<string, Loaded<Model>>()

  function open(choice: ModelChoice): Promise<Model> {
    const { proxy, window } = config()
    return openModel(choice, { secret: (name) => secrets.get(name), proxy, window, log })
  }

  function openUsual(): Loaded<Model> {
    return loadOnce(async () => (opened = await open(config().model)))
  }

  return {
    open(name) {
      const choices = name === undefined ? [] : offeredModels(config().model)
      const choice = choices.find((each) => choiceName(each) === name)
      if (!choice || name === undefined) return usual()
      const model = chosen.get(name) ?? loadOnce(() => open(choice))
      chosen.set(name, model)
      return model()
    },
    skippedModels: () => opened?.skippedModels?.() ?? [],
    forget() {
      usual = openUsual()
      chosen.clear()
    },
  }
}
