// What a call costs. Nobody's price is guessed: unknown is null, and never 0.
import type { Provider } from '#core/providers.ts'
import type { Usage } from '#core/turn.ts'

const perMillion = 1_000_000

/** The counts of a call; what was written into a cache has a price of its own. */
export type Counts = Omit<Usage, 'costUsd' | 'model'> & { readonly cacheWriteTokens?: number }
/** USD, or null where nobody knows. */
export type PriceOf = (counts: Counts) => number | null
/** USD for a million tokens, set by hand. */
export type HandPrice = { readonly input: number; readonly output: number }

/** What is known of a model: absent `priceOf`, its calls are free. */
export type KnownModel = { readonly priceOf?: PriceOf; readonly window?: number }

export type Priced = {
  readonly provider: Provider
  readonly name: string
  readonly baseUrl?: string
  readonly price?: HandPrice
}

/** Looks a model up in the table, which is big: it is loaded for the providers that stand in it, when one is opened. */
export async function knowModel({ provider, name, baseUrl, price }: Priced): Promise<KnownModel> {
  if (provider === 'offline' || provider === 'scripted') return {}
  const byHand = price && { priceOf: handPrice(price) }
  if (provider === 'ollama') return byHand ?? {}
  const { calcPrice } = await import('@pydantic/genai-prices')
  // A server of somebody's is known by its address alone: anybody may call a model by a famous name.
  const where = provider === 'openai-compatible' ? { providerApiUrl: baseUrl ?? '' } : { providerId: provider }
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, where)
  const window = found?.model.context_window
  const priceOf: PriceOf = (counts) => {
    if (!found) return null
    const { inputTokens, cachedTokens, outputTokens, cacheWriteTokens = 0 } = counts
    const usage = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      // The table counts these inside of the input and refuses more.
      cache_read_tokens: Math.min(cachedTokens, inputTokens),
      cache_write_tokens: Math.min(cacheWriteTokens, Math.max(0, inputTokens - cachedTokens)),
    }
    return calcPrice(usage, name, where)?.total_price ?? null
  }
  return { priceOf, ...byHand, ...(window !== undefined && { window }) }
}

function handPrice({ input, output }: HandPrice): PriceOf {
  return ({ inputTokens, outputTokens }) => (inputTokens * input + outputTokens * output) / perMillion
}
