// The Idempotency-Key of a request, and the hash that tells whether two bodies are the same.
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { canonical } from '#core/json.ts'
import { isLong, jsonInSlices, sortedKeys } from '#core/json-slices.ts'
import type { Idempotency } from '#core/store.ts'
import { inPace } from '#lib/pace.ts'
import { maxLevels } from './bounds.ts'

const maxKeyLength = 255

/** Undefined when the request has no key. Throws invalid_input for a key of a wrong length. */
export async function idempotencyOf(
  { headers, body }: Pick<FastifyRequest, 'headers' | 'body'>,
  bodyHash?: string,
): Promise<Idempotency | undefined> {
  const key = headers['idempotency-key']
  return key === undefined ? undefined : { key: readKey(key), bodyHash: bodyHash ?? (await hashOfBody(body)) }
}

/** Values nested deeper than `maxLevels` are not compared, so that a deep field which is ignored cannot fail a request. */
export async function hashOfBody(body: unknown): Promise<string> {
  if (!isLong(body)) return hash('sha256', canonical(body, maxLevels))
  return hash('sha256', await inPace(jsonInSlices(body, { keysOf: sortedKeys, levels: maxLevels })))
}

function readKey(key: string | string[]): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= maxKeyLength) return key
  const message = `the Idempotency-Key must have 1 to ${maxKeyLength} characters`
  throw new AppError('invalid_input', message, { param: 'Idempotency-Key' })
}
