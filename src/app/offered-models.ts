// The models that can be chosen for a thread, by the settings in force.
import type { Config } from '#config.ts'
import { choiceName, offeredModels } from '#config/model.ts'
import type { OfferedModels } from '#core/admin.ts'

export function createOfferedModels(config: () => Config): OfferedModels {
  return {
    names: () => offeredModels(config().model).map(choiceName),
    // The table of prices is loaded with the first list.
    list: async () => (await import('./model-choices.ts')).listOffered(config()),
  }
}
