// Authentication by bearer token or session cookie, before the body is read.
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { operator } from '#core/ids.ts'
import type { AccountStore } from '#core/account.ts'
import type { Log } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import type { Caller, Refusal } from './caller.ts'
import { readCookie } from './cookie.ts'
import type { Oidc } from './oidc.ts'
import type { Sessions } from './session.ts'

export type AuthParts = {
  /** The provisioned token (or its replacement) and the gateway's own. */
  readonly operatorTokens: readonly string[]
  readonly accounts: Pick<AccountStore, 'findByToken'>
  readonly sessions: Pick<Sessions, 'find'>
  /** Resolves the JWTs of an OpenID issuer. */
  readonly oidc?: Pick<Oidc, 'authenticate' | 'isKnown'>
  /** True while the token store is known to be unavailable. No token is accepted then, not even the operator's. */
  readonly storeAway?: () => boolean
  readonly now?: () => number
  readonly log: Log
}

export type Credential = { readonly bearer: string } | { readonly cookie: string }

export type AuthContext = {
  /** The request id, for the log. */
  readonly request?: string
  /** A background check, not an act of the user: it does not extend the session. */
  readonly idle?: true
}

export type Authenticate = (credential: Credential | undefined, context?: AuthContext) => Promise<Caller | Refusal>

/** JWTs with many claims are long. */
const maxTokenLength = 12 * 1024
const bearer = /^bearer[ \t]+([\x21-\x7e]+)$/i
/** The shape of a JWT. Tokens that this service issues have no dots. */
const jwt = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/
/** Plain-text bodies of refusals, by status. */
export const refusalTexts = {
  401: 'Invalid or missing auth token',
  403: 'Forbidden',
  503: 'Database unavailable',
} as const

/** Tokens and sessions are looked up on every request, so that a revoked one is refused at once. */
export function createAuth(parts: AuthParts): Authenticate {
  const { operatorTokens, accounts, sessions, oidc, storeAway, now = Date.now, log } = parts
  const known = operatorTokens.map((token) => Buffer.from(hashToken(token)))
  const theOperator: Caller = { user: operator, name: 'operator', operator: true }

  async function find(credential: Credential, { request, idle }: AuthContext): Promise<Caller | Refusal | undefined> {
    if ('cookie' in credential) return sessions.find(credential.cookie, !idle)
    const hash = hashToken(credential.bearer)
    if (isAmong(Buffer.from(hash), known)) return theOperator
    if (oidc && jwt.test(credential.bearer)) return oidc.authenticate(credential.bearer, request)
    const user = await accounts.findByToken(hash, now())
    if (!user) return undefined
    const { id, name, tools } = user
    return { user: id, name, operator: false, ...(tools && { allowedTools: tools }) }
  }

  return async (credential, context = {}) => {
    if (credential === undefined) return { status: 401 }
    if (storeAway?.()) return { status: 503 }
    try {
      return (await find(credential, context)) ?? { status: 401 }
    } catch (error) {
      log.error({ request: context.request, err: error }, 'could not look up a token or session')
      return { status: 503 }
    }
  }
}

/** The credential of a request. An Authorization header takes precedence: the cookie is then ignored. */
export function credentialOf(request: IncomingMessage): Credential | undefined {
  if (request.headers.authorization !== undefined) {
    const bearer = tokenOf(request)
    return bearer === undefined ? undefined : { bearer }
  }
  const cookie = readCookie(request.headers.cookie)
  return cookie === undefined ? undefined : { cookie }
}

/** Retry-After while the database is away. */
const awayRetrySecs = 5

/** Answers a refusal in plain text, without reading the body. */
export function refuse(reply: FastifyReply, { status }: Refusal): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', String(awayRetrySecs))
  return reply.code(status).type('text/plain; charset=utf-8').send(refusalTexts[status])
}

/** The bearer token of a request. Repeated headers count as none: a proxy may have checked the other one. */
function tokenOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const value = headers.authorization
  if (value === undefined || countOf(rawHeaders, 'authorization') > 1) return undefined
  const token = bearer.exec(value.trim())?.[1]
  return token !== undefined && token.length <= maxTokenLength ? token : undefined
}

/** How often a header of a lower-case name came. */
export function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] ?? ''
    if (each.length === name.length && each.toLowerCase() === name) count++
  }
  return count
}

/** Compares with every known hash, so that the time taken reveals nothing. */
function isAmong(hash: Buffer, known: readonly Buffer[]): boolean {
  let found = false
  for (const each of known) found = timingSafeEqual(hash, each) || found
  return found
}
