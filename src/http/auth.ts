// Who may come in: bearer tokens of the operator and of users, and sessions, checked before a body is read.
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { operator } from '#core/ids.ts'
import type { AccountStore } from '#core/account.ts'
import type { Log } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import { leaveUnread } from './body.ts'
import type { Caller, Refusal } from './caller.ts'
import { readCookie } from './cookie.ts'
import type { Oidc } from './oidc.ts'
import type { Sessions } from './session.ts'

export type AuthParts = {
  /** The provisioned token (or the one that replaces it) and the gateway's. */
  readonly operatorTokens: readonly string[]
  readonly accounts: Pick<AccountStore, 'findByToken'>
  readonly sessions: Pick<Sessions, 'find'>
  /** Knows whom an issuer's tokens were made for. */
  readonly oidc?: Pick<Oidc, 'authenticate'>
  /** True while the token store is known to be away: then no token is good, the operator's neither. */
  readonly storeAway?: () => boolean
  readonly now?: () => number
  readonly log: Log
}

/** What a request shows to come in: a bearer token, or the cookie of a session. */
export type Credential = { readonly bearer: string } | { readonly cookie: string }

export type Asking = {
  /** The id of the request, for the log. */
  readonly request?: string
  /** Nobody does anything: a session is looked at, not used. */
  readonly idle?: true
}

export type Authenticate = (shown: Credential | undefined, asking?: Asking) => Promise<Caller | Refusal>

/** A JWT says much of whom it was made for. */
const maxTokenLength = 12 * 1024
const bearer = /^bearer[ \t]+([\x21-\x7e]+)$/i
/** A JWT by its looks: tokens of ours have no dots. */
const jwt = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/
/** What a refused request is told, in plain text. */
export const refusalTexts = {
  401: 'Invalid or missing auth token',
  403: 'Forbidden',
  503: 'Database unavailable',
} as const

/** Tells who comes. A user's token is looked up each time, so that a revoked one is refused at once; so is a session. */
export function createAuth(parts: AuthParts): Authenticate {
  const { operatorTokens, accounts, sessions, oidc, storeAway, now = Date.now, log } = parts
  const known = operatorTokens.map((token) => Buffer.from(hashToken(token)))
  const theOperator: Caller = { user: operator, name: 'operator', operator: true }

  async function find(shown: Credential, { request, idle }: Asking): Promise<Caller | Refusal | undefined> {
    if ('cookie' in shown) return sessions.find(shown.cookie, !idle)
    const hash = hashToken(shown.bearer)
    if (isAmong(Buffer.from(hash), known)) return theOperator
    if (oidc && jwt.test(shown.bearer)) return oidc.authenticate(shown.bearer, request)
    const user = await accounts.findByToken(hash, now())
    return user && { user: user.id, name: user.name, operator: false }
  }

  return async (shown, asking = {}) => {
    if (shown === undefined) return { status: 401 }
    if (storeAway?.()) return { status: 503 }
    try {
      return (await find(shown, asking)) ?? { status: 401 }
    } catch (error) {
      log.error({ request: asking.request, err: error }, 'a token or a session could not be looked up')
      return { status: 503 }
    }
  }
}

/** What a request shows. Where there is an Authorization header, a cookie is not looked at. */
export function credentialOf(request: IncomingMessage): Credential | undefined {
  if (request.headers.authorization !== undefined) {
    const bearer = tokenOf(request)
    return bearer === undefined ? undefined : { bearer }
  }
  const cookie = readCookie(request.headers.cookie)
  return cookie === undefined ? undefined : { cookie }
}

/** Answers a refusal, in plain text and without reading on. */
export function refuse(request: FastifyRequest, reply: FastifyReply, { status }: Refusal): FastifyReply {
  leaveUnread(request.raw)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.code(status).type('text/plain; charset=utf-8').send(refusalTexts[status])
}

/** The one bearer token of a request. Two of them are none: a proxy may have looked at the other. */
function tokenOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const value = headers.authorization
  if (value === undefined || countOf(rawHeaders, 'authorization') > 1) return undefined
  const token = bearer.exec(value.trim())?.[1]
  return token !== undefined && token.length <= maxTokenLength ? token : undefined
}

function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at] ?? ''
    if (each.length === name.length && each.toLowerCase() === name) count++
  }
  return count
}

/** Looks at all of them, so that the time tells nothing. */
function isAmong(given: Buffer, known: readonly Buffer[]): boolean {
  let found = false
  for (const each of known) found = timingSafeEqual(given, each) || found
  return found
}
