// Routes of sign-in and sign-out. A token, or the code of a login link, opens a session with an HttpOnly cookie.
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { LimitStore } from '#core/store.ts'
import { type ClientAddress, networkOf } from '#http/address.ts'
import { type Authenticate, refuse } from '#http/auth.ts'
import type { Caller, Refusal } from '#http/caller.ts'
import { check, checkBody } from '#http/validate.ts'
import { writeCookie } from '#http/cookie.ts'
import { takeRate } from '#http/chat-rate.ts'
import type { Origins } from '#http/origin.ts'
import type { Route } from '#http/routes.ts'
import { maxSessionMs, type Sessions } from '#http/session.ts'
import { hashToken } from '#lib/token.ts'
import { SessionAnswer } from '#doors/web/wire/user.ts'
import { isoTime } from '#core/time.ts'
import type { Turns } from '#turns/turns.ts'

const LoginBody = z.object({ token: z.nullish(z.string()), code: z.nullish(z.string()) })
const LogoutBody = z.object({ everywhere: z.nullish(z.boolean()) })

export type LoginParts = {
  readonly turns: Pick<Turns, 'changed'>
  readonly sessions: Sessions
  readonly authenticate: Authenticate
  readonly limits: LimitStore
  /** Maximum sign-in attempts per network address, successful ones included; 0 means no limit. */
  readonly signInsPerMinute: number
  readonly clientAddress: ClientAddress
  readonly origins: Pick<Origins, 'site' | 'ownOrigin'>
  readonly now?: () => number
}

export function loginRoutes(parts: LoginParts): Route[] {
  const { sessions, turns } = parts

  function setCookie({ raw }: FastifyRequest, reply: FastifyReply, value: string): void {
    const maxAgeSecs = value === '' ? 0 : Math.floor(maxSessionMs / 1000)
    reply.header('set-cookie', writeCookie(value, { maxAgeSecs, secure: parts.origins.site(raw).secure }))
  }

  return [
    {
      method: 'POST',
      path: '/api/login',
      who: 'anyone',
      summary: 'Sign in with a token or the code of a sign-in link; sets the session cookie',
      body: LoginBody,
      answers: { 200: SessionAnswer },
      async handle(request, reply) {
        const { body } = request
        await countAttempt(parts, request)
        const cookie = await signIn(parts, checkBody(LoginBody, body))
        if (typeof cookie !== 'string') return refuse(reply, cookie)
        const caller = await parts.authenticate({ cookie })
        if ('status' in caller) return refuse(reply, caller)
        setCookie(request, reply, cookie)
        return sessionWire(caller)
      },
    },
    {
      method: 'GET',
      path: '/api/session',
      who: 'user',
      summary: 'Show who is signed in, and until when',
      answers: { 200: SessionAnswer },
      handle: ({ caller }) => sessionWire(caller),
    },
    {
      method: 'POST',
      path: '/api/logout',
      who: 'user',
      summary: 'Sign out of this session, or of all',
      body: LogoutBody,
      answers: { 204: null },
      async handle(request, reply) {
        const { everywhere } = check(LogoutBody, request.body ?? {})
        const { user, session } = request.caller
        if (everywhere) await sessions.closeAll(user)
        else if (session) await sessions.close(session.cookie)
        // Makes live connections check their session again.
        turns.changed(user)
        setCookie(request, reply, '')
        return reply.code(204).send()
      },
    },
  ]
}

/** Counts a sign-in attempt against its network address. Throws rate_limited, for everyone behind that address. */
export async function countAttempt(
  { limits, signInsPerMinute, clientAddress, now = Date.now }: LoginParts,
  { raw }: FastifyRequest,
): Promise<void> {
  const rate = { key: `login:${networkOf(clientAddress(raw))}`, perMinute: signInsPerMinute, now: now() }
  await takeRate(limits, rate, 'too many attempts to sign in')
}

/** The cookie of a new session, or the refusal of the authenticator (401 becomes an error). */
async function signIn(
  { sessions, authenticate }: LoginParts,
  { token, code }: z.output<typeof LoginBody>,
): Promise<string | Refusal> {
  if (token && code)
    throw new AppError('invalid_input', 'token and code are given: send one of them', { param: 'code' })
  if (code) {
    const cookie = await sessions.redeem(code)
    if (cookie === undefined)
      throw wrong('the link was used before, or its time is over: `atrium login` prints a new one')
    return cookie
  }
  if (!token) throw wrongField('token', 'is missing: send token or code')
  const caller = await authenticate({ bearer: token })
  if (!('status' in caller)) {
    const { user, until } = caller
    return until === undefined ? sessions.open(user, hashToken(token)) : sessions.open(user, undefined, until)
  }
  if (caller.status !== 401) return caller
  throw wrong('the token is not known here, or no longer good')
}

function wrong(message: string): AppError {
  return new AppError('unauthorized', message)
}

function sessionWire({ user, name, session }: Caller): z.output<typeof SessionAnswer> {
  return {
    user_id: user,
    user: name,
    operator: user === operator,
    expires_at: session ? isoTime(session.endsAt) : null,
  }
}
