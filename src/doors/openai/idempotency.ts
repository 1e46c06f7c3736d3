// The Idempotency-Key of a request.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Idempotency } from '#core/turn-store.ts'
import { hashOfBody } from '#http/body-hash.ts'

const maxKeyLength = 255

/** Undefined when the request has no key. Throws invalid_input for a key of a wrong length. */
export async function idempotencyOf(
  { headers, body }: Pick<FastifyRequest, 'headers' | 'body'>,
  bodyHash?: string,
): Promise<Idempotency | undefined> {
  const key = headers['idempotency-key']
  return key === undefined ? undefined : { key: readKey(key), bodyHash: bodyHash ?? (await hashOfBody(body)) }
}

function readKey(key: string | string[]): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= maxKeyLength) return key
  const message = `the Idempotency-Key must have 1 to ${maxKeyLength} characters`
  throw new AppError('invalid_input', message, { param: 'Idempotency-Key' })
}
