// The cost of a model call. Prices are never guessed: an unknown cost is null, not 0.
import type { Provider } from '#core/providers.ts'
import type { Usage } from '#core/turn.ts'

const perMillion = 1_000_000

/** Token counts of a call. Tokens written into a cache have a price of their own. */
export type TokenCounts = Omit<Usage, 'costUsd' | 'model'> & { readonly cacheWriteTokens?: number }
/** The cost in USD; null if it is unknown. */
export type PriceOf = (counts: TokenCounts) => number | null
/** USD per million tokens, set by the operator. */
export type ManualPrice = { readonly input: number; readonly output: number }

/** Price and context window of a model, as far as known. Without `priceOf` its calls are free. */
export type ModelFacts = { readonly priceOf?: PriceOf; readonly window?: number }

export type PricedModel = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly price?: ManualPrice
}

/** Looks a model up in the price table. The table is big, so it is loaded only for providers that it may list. */
export async function lookUpModel({ provider, name, baseUrl, price }: PricedModel): Promise<ModelFacts> {
  if (provider === 'offline' || provider === 'scripted') return {}
  const manual = price && { priceOf: manualPrice(price) }
  if (provider === 'ollama') return manual ?? {}
  const { calcPrice } = await import('@pydantic/genai-prices')
  // A custom server is looked up by its address: anyone may give a model a famous name.
  const where = provider === 'openai-compatible' ? { providerApiUrl: baseUrl ?? '' } : { providerId: provider }
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, where)
  const window = found?.model.context_window
  // For later calls the table has this model alone: a search among the models of a large provider takes 0.4 ms.
  const alone = found && { provider: { ...found.provider, models: [found.model] } }
  const priceOf: PriceOf = (counts) => {
    if (!alone) return null
    const { inputTokens, cachedTokens, outputTokens, cacheWriteTokens = 0 } = counts
    const usage = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      // The table expects these as part of the input tokens and refuses more than that.
      cache_read_tokens: Math.min(cachedTokens, inputTokens),
      cache_write_tokens: Math.min(cacheWriteTokens, Math.max(0, inputTokens - cachedTokens)),
    }
    return calcPrice(usage, name, alone)?.total_price ?? null
  }
  return { priceOf, ...manual, ...(window !== undefined && { window }) }
}

function manualPrice({ input, output }: ManualPrice): PriceOf {
  return ({ inputTokens, outputTokens }) => (inputTokens * input + outputTokens * output) / perMillion
}
