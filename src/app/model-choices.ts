// The list of models that can be chosen without further set-up, with their prices.
import type { Config } from '#config.ts'
import type { ModelView } from '#core/admin.ts'
import { type Provider, providerNames, providers } from '#core/providers.ts'
import { lookUpModel } from '#models/price.ts'
import { type KeptModel, modelText } from './recent-models.ts'

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

/** The model in use, its fallbacks, the default model of each provider that is ready, and recent models. */
export async function listModels({ config, sealed, kept }: ListParts): Promise<readonly ModelView[]> {
  const { model } = config
  const keyless = (provider: Provider): boolean =>
    missingOf(provider, config, sealed).some((each) => each.endsWith('_KEY'))
  const choices: Choice[] = [
    { ...model, role: 'in_use' },
    ...(model.fallback ?? []).map((each) => ({ ...each, role: 'stands_in' as const })),
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

async function viewOf({ provider, name, baseUrl, price, role, kept }: Choice): Promise<ModelView> {
  const { priceOf } = await lookUpModel({ provider, name, ...(baseUrl && { baseUrl }), ...(price && { price }) })
  const counts = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  const costOf = (tokens: Partial<typeof counts>): number | null => {
    const usd = priceOf ? priceOf({ ...counts, ...tokens }) : 0
    return usd === null ? null : Number(((usd / pricedTokens) * perMillion).toFixed(6))
  }
  return {
    provider,
    name,
    words: providers[provider].words,
    ...(baseUrl !== undefined && { baseUrl }),
    role,
    ...(kept && { kept }),
    inputUsd: costOf({ inputTokens: pricedTokens }),
    outputUsd: costOf({ outputTokens: pricedTokens }),
  }
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
