// The test of a model that is about to be chosen: a choice that does not answer must not replace a working model.
import type { Config } from '#config.ts'
import { type ModelConfig, modelWords } from '#config/model.ts'
import type { ModelTrial } from '#core/admin.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { SecretStore } from '#core/secret.ts'
import { openModel } from '#models/open-model.ts'
import { tryModel } from '#models/trial.ts'

/** The field of the choice that most likely caused an error; the provider for all others. */
const fields: { readonly [C in ErrorCode]?: string } = { model_unknown: 'model', model_unreachable: 'base_url' }

/**
 * Asks the model itself, without its fallbacks, for one word. Returns its answer; a script gives none. Throws the model's
 * error, with the field to change.
 */
export async function tryChoice(
  choice: ModelConfig,
  { secrets, proxy }: { secrets: Pick<SecretStore, 'get'>; proxy: Config['proxy'] },
): Promise<ModelTrial | undefined> {
  try {
    const model = await openModel({ ...choice, fallback: [] }, { secret: (name) => secrets.get(name), proxy })
    // The replies of a script are for its own messages.
    return choice.provider === 'scripted' ? undefined : await tryModel(model)
  } catch (error) {
    if (!(error instanceof AppError && error.code.startsWith('model_'))) throw error
    const { code, message } = error
    const param = fields[code] ?? 'provider'
    throw new AppError(code, `${modelWords(choice)} does not answer: ${message}`, { param, cause: error })
  }
}
