// Limits on request bodies in transit. Each is buffered until complete, so the unfinished ones of a caller share a quota.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { createQuota } from './quota.ts'

/** Bytes of unfinished bodies per user. Small bodies are not counted: the limit on requests in flight bounds them. */
const maxBytes = 128 * 1024 * 1024
const smallBytes = 64 * 1024
/** Unfinished bodies of unauthenticated callers: per address, and in total. */
const maxPerAddress = 20
const maxAnonymous = 1_000
const retryAfterSecs = 1

export interface BodyQuota {
  /** Waits for quota and holds it until the whole body has arrived. Throws rate_limited. */
  take(body: IncomingBody): Promise<void>
}

export type IncomingBody = {
  readonly request: IncomingMessage
  readonly answer: ServerResponse
  /** The body limit of the route. */
  readonly limit: number
  /** Undefined for an unauthenticated caller, who is counted by address. */
  readonly user: string | undefined
  readonly address: () => string
}

export function createBodyQuota(waitMs: number): BodyQuota {
  const perUser = createQuota(maxBytes, waitMs)
  const perAddress = createQuota(maxPerAddress, waitMs)
  const anonymous = createQuota(maxAnonymous, waitMs)

  return {
    async take({ request, answer, limit, user, address }) {
      const bytes = bytesOf(request, limit)
      if (bytes === 0 || (user !== undefined && bytes <= smallBytes)) return
      const shares =
        user === undefined
          ? ([
              [perAddress, address(), 1],
              [anonymous, '', 1],
            ] as const)
          : ([[perUser, user, bytes]] as const)
      for (const [quota, key, size] of shares) {
        const release = await quota.take(key, size, answer)
        if (!release) throw tooManyBodies()
        // Fires when the body is complete or abandoned.
        request.once('close', release)
        if (request.destroyed) release()
      }
    },
  }
}

/** The announced size of a body; the limit for a chunked one, which announces none. */
function bytesOf({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit
}

function tooManyBodies(): AppError {
  const message = 'too many of your request bodies are still being sent: finish them, then try again'
  return new AppError('rate_limited', message, { retryAfterSecs })
}
