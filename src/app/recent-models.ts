// Recently chosen models that are not a provider's default, such as one on the operator's own server. They stay in the list
// of choices after another is chosen. Stored as the setting `llm_kept`, in the format of fallbacks.
import * as z from 'zod/mini'
import { type FallbackConfig, modelText } from '#config/model.ts'
import { fallbacks } from '#config/schemas.ts'
import type { Json } from '#core/json.ts'
import { isProvider, providers } from '#core/providers.ts'
import type { Settings } from '#core/store.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'

/** Older ones are dropped. */
const maxKept = 8

export type KeptModel = Pick<FallbackConfig, 'provider' | 'name' | 'baseUrl'>

/** The stored recent models, latest first. */
export function keptIn(settings: Settings): readonly KeptModel[] {
  const { data = [] } = z.safeParse(fallbacks(), settings['llm_kept'] ?? '')
  return data.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ ...rest, name }]))
}

/** The new value of the setting when `changes` are stored: adds the current model if the changes replace it. */
export function keeping(stored: Settings, changes: Settings): { llm_kept?: Json } {
  const before = choiceIn(stored)
  const after = choiceIn({ ...stored, ...changes })
  if (!before || (after && modelText(after) === modelText(before))) return {}
  return { llm_kept: textOf([before, ...keptIn(stored)]) }
}

/** The new value of the setting without some models. */
export function forgetting(stored: Settings, texts: readonly string[]): { llm_kept: Json } {
  return { llm_kept: textOf(keptIn(stored).filter((each) => !texts.includes(modelText(each)))) }
}

/** The stored choice; undefined when it is a provider's default model at its default address. */
function choiceIn(settings: Settings): KeptModel | undefined {
  const [provider, model, at] = ['llm_provider', 'llm_model', 'llm_base_url'].map((name) => settings[name])
  if (typeof provider !== 'string' || !isProvider(provider) || provider === 'scripted') return undefined
  const defaultName = providers[provider].model
  const name = typeof model === 'string' ? model : defaultName
  const baseUrl = typeof at === 'string' && at !== '' ? withoutEndSlashes(at) : undefined
  // The setting is a comma-separated list.
  if (!name || `${name}${baseUrl}`.includes(',')) return undefined
  return name === defaultName && baseUrl === undefined ? undefined : { provider, name, ...(baseUrl && { baseUrl }) }
}

function textOf(models: readonly KeptModel[]): string | null {
  return [...new Set(models.map(modelText))].slice(0, maxKept).join(', ') || null
}
