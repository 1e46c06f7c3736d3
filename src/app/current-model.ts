// The model in use, opened at first use and again after a change of its settings or key.
import type { Config } from '#config.ts'
import { choiceName, type FallbackConfig, offeredModels } from '#config/model.ts'
import type { Model } from '#core/model.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import { openModel } from '#models/open-model.ts'

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
  let current: Promise<Model> | undefined
  const chosen = new Map<string, Promise<Model>>()
  let skippedModels = (): readonly string[] => []
  const sources = () => ({ secret: (name: string) => secrets.get(name), proxy: config().proxy, log })

  function openChoice(choice: FallbackConfig): Promise<Model> {
    const name = choiceName(choice)
    const open = chosen.get(name) ?? openModel(choice, sources())
    chosen.set(name, open)
    open.catch(() => chosen.delete(name))
    return open
  }

  return {
    open(name) {
      const { model, window } = config()
      const choice = name === undefined ? undefined : offeredModels(model).find((each) => choiceName(each) === name)
      if (choice) return openChoice(choice)
      current ??= openModel(model, sources())
        .then((opened) => {
          skippedModels = () => opened.skippedModels?.() ?? []
          return window === undefined ? opened : { ...opened, window }
        })
        .catch((error: unknown) => {
          current = undefined
          throw error
        })
      return current
    },
    skippedModels: () => skippedModels(),
    forget() {
      current = undefined
      chosen.clear()
    },
  }
}
