// The way back from a sign-in at another server: a cookie that ties it to the browser that began it, and a plain page.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { sentence } from '#core/words.ts'
import { newToken } from '#lib/token.ts'
import { readCookie, writeLaxCookie } from '#http/cookie.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { sendSignInPage } from './sign-in-page.ts'

/** SameSite=Lax, so that it is sent on the redirect back. */
const cookieName = 'atrium_sign_in'
const maxAgeSecs = 600
const closing = 'You can close this window.'

/** Sets the cookie for the way back to a path, and returns its value. */
export function markBrowser(reply: FastifyReply, base: string, path: string): string {
  const browser = newToken()
  reply.header(
    'set-cookie',
    writeLaxCookie(cookieName, browser, { maxAgeSecs, secure: base.startsWith('https'), path }),
  )
  return browser
}

/** Ends a sign-in for the browser that comes back. `finish` returns the line of the page. */
export async function receiveBrowser(
  reply: FastifyReply,
  path: string,
  finish: (by: { readonly browser?: string }) => Promise<string>,
): Promise<FastifyReply> {
  const browser = readCookie(reply.request.headers.cookie, cookieName)
  reply.header('set-cookie', writeLaxCookie(cookieName, '', { maxAgeSecs: 0, secure: false, path }))
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
