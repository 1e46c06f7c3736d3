// Signatures: opaque values that a provider sends with reasoning or a call and expects back unchanged. An item stores
// one in its field `seal`, together with the provider's name, since no other provider may get it.
import { isObject, objectIn } from '#core/json.ts'

/** Fields of a provider's metadata that must be sent back. */
const signatureFields = { anthropic: ['signature', 'redactedData'], google: ['thoughtSignature'] } as const

export type SdkProvider = keyof typeof signatureFields

/** The signature in the metadata of a part, as stored in an item. */
export function readSignature(provider: SdkProvider, metadata: unknown): string | undefined {
  const own = ownSignature(provider, metadata)
  return own && JSON.stringify(own)
}

/** The provider options that send a stored signature back; undefined for another provider's signature. */
export function signatureOptions(provider: SdkProvider, seal: string | undefined): Signature | undefined {
  return seal === undefined ? undefined : ownSignature(provider, objectIn(seal))
}

type Signature = Record<string, Record<string, string>>

function ownSignature(provider: SdkProvider, all: unknown): Signature | undefined {
  const own = isObject(all) ? all[provider] : undefined
  if (!isObject(own)) return undefined
  for (const field of signatureFields[provider]) {
    const value = own[field]
    if (typeof value === 'string' && value !== '') return { [provider]: { [field]: value } }
  }
  return undefined
}
