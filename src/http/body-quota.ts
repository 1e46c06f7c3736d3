// Limits on the memory of request bodies. Each is buffered until complete, so the unfinished ones of a caller share a
// quota; the parsed ones share another until they are answered.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { createQuota } from './quota.ts'

/** Bytes of unfinished bodies per user. Small bodies are not counted: the limit on requests in flight bounds them. */
const maxBytes = 128 * 1024 * 1024
const smallBytes = 64 * 1024
/** Estimated bytes of parsed bodies per user, until they are answered. */
const maxParsedBytes = 256 * 1024 * 1024
/** Unfinished bodies of unauthenticated callers: per address, and in total. */
const maxPerAddress = 20
const maxAnonymous = 1_000
const retryAfterSecs = 1

export interface BodyQuota {
  /** Waits for quota and holds it until the body is read or its request has ended. Throws rate_limited. */
  take(body: IncomingBody): Promise<void>
  /** Waits for quota for a large body that is about to be parsed, until its answer is sent. Throws rate_limited. */
  reserveParsed(request: IncomingMessage, bytes: number): Promise<void>
  /** Releases what `take` holds: the body is parsed or refused. */
  bodyRead(request: IncomingMessage): void
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

type Arriving = Pick<IncomingBody, 'answer' | 'user'> & { readonly held: readonly (() => void)[] }

export function createBodyQuota(waitMs: number): BodyQuota {
  const perUser = createQuota(maxBytes, waitMs)
  const parsed = createQuota(maxParsedBytes, waitMs)
  const perAddress = createQuota(maxPerAddress, waitMs)
  const anonymous = createQuota(maxAnonymous, waitMs)
  const arriving = new WeakMap<IncomingMessage, Arriving>()

  function bodyRead(request: IncomingMessage): void {
    for (const release of arriving.get(request)?.held ?? []) release()
    arriving.delete(request)
  }

  return {
    bodyRead,
    async take({ request, answer, limit, user, address }) {
      const bytes = announcedBytes(request, limit)
      if (bytes === 0 || (user !== undefined && bytes <= smallBytes)) return
      const shares =
        user === undefined
          ? ([
              [perAddress, address(), 1],
              [anonymous, '', 1],
            ] as const)
          : ([[perUser, user, bytes]] as const)
      const held: (() => void)[] = []
      arriving.set(request, { answer, user, held })
      answer.once('close', () => bodyRead(request))
      for (const [quota, key, size] of shares) {
        const release = await quota.take(key, size, answer)
        if (!release) throw tooMany('too many of your request bodies are still being sent: finish them, then try again')
        held.push(release)
        if (answer.destroyed) bodyRead(request)
      }
    },
    async reserveParsed(request, bytes) {
      const { answer, user } = arriving.get(request) ?? {}
      if (!answer || user === undefined) return
      const release = await parsed.take(user, bytes, answer)
      if (!release)
        throw tooMany('your requests in progress hold too much data: wait for their answers, then try again')
      answer.once('close', release)
      if (answer.destroyed) release()
    },
  }
}

/** The announced size of a body; the limit for a chunked one, which announces none. */
export function announcedBytes({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit
}

function tooMany(message: string): AppError {
  return new AppError('rate_limited', message, { retryAfterSecs })
}
