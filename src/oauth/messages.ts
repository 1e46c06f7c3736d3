// OAuth messages: builds the authorization URL and token requests, reads and checks the answers. Pure: token-endpoint.ts
// sends the requests.
import { createHash } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import type { Renewal } from '#core/secret.ts'
import { repeatsItself } from '#core/find-text.ts'
import { printable } from '#safety/printable.ts'

/** How to sign in at an authorization server, and for what. */
export type OAuthServer = {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** The expected `iss` parameter of the redirect (RFC 9207). */
  readonly issuer?: string | undefined
  /** The server may leave the `iss` parameter out. */
  readonly mayOmitIssuer?: boolean
  readonly scopes: readonly string[]
  readonly usePkce: boolean
  readonly extraParams: ReadonlyMap<string, string>
  /** The server that the tokens are for (RFC 8707). */
  readonly resource?: string
}

/** The OAuth client, as registered with the server. */
export type Client = { readonly id: string; readonly secret?: string | undefined }

export type Tokens = { readonly value: string; readonly renewal: Renewal }

/** Why there are no tokens. `code` is the server's error code such as invalid_grant, or one of this file. */
export type TokenFault = { readonly code: string; readonly message: string }

export type AuthorizationRequest = {
  readonly clientId: string
  readonly state: string
  readonly verifier: string
  readonly redirectUri: string
}

/** The authorization response, read from the address that the browser was redirected to. */
export type AuthorizationResponse = {
  readonly code: string
  readonly state?: string
  readonly issuer?: string
  /** The address without its query; absent when only the code was pasted. */
  readonly address?: string
}

const maxShownChars = 300
const maxTokenChars = 32 * 1_024
/** A longer lifetime counts as none. */
const maxLifeSecs = 10 * 365 * 24 * 60 * 60

/** The URL of the sign-in page, for the browser. */
export function signInUrl(
  oauth: OAuthServer,
  { clientId, state, verifier, redirectUri }: AuthorizationRequest,
): string {
  const url = new URL(oauth.authorizationUrl)
  for (const [name, value] of oauth.extraParams) url.searchParams.set(name, value)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('client_id', clientId)
  url.searchParams.set('redirect_uri', redirectUri)
  if (oauth.scopes.length > 0) url.searchParams.set('scope', oauth.scopes.join(' '))
  url.searchParams.set('state', state)
  if (oauth.resource !== undefined) url.searchParams.set('resource', oauth.resource)
  if (oauth.usePkce) {
    url.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return url.href
}

/** Reads the address that the browser was redirected to, or a code alone. Throws invalid_input; tool_refused for a refusal. */
export function readAuthorizationResponse(text: string): AuthorizationResponse {
  const input = text.trim()
  if (!/^[a-z]+:\/\//i.test(input)) {
    if (/^[\x21-\x7e]{4,4096}$/.test(input)) return { code: input }
    throw new AppError('invalid_input', 'this is neither the address nor a code')
  }
  const url = URL.parse(input)
  if (!url) throw new AppError('invalid_input', 'this is not an address')
  const query = url.searchParams
  const [fault, detail] = [query.get('error'), query.get('error_description')]
  if (fault !== null) throw new AppError('tool_refused', `the server refused the sign-in: ${shown(detail ?? fault)}`)
  const [code, state, issuer] = [query.get('code'), query.get('state'), query.get('iss')]
  if (code === null || code === '') throw new AppError('invalid_input', 'the address has no code in it')
  const address = `${url.origin}${url.pathname}`
  return { code, address, ...(state !== null && { state }), ...(issuer !== null && { issuer }) }
}

/** Says why the response may come from another server than the one that was asked (RFC 9207). */
export function issuerFault(
  { issuer, mayOmitIssuer = false, authorizationUrl }: OAuthServer,
  received: string | undefined,
): string | undefined {
  const another = 'another server answered than the one that was asked'
  if (received === undefined) return issuer === undefined || mayOmitIssuer ? undefined : another
  if (issuer !== undefined) return received === issuer ? undefined : another
  return URL.parse(received)?.origin === new URL(authorizationUrl).origin ? undefined : another
}

export type Form = Readonly<Record<string, string>>

export function codeForm(
  { usePkce, resource }: OAuthServer,
  { code, verifier, redirectUri }: { code: string } & Omit<AuthorizationRequest, 'state' | 'clientId'>,
): Form {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...(usePkce && { code_verifier: verifier }),
    ...(resource !== undefined && { resource }),
  }
}

export function refreshForm({ resource }: OAuthServer, token: string): Form {
  return { grant_type: 'refresh_token', refresh_token: token, ...(resource !== undefined && { resource }) }
}

/** Reads the answer of a token endpoint. `before` stays the refresh token when the server sends no new one. */
export function readTokens(
  { status, body }: { status: number; body: string },
  { now, before }: { now: number; before?: string | undefined },
): Tokens | TokenFault {
  const answer = parseAnswer(body)
  const error = answer['error']
  if (typeof error === 'string') {
    const detail = answer['error_description']
    return { code: shown(error), message: shown(typeof detail === 'string' ? `${error}: ${detail}` : error) }
  }
  if (status !== 200) return { code: `http_${status}`, message: `the token endpoint answered ${status}` }
  const value = answer['access_token']
  const type = answer['token_type']
  if (typeof value !== 'string' || !isToken(value)) {
    return { code: 'no_token', message: 'the token endpoint gave no access token' }
  }
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer') {
    return {
      code: 'no_token',
      message: `the token endpoint gave a token of type ${shown(type)}; only bearer is supported`,
    }
  }
  const sent = answer['refresh_token']
  const token = typeof sent === 'string' && isToken(sent) ? sent : before
  const lifeSecs = Number(answer['expires_in'])
  const expiresAt = lifeSecs > 0 && lifeSecs <= maxLifeSecs ? now + lifeSecs * 1_000 : undefined
  return { value, renewal: { ...(token !== undefined && { token }), ...(expiresAt !== undefined && { expiresAt }) } }
}

/** Parses JSON, or the URL-encoded form that older servers send. */
function parseAnswer(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

function shown(text: string): string {
  return printable(text.slice(0, maxShownChars))
}

/** True for a token that can be sent in a header, and searched for in any text. */
function isToken(value: string): boolean {
  return value.length <= maxTokenChars && /^[\x20-\x7e]+$/.test(value) && !repeatsItself(value)
}
