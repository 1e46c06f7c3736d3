// The Idempotency-Key of a request.
import type { FastifyRequest } from 'fastify'
import type { Idempotency } from '#core/turn-store.ts'
import { hashOfBody } from '#http/body-hash.ts'
import { readIdempotencyKey } from '#http/idempotency-key.ts'

/** Undefined when the request has no key. Throws invalid_input for a key of a wrong length. */
export async function idempotencyOf(
  { headers, body }: Pick<FastifyRequest, 'headers' | 'body'>,
  bodyHash?: string,
): Promise<Idempotency | undefined> {
  const key = headers['idempotency-key']
  return key === undefined
    ? undefined
    : { key: readIdempotencyKey(key), bodyHash: bodyHash ?? (await hashOfBody(body)) }
}
