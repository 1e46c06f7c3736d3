// The address of a model server, as the operator wrote it.
import { AppError } from '#core/errors.ts'
import type { Via } from '#core/turn.ts'

/** Throws invalid_config for an address that can never work. */
export function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new AppError(
    'invalid_config',
    'the base URL of the model is no http(s) URL; an example: http://127.0.0.1:11434/v1',
  )
}

/** Who is told what a turn says: of the address its host alone. */
export function viaOf({ host }: URL, secret?: string): Via {
  return { host, ...(secret !== undefined && { secret }) }
}
