// localStorage by the id of the user. It outlives the page and a session that is lost, and one user never reads another's.

let owner = ''
/** Everything written by this page: it serves as the storage where the browser has none, or no space left. */
const here = new Map<string, string | undefined>()
let allStored = true
/** After a sign-out nothing is stored until the next sign-in: what leaves the page then may still want to keep something. */
let isClosed = false

/** False once something was written that only this page has. */
export function isAllStored(): boolean {
  return allStored
}

/** Sets the user whose values are read and written. */
export function setStorageUser(userId: string): void {
  owner = userId
  isClosed = false
}

export function readStored(name: string): string | undefined {
  const key = keyOf(name)
  if (here.has(key)) return here.get(key)
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a text; undefined deletes it. */
export function writeStored(name: string, text: string | undefined): void {
  if (isClosed) return
  const key = keyOf(name)
  here.set(key, text)
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // The page's own copy remains.
    allStored = false
  }
}

/** False for a text that only this page has. */
export function isStored(name: string): boolean {
  try {
    return localStorage.getItem(keyOf(name)) !== null
  } catch {
    return false
  }
}

/** Deletes a text. What another page has stored in its place since stays there for that page. */
export function forgetStored(name: string): void {
  const key = keyOf(name)
  const known = readStored(name)
  here.set(key, undefined)
  try {
    if (localStorage.getItem(key) === known) localStorage.removeItem(key)
  } catch {
    // As in `writeStored`.
  }
}

/** The stored names of the prefix. */
export function storedNames(namePrefix: string): string[] {
  const start = keyOf('')
  return [...new Set([...browserKeys(), ...here.keys()])]
    .filter((key) => key.startsWith(start + namePrefix))
    .map((key) => key.slice(start.length))
    .filter((name) => readStored(name) !== undefined)
}

/** Deletes what tells of the user: drafts, unsent messages and read positions. They sign out: no more is stored. */
export function clearStored(): void {
  const start = keyOf('')
  for (const key of [...browserKeys(), ...here.keys()]) {
    const name = key.slice(start.length)
    if (key.startsWith(start) && /^(draft\.|outbox\.|seen$)/.test(name)) writeStored(name, undefined)
  }
  isClosed = true
}

function keyOf(name: string): string {
  return `atrium.${owner}.${name}`
}

function browserKeys(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}
