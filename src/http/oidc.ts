// People who come by way of an OpenID issuer, with a JWT of its or through its sign-in. A person is found by issuer and
// subject; no claim of a token leads to an account that was made otherwise.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdentityStore, type User, userNamePattern } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { Log } from '#lib/log.ts'
import { hashToken, newToken } from '#lib/token.ts'
import type { Caller, Refusal } from './caller.ts'
import { type Claims, type Issuer, skewSecs } from './oidc-issuer.ts'
import { signInMs } from './session.ts'

const maxNameLength = 64
const names = 9

export type OidcParts = {
  readonly issuer: Issuer
  readonly clientId?: string
  readonly audience?: string
  /** Domains of verified email addresses; none is everybody that the issuer knows. */
  readonly allowedDomains: readonly string[]
  readonly identities: IdentityStore
  readonly now?: () => number
  readonly log: Log
}

export interface Oidc {
  /** Whom a JWT was made for. Throws what the database throws. */
  authenticate(jwt: string, request?: string): Promise<Caller | Refusal>
  /** Begins a sign-in: where the browser goes, and what its cookie must hold when it comes back. */
  begin(redirectUri: string): Promise<{ url: string; browser: string }>
  /** Ends it. Throws unauthorized where it was not begun by this browser, was used before, or took too long. */
  finish(back: Back): Promise<User | Refusal>
}

/** What the browser brings back. */
export type Back = {
  readonly code: string
  readonly state: string
  readonly iss?: string
  readonly browser: string | undefined
  readonly redirectUri: string
  /** The id of the request, for the log. */
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

  async function personOf(claims: Claims, request: string | undefined): Promise<User | Refusal> {
    if (!isAllowed(claims, allowedDomains)) {
      log.warn({ request, subject: claims.sub }, 'somebody without a verified address of an allowed domain was refused')
      return { status: 403 }
    }
    const identity = { issuer: (await issuer.metadata()).issuer, subject: claims.sub }
    return (await identities.find(identity)) ?? identities.enrol(identity, namesFor(claims))
  }

  return {
    async authenticate(jwt, request) {
      try {
        const claims = await issuer.verify(jwt, audiences)
        const person = await personOf(claims, request)
        if ('status' in person) return person
        // A token without an end is refused before.
        const until = Math.floor(((claims.exp ?? 0) + skewSecs) * 1000)
        return { user: person.id, name: person.name, operator: false, until }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'unauthorized') return { status: 401 }
        if (error.code !== 'issuer_unavailable') throw error
        const reason = String((error.cause as Error | undefined)?.message)
        log.warn({ request, reason }, 'the issuer could not be asked')
        return { status: 503 }
      }
    },
    async begin(redirectUri) {
      const { authorization_endpoint: endpoint = '' } = await issuer.metadata()
      const [browser, state] = [newToken(), newToken()]
      await identities.begin({ state: hashToken(state), browser: hashToken(browser), endsAt: now() + signInMs })
      const { verifier, nonce } = secretsOf(browser)
      const url = new URL(endpoint)
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId ?? '',
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: hashOf(verifier),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value)
      }
      return { url: url.href, browser }
    },
    async finish({ code, state, iss, browser, redirectUri, request }) {
      const begun = await identities.take(hashToken(state))
      if (!begun || browser === undefined || !isSame(hashToken(browser), begun.browser)) throw stale()
      if (iss !== undefined && iss !== (await issuer.metadata()).issuer) throw stale()
      const { verifier, nonce } = secretsOf(browser)
      const { id_token, access_token } = await issuer.redeem(code, { verifier, redirectUri })
      const claims = await issuer.verify(id_token, clientId === undefined ? [] : [clientId])
      if (claims.nonce !== nonce) throw stale()
      if (claims.email !== undefined || access_token === undefined) return personOf(claims, request)
      const more = (await issuer.metadata()).userinfo_endpoint ? await issuer.userInfo(access_token) : claims
      return personOf(more.sub === claims.sub ? { ...more, ...claims } : claims, request)
    },
  }
}

/** Only the browser that began knows these: the database has nothing to finish a sign-in with. */
function secretsOf(browser: string): { verifier: string; nonce: string } {
  const derive = (what: string): string => createHmac('sha256', browser).update(what).digest('base64url')
  return { verifier: derive('verifier'), nonce: derive('nonce') }
}

function hashOf(verifier: string): string {
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

/** What somebody may be called here, best first. An address that nobody has verified is nobody's name, whichever claim it stands in. */
function namesFor({ sub, email, email_verified: verified, preferred_username: nick, name }: Claims): string[] {
  const address = verified === true || verified === 'true' ? email : undefined
  const wanted = [address, ...[nick, name, sub].map((each) => each?.replaceAll('@', '-'))]
    .map((each) => (each ?? '').replaceAll(/[^\p{L}\p{N} ._@-]/gu, '-').replace(/^[^\p{L}\p{N}]+/u, ''))
    .map((each) =>
      Array.from(each)
        .slice(0, maxNameLength - 2)
        .join('')
        .trim(),
    )
    .find((each) => userNamePattern.test(each))
  const first = wanted ?? 'somebody'
  return [first, ...Array.from({ length: names - 1 }, (_, at) => `${first} ${at + 2}`)]
}
