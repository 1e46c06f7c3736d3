// Who a request comes from, once its token or its session has been checked.
// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers -- brings the module that is extended below
import type {} from 'fastify'
import type { UserId } from '#core/ids.ts'

export type Caller = {
  readonly user: UserId
  readonly name: string
  readonly operator: boolean
  /** The session that a cookie named, and when it ends unless it is used; absent under a bearer token. */
  readonly session?: { readonly cookie: string; readonly endsAt: number }
  /** When an issuer's token ends, where one was shown. */
  readonly until?: number
}

/** Why a request does not come in; the status says it. */
export type Refusal = { readonly status: 401 | 403 | 503 }

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the auth hook before any handler of a protected route runs. */
    caller: Caller
  }
}

/** The chat rate limit, shared by every route that sends a message. */
export interface ChatLimit {
  /** Counts one send. Throws rate_limited with the time to come back. */
  take(caller: Caller): Promise<void>
}
