// Who is signed in.
import { computed, signal } from '@preact/signals'
import type { Session } from '#doors/web/wire/user.ts'
import { ApiFault, ask, onSignedOut } from '../api/client.ts'

/** `unknown` until the gateway has been asked; `ended` when it was there and is gone. */
export type Standing =
  | { readonly type: 'unknown' }
  | { readonly type: 'away' }
  | { readonly type: 'out'; readonly ended: boolean }
  | { readonly type: 'in'; readonly session: Session }

export const standing = signal<Standing>({ type: 'unknown' })

/** Whether it is the operator. */
export const operator = computed(() => standing.value.type === 'in' && standing.value.session.operator)

onSignedOut(() => {
  // Several requests are told so at once: the first of them knows what was.
  if (standing.value.type !== 'out') standing.value = { type: 'out', ended: standing.value.type === 'in' }
})

/** Asks the gateway who we are. */
export async function findSession(): Promise<void> {
  try {
    const session = await ask<Session>('GET', '/api/session')
    const known = standing.peek()
    // The same person: whatever lives as long as they are signed in lives on.
    if (known.type !== 'in' || known.session.user !== session.user) standing.value = { type: 'in', session }
  } catch (error) {
    if (error instanceof ApiFault && error.status === 401) return
    if (standing.value.type !== 'in') standing.value = { type: 'away' }
  }
}

/** Exchanges a token, or the one-time code of the start-up link, for a session. Throws ApiFault. */
export async function signIn(proof: { token: string } | { code: string }): Promise<void> {
  await ask('POST', '/api/login', { body: proof })
  standing.value = { type: 'in', session: await ask<Session>('GET', '/api/session') }
}

/** Where else one can sign in; null where nowhere. */
export async function findIssuer(): Promise<string | null> {
  try {
    return (await ask<{ issuer: string | null }>('GET', '/sign-in.json')).issuer
  } catch {
    return null
  }
}

const backKey = 'atrium.back'

/** The issuer always leads to the first page: this one is to follow. */
export function comeBackTo(path: string): void {
  if (path !== '/login') sessionStorage.setItem(backKey, path)
}

/** The page that was wanted before signing in elsewhere; told once. */
export function takeWayBack(): string | undefined {
  const path = sessionStorage.getItem(backKey) ?? undefined
  sessionStorage.removeItem(backKey)
  return path
}

/** Ends this session, or all of this user's. */
export async function signOut(everywhere = false): Promise<void> {
  await ask('POST', '/api/logout', { body: { everywhere } })
  standing.value = { type: 'out', ended: false }
}
