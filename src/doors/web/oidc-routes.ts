// Sign-in through an OpenID issuer: the redirect to it and the callback. A short-lived cookie ties both to one browser.
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { sentence } from '#core/words.ts'
import { requestIdOf } from '#http/request-log.ts'
import { refuse } from '#http/auth.ts'
import type { Refusal } from '#http/caller.ts'
import { checkQuery } from '#http/validate.ts'
import { readCookie, signInCookie, writeCookie, writeLaxCookie } from '#http/cookie.ts'
import type { Oidc } from '#http/oidc.ts'
import { reportFault } from '#http/reply.ts'
import type { Route } from '#http/routes.ts'
import { maxSessionMs, maxSignInMs } from '#http/session.ts'
import type { Log } from '#lib/log.ts'
import { countAttempt, type LoginParts } from './login-routes.ts'
import { sendSignInPage } from './sign-in-page.ts'

const path = '/api/oidc'
const cookiePrefix = 'atrium_oidc'
const maxValueLength = 4_096

const text = z.optional(z.string().check(z.maxLength(maxValueLength)))
const CallbackQuery = z.object({ code: text, state: text, iss: text, error: text })

/** An error code of OAuth. Other text of the query is not shown. */
const errorCode = /^[a-z_]{1,64}$/

export type OidcRouteParts = LoginParts & { readonly oidc?: Oidc; readonly log: Log }

export function oidcRoutes(parts: OidcRouteParts): Route[] {
  const { oidc, sessions, origins } = parts
  if (!oidc) return []

  function redirectUri({ raw }: FastifyRequest): string {
    return `${origins.ownOrigin(raw)}${path}/callback`
  }

  function setCookies(
    { raw }: FastifyRequest,
    reply: FastifyReply,
    values: { state: string; browser: string; session?: string },
  ): void {
    const { secure } = origins.site(raw)
    const maxAgeSecs = values.browser === '' ? 0 : maxSignInMs / 1000
    const lasting = { maxAgeSecs: Math.floor(maxSessionMs / 1000), secure }
    void reply.header('set-cookie', [
      writeLaxCookie(signInCookie(cookiePrefix, values.state), values.browser, { maxAgeSecs, secure, path }),
      ...(values.session === undefined ? [] : [writeCookie(values.session, lasting)]),
    ])
  }

  /** Answers faults with a page where a person looks at them: this address is opened by a browser, not by the app. */
  async function withPage(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work()
    } catch (error) {
      if (!readsPages(request)) throw error
      const { fault, status, retryAfterSecs } = reportFault(error, request.raw, parts.log)
      if (retryAfterSecs !== undefined) reply.header('retry-after', String(retryAfterSecs))
      return sendRefusal(reply, status, sentence(fault.message))
    }
  }

  return [
    {
      method: 'GET',
      path: `${path}/login`,
      who: 'anyone',
      summary: 'Sign in with OpenID Connect: redirects to the issuer',
      handle: (request, reply) =>
        withPage(request, reply, async () => {
          await countAttempt(parts, request)
          const { url, ...begun } = await oidc.begin(redirectUri(request))
          setCookies(request, reply, begun)
          return reply.redirect(url, 302)
        }),
    },
    {
      method: 'GET',
      path: `${path}/callback`,
      who: 'anyone',
      summary: 'Return from the issuer; sets the session cookie and redirects to the first page',
      query: CallbackQuery,
      handle: (request, reply) =>
        withPage(request, reply, async () => {
          await countAttempt(parts, request)
          const { code, state, iss, error } = checkQuery(CallbackQuery, request.query)
          if (state !== undefined) setCookies(request, reply, { state, browser: '' })
          if (error !== undefined)
            return refuseCallback(request, reply, {
              status: 403,
              line: `The sign-in service did not sign you in${errorCode.test(error) ? `: ${error}` : ''}.`,
            })
          if (code === undefined || state === undefined) {
            throw new AppError('invalid_input', `code and state are missing: begin at ${path}/login`)
          }
          const person = await oidc.finish({
            code,
            state,
            ...(iss !== undefined && { iss }),
            browser: readCookie(request.headers.cookie, signInCookie(cookiePrefix, state)),
            redirectUri: redirectUri(request),
            request: requestIdOf(reply.raw),
          })
          if ('status' in person) return refuseCallback(request, reply, { ...person, line: notAdmitted })
          setCookies(request, reply, { state, browser: '', session: await sessions.open(person.id) })
          // A fixed target, so that this is no open redirect.
          return reply.redirect('/', 302)
        }),
    },
  ]
}

const notAdmitted =
  'Your account there has no verified email address of a domain that may sign in here. Sign out there to use another account, or ask the operator of this Atrium.'

/** Browsers name HTML in `Accept` when they open an address; programs usually do not. */
function readsPages({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}

function refuseCallback(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, line }: Refusal & { readonly line: string },
): FastifyReply {
  return readsPages(request) ? sendRefusal(reply, status, line) : refuse(reply, { status })
}

function sendRefusal(reply: FastifyReply, status: number, line: string): FastifyReply {
  const links = [
    { to: `${path}/login`, words: 'Sign in again' },
    { to: '/', words: 'Use an access token' },
  ]
  return sendSignInPage(reply, { status, title: 'You are not signed in', lines: [line], links })
}
