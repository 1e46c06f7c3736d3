// The way back from a sign-in at another server: a cookie that ties it to the browser that began it, and a plain page.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { sentence } from '#core/words.ts'
import { newToken } from '#lib/token.ts'
import { readCookie, signInCookie, writeLaxCookie } from '#http/cookie.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { sendSignInPage } from './sign-in-page.ts'

/** SameSite=Lax, so that it is sent on the redirect back. */
const cookiePrefix = 'atrium_sign_in'
const maxAgeSecs = 600
const closing = 'You can close this window.'

/** Begins a sign-in for this browser, and sets the cookie for the way back to a path. */
export async function beginInBrowser<T extends { readonly state: string }>(
  reply: FastifyReply,
  { base, path }: { base: string; path: string },
  begin: (from: { readonly redirectUri: string; readonly browser: string }) => Promise<T>,
): Promise<T> {
  const browser = newToken()
  const begun = await begin({ redirectUri: `${base}${path}`, browser })
  const cookie = { maxAgeSecs, secure: base.startsWith('https'), path }
  reply.header('set-cookie', writeLaxCookie(signInCookie(cookiePrefix, begun.state), browser, cookie))
  return begun
}

/** Ends a sign-in for the browser that comes back. `finish` returns the line of the page. */
export async function receiveBrowser(
  reply: FastifyReply,
  path: string,
  finish: (by: { readonly browser?: string }) => Promise<string>,
): Promise<FastifyReply> {
  const { headers, url } = reply.request
  const state = new URL(url, 'http://here').searchParams.get('state')
  const name = state === null ? undefined : signInCookie(cookiePrefix, state)
  const browser = name === undefined ? undefined : readCookie(headers.cookie, name)
  if (name !== undefined) {
    reply.header('set-cookie', writeLaxCookie(name, '', { maxAgeSecs: 0, secure: false, path }))
  }
  try {
    const line = await finish(browser === undefined ? {} : { browser })
    return sendSignInPage(reply, { status: 200, title: 'Signed in', lines: [line, closing] })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = asFault(error)
    const lines = [sentence(message), 'Close this window and begin the sign-in again where you began it.']
    return sendSignInPage(reply, { status: statusOf(code), title: 'Not signed in', lines })
  }
}
