// Lists of models with their prices: those that the operator can choose without further set-up, and those that everybody can
// choose for a thread.
import type { Config } from '#config.ts'
import { choiceName, modelText, offeredModels } from '#config/model.ts'
import type { ModelView, OfferedModel } from '#core/admin.ts'
import { choosableProviders, type Provider, providerNames, providers } from '#core/providers.ts'
import { lookUpModel } from '#models/price.ts'
import type { KeptModel } from './recent-models.ts'

/** Prices are computed for this many tokens: some providers charge more for longer prompts. */
const pricedTokens = 1_000
const perMillion = 1_000_000

type Choice = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly price?: { readonly input: number; readonly output: number }
  readonly role: ModelView['role']
  readonly kept?: true
}

type ListParts = { readonly config: Config; readonly sealed: readonly string[]; readonly kept: readonly KeptModel[] }

/** The usual model, then the models that can be chosen for a thread instead. */
export async function listOffered({ model }: Pick<Config, 'model'>): Promise<readonly OfferedModel[]> {
  const fallbacks = new Set((model.fallback ?? []).map(choiceName))
  const roleOf = (id: string): OfferedModel['role'] => (fallbacks.has(id) ? 'fallback' : 'offered')
  const usual = { ...(await pricesOf(model)), id: choiceName(model), name: model.name, role: 'usual' as const }
  const others = offeredModels(model).map(async (each) => {
    const id = choiceName(each)
    return { ...(await pricesOf(each)), id, name: each.name, role: roleOf(id) }
  })
  return [usual, ...(await Promise.all(others))]
}

/** The model in use, its fallbacks, the models that are offered, the default model of each provider that is ready, and recent models. */
export async function listModels({ config, sealed, kept }: ListParts): Promise<readonly ModelView[]> {
  const { model } = config
  const keyless = (provider: Provider): boolean =>
    missingOf(provider, config, sealed).some((each) => each.endsWith('_KEY'))
  const choices: Choice[] = [
    { ...model, role: 'in_use' },
    ...(model.fallback ?? []).map((each) => ({ ...each, role: 'fallback' as const })),
    ...(model.choices ?? []).map((each) => ({ ...each, role: 'offered' as const })),
    ...providerNames.flatMap((provider) => {
      const { model: name } = providers[provider]
      return name && missingOf(provider, config, sealed).length === 0
        ? [{ provider, name, role: 'ready' as const }]
        : []
    }),
    ...kept
      .filter(({ provider }) => !keyless(provider))
      .map((each) => ({ ...each, role: 'ready' as const, kept: true as const })),
  ]
  // Of duplicates the first is listed: its role says more.
  const first = new Map<string, Choice>()
  for (const each of choices.toReversed()) first.set(modelText(each), each)
  return Promise.all(choices.filter((each) => first.get(modelText(each)) === each).map(viewOf))
}

async function viewOf(choice: Choice): Promise<ModelView> {
  const { provider, name, baseUrl, role, kept } = choice
  return {
    provider,
    name,
    words: providers[provider].words,
    ...(baseUrl !== undefined && { baseUrl }),
    role,
    ...(kept && { kept }),
    ...(await pricesOf(choice)),
  }
}

async function pricesOf(model: Pick<Choice, 'provider' | 'name' | 'baseUrl' | 'price'>) {
  const { provider, name, baseUrl, price } = model
  const { priceOf } = await lookUpModel({ provider, name, ...(baseUrl && { baseUrl }), ...(price && { price }) })
  const counts = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  const costOf = (tokens: Partial<typeof counts>): number | null => {
    const usd = priceOf ? priceOf({ ...counts, ...tokens }) : 0
    return usd === null ? null : Number(((usd / pricedTokens) * perMillion).toFixed(6))
  }
  return { inputUsd: costOf({ inputTokens: pricedTokens }), outputUsd: costOf({ outputTokens: pricedTokens }) }
}

/** The providers that people are offered. A script is for tests: it is one only while it answers. */
export function offeredProviders({ model }: Pick<Config, 'model'>): readonly Provider[] {
  return model.provider === 'scripted' ? providerNames : choosableProviders
}

/** The settings that are missing before a provider can be chosen. */
export function missingOf(
  name: keyof typeof providers,
  { model, environmentKeys }: Config,
  sealed: readonly string[],
): string[] {
  const { keys, keyed, needs } = providers[name]
  const inUse = name === model.provider
  const hasKey = keys.some((key) => environmentKeys.includes(key) || sealed.includes(key)) || (inUse && model.apiKey)
  return [...(keyed && !hasKey ? keys.slice(0, 1) : []), ...(inUse ? [] : needs)]
}
