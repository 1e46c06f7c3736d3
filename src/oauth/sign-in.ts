// A sign-in in a browser, from the link to the code. What is in progress travels through the browser as the sealed `state`.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import {
  type AuthorizationResponse,
  codeForm,
  type Form,
  issuerFault,
  type OAuthServer,
  readAuthorizationResponse,
  signInUrl,
} from './messages.ts'

export type SignInSeal = { seal(name: string, value: string): string; open(name: string, sealed: string): string }

/** A sign-in in progress. */
export type PendingSignIn = {
  /** Its purpose. */
  readonly tool: string
  readonly owner: string
  readonly verifier: string
  readonly redirectUri: string
  readonly until: number
  /** Digest of the authorization server and the client that it began with. */
  readonly registration: string
  /** Digest of a secret that only the browser has which began the sign-in. */
  readonly browser?: string
}

const signInMs = 10 * 60_000

export type SignInParts = {
  readonly seal: SignInSeal
  readonly now: () => number
  /** Separates the sign-ins of one purpose from those of others. Only one file seals under a name. */
  readonly sealName: string
}

export type BeginSignIn = Pick<PendingSignIn, 'tool' | 'owner' | 'redirectUri'> & {
  readonly oauth: OAuthServer
  readonly clientId: string
  /** A secret that only the starting browser has. */
  readonly browser?: string | undefined
}

/** The link to sign in with, and the state to finish it with. */
export function beginSignIn(
  { seal, now, sealName }: SignInParts,
  { tool, owner, redirectUri, oauth, clientId, browser }: BeginSignIn,
): { readonly url: string; readonly state: string } {
  const pending: PendingSignIn = {
    tool,
    owner,
    verifier: randomBytes(32).toString('base64url'),
    redirectUri,
    until: now() + signInMs,
    registration: registrationOf(oauth, clientId),
    ...(browser !== undefined && { browser: digestOf(browser) }),
  }
  const state = Buffer.from(seal.seal(sealName, JSON.stringify(pending)), 'base64').toString('base64url')
  return { state, url: signInUrl(oauth, { clientId, state, ...pending }) }
}

/** True if a sign-in began with this server and client: a code for one must not be sent to another. */
export function beganWith({ registration }: PendingSignIn, oauth: OAuthServer, clientId: string): boolean {
  return registration === registrationOf(oauth, clientId)
}

function registrationOf({ issuer, tokenUrl }: OAuthServer, clientId: string): string {
  return digestOf(JSON.stringify([issuer ?? '', tokenUrl, clientId]))
}

/** The party that finishes a sign-in: the user who began it, or the browser. `state` is that of the start, for a code alone. */
export type FinishingParty = {
  readonly owner?: UserId | undefined
  readonly browser?: string | undefined
  readonly state?: string | undefined
}

export type ReturnedSignIn = { readonly pending: PendingSignIn; readonly response: AuthorizationResponse }

/** Reads the address that the browser was redirected to, or a code alone. Throws invalid_input, forbidden, tool_refused. */
export function readSignIn(
  { seal, now, sealName }: SignInParts,
  returned: string,
  { owner, browser, state }: FinishingParty,
): ReturnedSignIn {
  const response = readAuthorizationResponse(returned)
  if (state !== undefined && response.state !== undefined && response.state !== state) {
    throw new AppError('invalid_input', 'this address belongs to another sign-in: begin again')
  }
  const pending = openState(response.state ?? state, { seal, sealName })
  const sameBrowser = browser !== undefined && pending.browser !== undefined && matchesDigest(browser, pending.browser)
  if (pending.owner !== owner && !sameBrowser) {
    throw new AppError('forbidden', 'this sign-in was begun elsewhere: end it in the browser that began it')
  }
  if (pending.until < now()) throw new AppError('invalid_input', 'the sign-in took too long: begin again')
  return { pending, response }
}

/**
 * The form that trades the code for tokens. Throws if the response does not belong to the sign-in. A code alone needs PKCE
 * to prove that, and cannot name its issuer.
 */
export function formOfSignIn(oauth: OAuthServer, { pending, response }: ReturnedSignIn): Form {
  const codeOnly = response.address === undefined
  const namesIssuer = oauth.issuer !== undefined && !oauth.mayOmitIssuer
  if (codeOnly ? !oauth.usePkce || namesIssuer : response.state === undefined) {
    throw new AppError('invalid_input', 'give the whole address that the browser was sent to, not the code alone')
  }
  if (!codeOnly) {
    const misdirected = response.address !== pending.redirectUri
    const fault = misdirected ? `${response.address} is not the redirect address` : issuerFault(oauth, response.issuer)
    if (fault !== undefined) throw new AppError('tool_refused', `${fault}: nothing was stored`)
  }
  return codeForm(oauth, { ...pending, code: response.code })
}

function openState(
  state: string | undefined,
  { seal, sealName }: Pick<SignInParts, 'seal' | 'sealName'>,
): PendingSignIn {
  try {
    return JSON.parse(seal.open(sealName, Buffer.from(state ?? '', 'base64url').toString('base64'))) as PendingSignIn
  } catch (error) {
    throw new AppError('invalid_input', 'this is not the end of a sign-in that was begun here', { cause: error })
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function matchesDigest(text: string, digest: string): boolean {
  const [a, b] = [Buffer.from(digestOf(text)), Buffer.from(digest)]
  return a.length === b.length && timingSafeEqual(a, b)
}
