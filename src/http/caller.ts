// The authenticated caller of a request.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'

export type Caller = {
  readonly user: UserId
  readonly name: string
  readonly operator: boolean
  /** The service's tools that turns of this caller may use, by name; all where it is absent. It is the token's. */
  readonly allowedTools?: readonly string[]
  /** The session of the cookie, and when it ends unless it is used. Absent with a bearer token. */
  readonly session?: { readonly cookie: string; readonly endsAt: number }
  /** When the JWT of an issuer expires. Absent with any other credential. */
  readonly until?: number
}

export type Refusal = { readonly status: 401 | 403 | 503 }

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the auth hook before any handler of a protected route runs. */
    caller: Caller
    /** False once the token or session of the request was revoked or has ended. For answers that take long. */
    isStillAllowed?(): Promise<boolean>
  }
}

/** The rate limit shared by every route that sends a message. */
export interface ChatLimit {
  /** Counts one message. Throws rate_limited with the time to retry after. */
  take(caller: Caller): Promise<void>
}

/** The rate limit of all other routes that change something. */
export interface WriteLimit {
  /** Counts one change; a large body counts as several. Throws rate_limited with the time to retry after. */
  take(caller: Caller, bodyBytes?: number): void
}

/** Throws forbidden for a caller with fewer tools: what it changes would hold for turns with more. `what` completes "…with another". */
export function requireAllTools({ allowedTools }: Caller, what: string): void {
  if (!allowedTools) return
  throw new AppError('forbidden', `this token may use some tools only: ${what} with another`)
}

/** Throws unauthorized if the token or session was revoked while the request waited. For answers that are sent at once. */
export async function requireStillAllowed(request: FastifyRequest): Promise<void> {
  if ((await request.isStillAllowed?.()) !== false) return
  throw new AppError('unauthorized', 'the token or session has ended while this request waited: sign in again')
}
