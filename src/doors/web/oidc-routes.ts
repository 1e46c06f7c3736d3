// Sign-in through an OpenID issuer: the redirect to it and the callback. A short-lived cookie ties both to one browser.
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { requestIdOf } from '#http/request-log.ts'
import { refuse } from '#http/auth.ts'
import { check } from '#http/validate.ts'
import { readCookie, writeCookie, writeLaxCookie } from '#http/cookie.ts'
import type { Oidc } from '#http/oidc.ts'
import type { Route } from '#http/routes.ts'
import { maxSessionMs, maxSignInMs } from '#http/session.ts'
import { countAttempt, type LoginParts } from './login-routes.ts'

const path = '/api/oidc'
const cookieName = 'atrium_oidc'
const maxValueLength = 4_096

const text = z.optional(z.string().check(z.maxLength(maxValueLength)))
const CallbackQuery = z.object({ code: text, state: text, iss: text, error: text })

export type OidcRouteParts = LoginParts & { readonly oidc?: Oidc }

export function oidcRoutes(parts: OidcRouteParts): Route[] {
  const { oidc, sessions, origins } = parts
  if (!oidc) return []

  function redirectUri({ raw }: FastifyRequest): string {
    return `${origins.ownOrigin(raw)}${path}/callback`
  }

  function setCookies(
    { raw }: FastifyRequest,
    reply: FastifyReply,
    values: { browser: string; session?: string },
  ): void {
    const { secure } = origins.site(raw)
    const maxAgeSecs = values.browser === '' ? 0 : maxSignInMs / 1000
    const lasting = { maxAgeSecs: Math.floor(maxSessionMs / 1000), secure }
    void reply.header('set-cookie', [
      writeLaxCookie(cookieName, values.browser, { maxAgeSecs, secure, path }),
      ...(values.session === undefined ? [] : [writeCookie(values.session, lasting)]),
    ])
  }

  return [
    {
      method: 'GET',
      path: `${path}/login`,
      who: 'anyone',
      summary: 'Sign in with OpenID Connect: redirects to the issuer',
      async handle(request, reply) {
        await countAttempt(parts, request)
        const { url, browser } = await oidc.begin(redirectUri(request))
        setCookies(request, reply, { browser })
        return reply.redirect(url, 302)
      },
    },
    {
      method: 'GET',
      path: `${path}/callback`,
      who: 'anyone',
      summary: 'Return from the issuer; sets the session cookie and redirects to the first page',
      query: CallbackQuery,
      async handle(request, reply) {
        await countAttempt(parts, request)
        const { code, state, iss, error } = check(CallbackQuery, request.query)
        setCookies(request, reply, { browser: '' })
        if (error !== undefined) return refuse(request, reply, { status: 403 })
        if (code === undefined || state === undefined) {
          throw new AppError('invalid_input', `code and state are missing: begin at ${path}/login`)
        }
        const person = await oidc.finish({
          code,
          state,
          ...(iss !== undefined && { iss }),
          browser: readCookie(request.headers.cookie, cookieName),
          redirectUri: redirectUri(request),
          request: requestIdOf(reply.raw),
        })
        if ('status' in person) return refuse(request, reply, person)
        setCookies(request, reply, { browser: '', session: await sessions.open(person.id) })
        // A fixed target, so that this is no open redirect.
        return reply.redirect('/', 302)
      },
    },
  ]
}
