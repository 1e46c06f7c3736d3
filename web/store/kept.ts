// What this browser keeps for whoever is signed in; it outlives the page and the session, and is never another's.

const prefix = 'atrium.'
let owner = ''

/** From now on things are kept for this user. */
export function keepFor(user: string): void {
  owner = user
}

/** What was kept under a name; a browser that keeps nothing for us has nothing. */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(`${prefix}${owner}.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, undefined forgets it. Where the browser has no room it lives as long as the page. */
export function keep(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(`${prefix}${owner}.${name}`)
    else localStorage.setItem(`${prefix}${owner}.${name}`, text)
  } catch {
    // As above.
  }
}

/** True when something is kept under a name that begins so. */
export function keepsAny(beginning: string): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(`${prefix}${owner}.${beginning}`))
  } catch {
    return false
  }
}
