// Signing in by OAuth: what is asked, what comes back, and whether it may be believed. Pure; tokens.ts does the asking.
import { createHash } from 'node:crypto'
import { isObject } from '#core/json.ts'
import type { Renewal } from '#core/secret.ts'
import { printable } from '#safety/printable.ts'
import type { OAuth } from '#sandbox/package/auth.ts'

/** Who asks: the program that was registered with the server. */
export type Client = { readonly id: string; readonly secret?: string | undefined }

export type Tokens = { readonly value: string; readonly renewal: Renewal }

/** Why there are no tokens. `code` is the server's own word, such as invalid_grant. */
export type TokenFault = { readonly code: string; readonly message: string }

export type Asked = {
  readonly clientId: string
  readonly state: string
  readonly verifier: string
  readonly redirectUri: string
}

/** What the browser brought back. */
export type Returned = {
  readonly code: string
  readonly state?: string
  readonly issuer?: string
  /** Where the browser was sent to, without its query; absent when the code came alone. */
  readonly address?: string
}

const maxWordChars = 300
const maxTokenChars = 32 * 1_024
/** A lifetime beyond it is no different from none. */
const maxLifeSecs = 10 * 365 * 24 * 60 * 60

/** Where the browser goes. */
export function signInUrl(oauth: OAuth, { clientId, state, verifier, redirectUri }: Asked): string {
  const url = new URL(oauth.authorizationUrl)
  for (const [name, value] of oauth.extraParams) url.searchParams.set(name, value)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('redirect_uri', redirectUri)
  if (oauth.scopes.length > 0) url.searchParams.set('scope', oauth.scopes.join(' '))
  url.searchParams.set('state', state)
  if (oauth.usePkce) {
    url.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return url.href
}

/** Reads an address that the browser was sent to, or a code alone. A string tells what is wrong with it. */
export function readReturn(text: string): Returned | string {
  const given = text.trim()
  if (!/^[a-z]+:\/\//i.test(given)) {
    return /^[\x21-\x7e]{4,4096}$/.test(given) ? { code: given } : 'this is neither the address nor a code'
  }
  const url = URL.parse(given)
  if (!url) return 'this is not an address'
  const query = url.searchParams
  const [fault, detail] = [query.get('error'), query.get('error_description')]
  if (fault !== null) return `the server refused the sign-in: ${shown(detail ?? fault)}`
  const [code, state, issuer] = [query.get('code'), query.get('state'), query.get('iss')]
  if (code === null || code === '') return 'the address has no code in it'
  const address = `${url.origin}${url.pathname}`
  return { code, address, ...(state !== null && { state }), ...(issuer !== null && { issuer }) }
}

/** Why another server than the one that was asked may have sent the browser back. */
export function issuerFault({ issuer, authorizationUrl }: OAuth, said: string | undefined): string | undefined {
  if (issuer !== undefined) return said === issuer ? undefined : 'another server answered than the one that was asked'
  if (said === undefined) return undefined
  const same = URL.parse(said)?.origin === new URL(authorizationUrl).origin
  return same ? undefined : 'another server answered than the one that was asked'
}

export type Form = Readonly<Record<string, string>>

export function codeForm(
  oauth: OAuth,
  { code, verifier, redirectUri }: { code: string } & Omit<Asked, 'state' | 'clientId'>,
): Form {
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  return oauth.usePkce ? { ...form, code_verifier: verifier } : form
}

export function refreshForm(token: string): Form {
  return { grant_type: 'refresh_token', refresh_token: token }
}

/** Reads the answer of a token endpoint. A server that sends no new refresh token means the one before. */
export function readTokens(
  { status, body }: { status: number; body: string },
  { now, before }: { now: number; before?: string | undefined },
): Tokens | TokenFault {
  const answer = parsed(body)
  const said = answer['error']
  if (typeof said === 'string') {
    const detail = answer['error_description']
    return { code: shown(said), message: shown(typeof detail === 'string' ? `${said}: ${detail}` : said) }
  }
  if (status !== 200) return { code: `http_${status}`, message: `the token endpoint answered ${status}` }
  const value = answer['access_token']
  const type = answer['token_type']
  if (typeof value !== 'string' || value === '' || value.length > maxTokenChars || /[^\x20-\x7e]/.test(value)) {
    return { code: 'no_token', message: 'the token endpoint gave no access token' }
  }
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    return { code: 'no_token', message: `the token endpoint gave a token of type ${shown(type)}; only bearer is known` }
  }
  const given = answer['refresh_token']
  const token = typeof given === 'string' && given !== '' && given.length <= maxTokenChars ? given : before
  const life = Number(answer['expires_in'])
  const expiresAt = life > 0 && life <= maxLifeSecs ? now + life * 1_000 : undefined
  return { value, renewal: { ...(token !== undefined && { token }), ...(expiresAt !== undefined && { expiresAt }) } }
}

/** JSON, or the form that older servers answer with. */
function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

function shown(text: string): string {
  return printable(text.slice(0, maxWordChars))
}
