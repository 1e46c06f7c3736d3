// Seals: what a provider wants back with a thought or a call, unread. The name of who made it stands in it, for nobody
// else may get it.
import { isObject, objectIn } from '#core/json.ts'

/** The fields of a provider's metadata that have to come back. */
const sealed = { anthropic: ['signature', 'redactedData'], google: ['thoughtSignature'] } as const

export type Sealer = keyof typeof sealed
/** The way the providers' packages carry it. */
export type SealOptions = Record<string, Record<string, string>>

/** The seal in the metadata of a part; undefined where there is none. */
export function sealIn(sealer: Sealer, metadata: unknown): string | undefined {
  const own = isObject(metadata) ? metadata[sealer] : undefined
  if (!isObject(own)) return undefined
  for (const field of sealed[sealer]) {
    const value = own[field]
    if (typeof value === 'string' && value !== '') return JSON.stringify({ [sealer]: { [field]: value } })
  }
  return undefined
}

/** What goes back with a part; undefined for a seal that somebody else made. */
export function unseal(sealer: Sealer, seal: string | undefined): SealOptions | undefined {
  const own = seal === undefined ? undefined : objectIn(seal)?.[sealer]
  if (!isObject(own)) return undefined
  for (const field of sealed[sealer]) {
    const value = own[field]
    if (typeof value === 'string') return { [sealer]: { [field]: value } }
  }
  return undefined
}
