// The base URL of a model server, as the operator wrote it.
import { AppError } from '#core/errors.ts'
import type { Via } from '#core/turn.ts'

/** Throws invalid_config for an address that can never work. */
export function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new AppError(
    'invalid_config',
    'the base URL of the model is not an http or https URL; example: http://127.0.0.1:11434/v1',
  )
}

/** Where a turn's text goes, as recorded with the turn: only the host of the address. */
export function viaOf({ host }: URL, secret?: string): Via {
  return { host, ...(secret !== undefined && { secret }) }
}
