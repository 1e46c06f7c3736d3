// Writing and reading cookies.
import { hashToken } from '#lib/token.ts'

const cookieName = 'atrium_session'
const stateChars = 16

/** The value of a cookie. Undefined when the name appears twice: it would be ambiguous. */
export function readCookie(header: string | undefined, cookie = cookieName): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return name.trim() === cookie ? [value.trim()] : []
  })
  return values.length === 1 && values[0] !== '' ? values[0] : undefined
}

/** The session cookie: not readable by scripts, not sent by other sites, Secure unless the gateway is reached over HTTP. */
export function writeCookie(value: string, { maxAgeSecs, secure }: { maxAgeSecs: number; secure: boolean }): string {
  return `${cookieName}=${value}; Path=/; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

/** The cookie of one sign-in at another server, by its `state`: a browser can have several sign-ins in progress. */
export function signInCookie(prefix: string, state: string): string {
  return `${prefix}_${hashToken(state).slice(0, stateChars)}`
}

/** A cookie that the browser also sends when another site redirects it here, as at the end of a sign-in. */
export function writeLaxCookie(
  name: string,
  value: string,
  { maxAgeSecs, secure, path }: { maxAgeSecs: number; secure: boolean; path: string },
): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
