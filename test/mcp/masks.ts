// Masks that know one secret.
import type { Masks } from '#mcp/admin.ts'

export function createMasks(secret = 'sesame-open'): Masks {
  const mask = (text: string): string => text.replaceAll(secret, '***')
  return { mask, maskLong: (text) => Promise.resolve(mask(text)) }
}
