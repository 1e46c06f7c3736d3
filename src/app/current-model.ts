// The model in use, opened when it is first asked for and again after its settings or its key have changed.
import type { Config } from '#config.ts'
import type { Model } from '#core/model.ts'
import type { SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import { openModel } from '#models/open-model.ts'

export type CurrentModel = {
  /** Opens it where it is not open; one that could not be opened is tried again. */
  readonly open: () => Promise<Model>
  /** Models that are not asked for a while, since they failed again and again. */
  readonly passedOver: () => readonly string[]
  /** The next turn opens it anew. */
  readonly forget: () => void
}

export type CurrentModelParts = {
  readonly config: () => Config
  readonly secrets: Pick<SecretStore, 'get'>
  readonly log: Log
}

export function createCurrentModel({ config, secrets, log }: CurrentModelParts): CurrentModel {
  let current: Promise<Model> | undefined
  let passedOver = (): readonly string[] => []
  return {
    open() {
      const { model, window } = config()
      current ??= openModel(model, (name) => secrets.get(name), log)
        .then((opened) => {
          passedOver = () => opened.passedOver?.() ?? []
          return window === undefined ? opened : { ...opened, window }
        })
        .catch((error: unknown) => {
          current = undefined
          throw error
        })
      return current
    },
    passedOver: () => passedOver(),
    forget() {
      current = undefined
    },
  }
}
