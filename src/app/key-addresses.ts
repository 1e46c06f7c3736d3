// Addresses that a known key may go to: those in use, those used before, and each provider's own. A person who signs in to
// the page can name any address, and must not learn a key by it that they do not have.
import { allModels, type FallbackConfig, type ModelConfig } from '#config/model.ts'
import { AppError } from '#core/errors.ts'
import { providers } from '#core/providers.ts'

type Place = Pick<FallbackConfig, 'provider' | 'baseUrl'>

export type KnownKeys = {
  readonly now: ModelConfig
  /** Models that were in use before. */
  readonly kept: readonly Place[]
  /** The names of the sealed secrets. */
  readonly sealed: readonly string[]
}

/** Throws invalid_input if `next` would send a known key to a new address. A `key` that is given may go anywhere. */
export function checkKeyAddresses(next: ModelConfig, key: string | undefined, { now, kept, sealed }: KnownKeys): void {
  const known = new Set([...allModels(now), ...kept].map(addressOf))
  for (const each of allModels(next)) {
    const { baseUrl: own, keys } = providers[each.provider]
    if (each.baseUrl === undefined || each.baseUrl === own || known.has(addressOf(each))) continue
    if (key !== undefined && each.provider === next.provider) continue
    if (each.apiKey === undefined && !keys.some((name) => sealed.includes(name))) continue
    const message = `the known key of ${each.provider} is not sent to a new address: give the key for it`
    throw new AppError('invalid_input', message, { param: 'key' })
  }
}

function addressOf({ provider, baseUrl = providers[provider].baseUrl }: Place): string {
  return `${provider} ${baseUrl}`
}
