// Authentication through an OpenID issuer, by JWT or by browser sign-in. A user is found by issuer and subject alone: no
// other claim leads to an existing account.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdentityStore, type User, userNamePattern } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { maxUserNameChars } from '#core/page-limits.ts'
import type { Log } from '#lib/log.ts'
import { hashToken, newToken } from '#lib/token.ts'
import type { Caller, Refusal } from './caller.ts'
import { type Claims, type Issuer, skewSecs } from './oidc-issuer.ts'
import { maxSignInMs } from './session.ts'

/** How many names are tried for a new account. */
const maxNames = 9

export type OidcParts = {
  readonly issuer: Issuer
  readonly clientId?: string
  readonly audience?: string
  /** Domains of verified email addresses. An empty list admits everybody that the issuer knows. */
  readonly allowedDomains: readonly string[]
  readonly identities: IdentityStore
  readonly now?: () => number
  readonly log: Log
}

export interface Oidc {
  /** The caller that a JWT names. Throws database errors. */
  authenticate(jwt: string, request?: string): Promise<Caller | Refusal>
  /** False once the person was removed here. Throws database errors. */
  isKnown(user: UserId): Promise<boolean>
  /** Begins a sign-in. The browser goes to `url`; its cookie for `state` must contain `browser` when it returns. */
  begin(redirectUri: string): Promise<{ url: string; state: string; browser: string }>
  /** Throws unauthorized when another browser began the sign-in, it was used before, took too long or is another client's. */
  finish(callback: SignInCallback): Promise<User | Refusal>
}

/** The query and cookie with which the issuer sends the browser back. */
export type SignInCallback = {
  readonly code: string
  readonly state: string
  readonly iss?: string
  readonly browser: string | undefined
  readonly redirectUri: string
  /** The request id, for the log. */
  readonly request?: string
}

export function createOidc({
  issuer,
  clientId,
  audience,
  allowedDomains,
  identities,
  now = Date.now,
  log,
}: OidcParts): Oidc {
  const audiences = [audience, clientId].filter((each) => each !== undefined)

  async function findOrEnrol(claims: Claims, request: string | undefined): Promise<User | Refusal> {
    if (!isAllowed(claims, allowedDomains)) {
      log.warn({ request, subject: claims.sub }, 'refused a user without a verified address of an allowed domain')
      return { status: 403 }
    }
    const identity = { issuer: (await issuer.metadata()).issuer, subject: claims.sub }
    return (await identities.find(identity)) ?? identities.enrol(identity, namesFor(claims))
  }

  return {
    async authenticate(jwt, request) {
      try {
        const claims = await issuer.verify(jwt, audiences)
        const user = await findOrEnrol(claims, request)
        if ('status' in user) return user
        // `verify` has refused a token without exp.
        const until = Math.floor(((claims.exp ?? 0) + skewSecs) * 1000)
        return { user: user.id, name: user.name, operator: false, until }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'unauthorized') return { status: 401 }
        if (error.code !== 'issuer_unavailable') throw error
        const reason = String((error.cause as Error | undefined)?.message)
        log.warn({ request, reason }, 'the OpenID issuer is unavailable')
        return { status: 503 }
      }
    },
    isKnown: (user) => identities.has(user),
    async begin(redirectUri) {
      const { authorization_endpoint: endpoint } = await issuer.metadata()
      if (endpoint === undefined) {
        throw new AppError('issuer_unavailable', 'the sign-in service has no page to sign in: use a token')
      }
      const [browser, state] = [newToken(), newToken()]
      await identities.begin({ state: hashToken(state), browser: hashToken(browser), endsAt: now() + maxSignInMs })
      const { verifier, nonce } = secretsOf(browser)
      const url = new URL(endpoint)
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId ?? '',
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value)
      }
      return { url: url.href, state, browser }
    },
    async finish({ code, state, iss, browser, redirectUri, request }) {
      const begun = await identities.take(hashToken(state))
      if (!begun || browser === undefined || !isSame(hashToken(browser), begun.browser)) throw stale()
      if (iss !== undefined && iss !== (await issuer.metadata()).issuer) throw stale()
      const { verifier, nonce } = secretsOf(browser)
      const { id_token, access_token } = await issuer
        .redeem(code, { verifier, redirectUri })
        .catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'unauthorized') {
            log.warn(
              { request, reason: (error.cause as Error | undefined)?.message },
              'the OpenID issuer refused a sign-in',
            )
          }
          throw error
        })
      const claims = await issuer.verify(id_token, clientId === undefined ? [] : [clientId])
      if (claims.nonce !== nonce) throw stale()
      if (claims.azp !== undefined && claims.azp !== clientId) {
        throw new AppError('unauthorized', 'the issuer made this sign-in for another client: begin again')
      }
      if (claims.email !== undefined || access_token === undefined) return findOrEnrol(claims, request)
      const more = (await issuer.metadata()).userinfo_endpoint ? await issuer.userInfo(access_token) : claims
      return findOrEnrol(more.sub === claims.sub ? withAddressOf(claims, more) : claims, request)
    },
  }
}

/** The claims of the token, with the address of the user info. The address and whether it is verified have one source. */
function withAddressOf(claims: Claims, more: Claims): Claims {
  return { ...more, ...claims, email: more.email, email_verified: more.email_verified }
}

/** Derived from the browser's cookie, so that the database alone cannot finish a sign-in. */
function secretsOf(browser: string): { verifier: string; nonce: string } {
  const derive = (purpose: string): string => createHmac('sha256', browser).update(purpose).digest('base64url')
  return { verifier: derive('verifier'), nonce: derive('nonce') }
}

function challengeOf(verifier: string): string {
  return Buffer.from(hashToken(verifier), 'hex').toString('base64url')
}

function isSame(one: string, two: string): boolean {
  return one.length === two.length && timingSafeEqual(Buffer.from(one), Buffer.from(two))
}

function stale(): AppError {
  return new AppError(
    'unauthorized',
    'this sign-in was used before, took too long or began in another browser: begin again',
  )
}

function isAllowed({ email, email_verified: verified }: Claims, domains: readonly string[]): boolean {
  if (domains.length === 0) return true
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase() ?? ''
  return (verified === true || verified === 'true') && email?.includes('@') === true && domains.includes(domain)
}

/** Candidate user names, best first. An unverified email address never becomes a name, in whichever claim it appears. */
function namesFor({ sub, email, email_verified: verified, preferred_username: nick, name }: Claims): string[] {
  const address = verified === true || verified === 'true' ? email : undefined
  const preferred = [address, ...[nick, name, sub].map((each) => each?.replaceAll('@', '-'))]
    .map((each) => (each ?? '').replaceAll(/[^\p{L}\p{N} ._@-]/gu, '-').replace(/^[^\p{L}\p{N}]+/u, ''))
    .map((each) =>
      Array.from(each)
        .slice(0, maxUserNameChars - 2)
        .join('')
        .trim(),
    )
    .find((each) => userNamePattern.test(each))
  const first = preferred ?? 'somebody'
  return [first, ...Array.from({ length: maxNames - 1 }, (_, at) => `${first} ${at + 2}`)]
}
