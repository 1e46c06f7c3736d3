// What this browser keeps for whoever is signed in; it outlives the page and the session, and is never another's.

const prefix = 'atrium.'
let owner = ''
/** What was kept by this page: where the browser has no room for it, it lives as long as the page. */
const here = new Map<string, string | undefined>()

/** From now on things are kept for this user. */
export function setStorageUser(user: string): void {
  owner = user
}

/** What was kept under a name. */
export function readStored(name: string): string | undefined {
  const key = `${prefix}${owner}.${name}`
  if (here.has(key)) return here.get(key)
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, undefined forgets it. */
export function writeStored(name: string, text: string | undefined): void {
  const key = `${prefix}${owner}.${name}`
  here.set(key, text)
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // As above.
  }
}

/** True when something is kept under a name that begins so. */
export function hasStored(beginning: string): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(`${prefix}${owner}.${beginning}`))
  } catch {
    return false
  }
}
