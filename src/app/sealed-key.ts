// The sealed key of a provider.
import { type Provider, providers } from '#core/providers.ts'
import type { SecretStore } from '#core/secret.ts'

export async function sealedKey(provider: Provider, secrets: Pick<SecretStore, 'get'>): Promise<string | undefined> {
  for (const name of providers[provider].keys) {
    const key = await secrets.get(name)
    if (key) return key
  }
  return undefined
}
