// Writing and reading cookies.

const cookieName = 'atrium_session'

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

/** A cookie that the browser also sends when another site redirects it here, as at the end of a sign-in. */
export function writeLaxCookie(
  name: string,
  value: string,
  { maxAgeSecs, secure, path }: { maxAgeSecs: number; secure: boolean; path: string },
): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
