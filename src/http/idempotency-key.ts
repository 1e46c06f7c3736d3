// The key of a request that a client may send again. Every door has the same rule for it.
import type { FastifyRequest } from 'fastify'
import { wrongField } from '#core/errors.ts'

export const maxIdempotencyKeyChars = 255

/** The key of a request; undefined when it has none. Throws invalid_input. */
export function keyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key']
  return key === undefined ? undefined : readIdempotencyKey(key)
}

/** Throws invalid_input. An empty key is refused: all requests that send it would become one. */
export function readIdempotencyKey(key: string | readonly string[], header = 'Idempotency-Key'): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= maxIdempotencyKeyChars) return key
  throw wrongField(header, `must have 1 to ${maxIdempotencyKeyChars} characters`)
}
