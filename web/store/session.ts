// The session: who is signed in, signing in and out.
import { computed, signal } from '@preact/signals'
import type { Session } from '#doors/web/wire/user.ts'
import { ApiFault, request, onSignedOut } from '../api/client.ts'
import { clearStored } from './local-storage.ts'

/** `unknown` until the gateway has answered; `away` when it cannot be reached; `ended` when a session was lost. */
export type SessionState =
  | { readonly type: 'unknown' }
  | { readonly type: 'away' }
  | { readonly type: 'out'; readonly ended: boolean }
  | { readonly type: 'in'; readonly session: Session }

export const sessionState = signal<SessionState>({ type: 'unknown' })

export const isOperator = computed(() => sessionState.value.type === 'in' && sessionState.value.session.operator)

onSignedOut(() => {
  // Several requests may get a 401 at once: the first one sets `ended`.
  if (sessionState.value.type !== 'out') sessionState.value = { type: 'out', ended: sessionState.value.type === 'in' }
})

/** Asks the gateway who is signed in. */
export async function findSession(): Promise<void> {
  try {
    const session = await request<Session>('GET', '/api/session')
    const known = sessionState.peek()
    // The same user: a new value would restart everything that lives with the session.
    if (known.type !== 'in' || known.session.user_id !== session.user_id) enter(session)
  } catch (error) {
    if (error instanceof ApiFault && error.status === 401) return
    if (sessionState.value.type !== 'in') sessionState.value = { type: 'away' }
  }
}

/** Exchanges a token, or the one-time code of the start-up link, for a session. Throws ApiFault. */
export async function signIn(proof: { token: string } | { code: string }): Promise<void> {
  await request('POST', '/api/login', { body: proof })
  enter(await request<Session>('GET', '/api/session'))
}

let lastUser: string | undefined

/** What a window tells the others. */
type News = { readonly type: 'in' | 'out'; readonly user: string }

/** The windows of a browser share its cookie: each tells the others who has signed in, and that the user has signed out. */
const windows = new BroadcastChannel('atrium.user')
windows.addEventListener('message', ({ data }: MessageEvent<News>) => {
  if (data.type === 'in' && (data.user !== lastUser || sessionState.peek().type !== 'in')) void findSession()
  // Meanwhile another user may have signed in.
  if (data.type === 'out' && data.user === lastUser) leave()
})

/** Leaves the session in all windows of this browser, after the gateway has ended it. */
export function leaveWindows(): void {
  leave()
  if (lastUser !== undefined) tellWindows({ type: 'out', user: lastUser })
}

function leave(): void {
  sessionState.value = { type: 'out', ended: false }
  clearStored()
}

/** The page keeps what it has read for a user who comes back. Another user gets a new page. */
function enter(session: Session): void {
  if (lastUser !== undefined && lastUser !== session.user_id) return location.reload()
  lastUser = session.user_id
  sessionState.value = { type: 'in', session }
  tellWindows({ type: 'in', user: session.user_id })
}

function tellWindows(news: News): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  windows.postMessage(news)
}

/** The OIDC issuer that the sign-in page offers; null for none. */
export async function findIssuer(): Promise<string | null> {
  try {
    return (await request<{ issuer: string | null }>('GET', '/sign-in.json')).issuer
  } catch {
    return null
  }
}

const backKey = 'atrium.back'

/** Remembers the page to show after signing in at the issuer, which always returns to `/`. */
export function rememberReturnPath(path: string): void {
  if (path !== '/login') sessionStorage.setItem(backKey, path)
}

/** Returns the remembered page and forgets it. */
export function takeReturnPath(): string | undefined {
  const path = sessionStorage.getItem(backKey) ?? undefined
  sessionStorage.removeItem(backKey)
  return path
}
