// The session cookie: how it is written and read.

const cookieName = 'atrium_session'

/** What the cookie of a request holds. Two of them are none: nobody could say which is meant. */
export function readCookie(header: string | undefined, wanted = cookieName): string | undefined {
  const own = (header ?? '').split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return name.trim() === wanted ? [value.trim()] : []
  })
  return own.length === 1 && own[0] !== '' ? own[0] : undefined
}

/** Out of reach of scripts and of other sites; over plain HTTP only where the gateway itself is reached so. */
export function writeCookie(value: string, { maxAgeSecs, secure }: { maxAgeSecs: number; secure: boolean }): string {
  return `${cookieName}=${value}; Path=/; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
}

/** A cookie for a way to another site and back: a browser that is sent here from there brings it along. */
export function writePassingCookie(
  name: string,
  value: string,
  { maxAgeSecs, secure, path }: { maxAgeSecs: number; secure: boolean; path: string },
): string {
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
