// Models that were chosen before and are no provider's usual one, a server of one's own among them: they stay at hand when
// another is chosen. Kept as the setting `llm_kept`, written as fallbacks are.
import * as z from 'zod/mini'
import { fallbacks } from '#config/schemas.ts'
import type { Json } from '#core/json.ts'
import { isProvider, type Provider, providers } from '#core/providers.ts'
import type { Settings } from '#core/store.ts'

/** Whoever chooses this often has let go of the first ones. */
const maxKept = 8

export type KeptModel = { readonly provider: Provider; readonly name: string; readonly baseUrl?: string }

/** What is kept, the latest first. */
export function keptIn(settings: Settings): readonly KeptModel[] {
  const { data = [] } = z.safeParse(fallbacks(), settings['llm_kept'] ?? '')
  return data.flatMap(({ name, ...rest }) => (name === undefined ? [] : [{ ...rest, name }]))
}

export function modelText({ provider, name, baseUrl }: KeptModel): string {
  return `${provider}/${name}${baseUrl === undefined ? '' : `@${baseUrl}`}`
}

/** The setting, once `wanted` is stored: the model that stood there joins it where another one takes its place. */
export function keeping(stored: Settings, wanted: Settings): { llm_kept?: Json } {
  const before = choiceIn(stored)
  const after = choiceIn({ ...stored, ...wanted })
  if (!before || (after && modelText(after) === modelText(before))) return {}
  return { llm_kept: textOf([before, ...keptIn(stored)]) }
}

/** The setting without some of them. */
export function forgetting(stored: Settings, texts: readonly string[]): { llm_kept: Json } {
  return { llm_kept: textOf(keptIn(stored).filter((each) => !texts.includes(modelText(each)))) }
}

/** The stored choice, where it names more than a provider's usual model at its own address. */
function choiceIn(settings: Settings): KeptModel | undefined {
  const [provider, model, at] = ['llm_provider', 'llm_model', 'llm_base_url'].map((name) => settings[name])
  if (typeof provider !== 'string' || !isProvider(provider) || provider === 'scripted') return undefined
  const usual = providers[provider].model
  const name = typeof model === 'string' ? model : usual
  const baseUrl = typeof at === 'string' && at !== '' ? at.replace(/\/+$/, '') : undefined
  // A list is parted by commas.
  if (!name || `${name}${baseUrl}`.includes(',')) return undefined
  return name === usual && baseUrl === undefined ? undefined : { provider, name, ...(baseUrl && { baseUrl }) }
}

function textOf(models: readonly KeptModel[]): string | null {
  return [...new Set(models.map(modelText))].slice(0, maxKept).join(', ') || null
}
