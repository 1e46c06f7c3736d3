// The model in use, opened at first use and again after a change of its settings or key.
import type { Config } from '#config.ts'
import type { Model } from '#core/model.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import { openModel } from '#models/open-model.ts'

export type CurrentModel = {
  /** Opens the model if it is not open. After a failure the next call tries again. */
  readonly open: () => Promise<Model>
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
  let skippedModels = (): readonly string[] => []
  return {
    open() {
      const { model, window } = config()
      current ??= openModel(model, (name) => secrets.get(name), log)
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
    },
  }
}
