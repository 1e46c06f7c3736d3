// Client of an OpenID issuer: discovery, token verification, code exchange and user info.
import type { JWTVerifyGetKey } from 'jose'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'

/** Allowed clock difference between the issuer and this machine. */
export const skewSecs = 60
/** Minimum time between two fetches of the keys. A token with an unknown key id triggers one. */
const defaultCooldownMs = 30_000
/** After the issuer failed to give its metadata or keys, requests fail at once for this long instead of asking it again. */
const awayMs = 3_000
/** Asymmetric algorithms only: with a symmetric one, anybody could sign with the public key. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const address = z.string().check(z.refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '')))
const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: address,
  authorization_endpoint: z.optional(address),
  token_endpoint: z.optional(address),
  userinfo_endpoint: z.optional(address),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
})
export type Metadata = z.output<typeof Metadata>

const claims = {
  // A database stores no half of a surrogate pair: subjects that differ in one would be the same person. PostgreSQL stores no NUL.
  sub: z.string().check(
    z.minLength(1),
    z.maxLength(255),
    z.refine((sub) => sub.isWellFormed() && !sub.includes('\0')),
  ),
  email: z.optional(z.string()),
  email_verified: z.optional(z.union([z.boolean(), z.string()])),
  preferred_username: z.optional(z.string()),
  name: z.optional(z.string()),
}
const Claims = z.object({
  ...claims,
  nonce: z.optional(z.string()),
  exp: z.optional(z.number()),
  /** The client that the token was made for. Only a sign-in compares it. */
  azp: z.optional(z.unknown()),
})
/** Claims about a person, from a token or from the user info endpoint. */
export type Claims = z.output<typeof Claims>

const Tokens = z.object({ id_token: z.string(), access_token: z.optional(z.string()) })

type HttpRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type IssuerParts = {
  readonly issuer: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly fetch: (url: string, request?: HttpRequest) => Promise<Response>
  readonly now?: () => number
  /** For pauses: a clock that is never set. */
  readonly clock?: () => number
  readonly cooldownMs?: number
}

/** Methods throw issuer_unavailable while the issuer does not answer, and unauthorized for a bad token or code. */
export interface Issuer {
  metadata(): Promise<Metadata>
  verify(jwt: string, audience: readonly string[]): Promise<Claims>
  /** Exchanges the authorization code of a sign-in for tokens. */
  redeem(code: string, sent: { verifier: string; redirectUri: string }): Promise<z.output<typeof Tokens>>
  userInfo(accessToken: string): Promise<Claims>
}

export function createIssuer(parts: IssuerParts): Issuer {
  const { issuer, clientId = '', clientSecret, fetch, cooldownMs = defaultCooldownMs } = parts
  const { now = Date.now, clock = () => performance.now() } = parts
  let discovered: Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> | undefined
  let awayUntil = 0
  const isAway = (): boolean => clock() < awayUntil

  async function ask(url: string, request?: HttpRequest): Promise<Response> {
    try {
      return await fetch(url, request)
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  async function discover(): Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> {
    const at = `${issuer}/.well-known/openid-configuration`
    const answer = await ask(at)
    if (!answer.ok) throw unavailable(new Error(`${at} answered ${answer.status}`))
    const { data: metadata } = z.safeParse(Metadata, await json(answer))
    // Some issuers end their name with a slash. Tokens carry the name as written in the metadata.
    if (!metadata?.issuer.startsWith(issuer) || !/^\/*$/.test(metadata.issuer.slice(issuer.length))) {
      throw unavailable(new Error(`the metadata of ${issuer} is malformed or names another issuer`))
    }
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      cooldownDuration: cooldownMs,
      [customFetch]: (url: string) => (isAway() ? Promise.reject(justAway()) : ask(url)),
    })
    return { metadata, keys }
  }

  function discoverOnce(): Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> {
    if (discovered) return discovered
    if (isAway()) return Promise.reject(justAway())
    discovered = discover().catch((error: unknown) => {
      discovered = undefined
      awayUntil = clock() + awayMs
      throw error
    })
    return discovered
  }

  return {
    metadata: async () => (await discoverOnce()).metadata,
    async verify(jwt, audience) {
      const { metadata, keys } = await discoverOnce()
      const { jwtVerify, errors } = await import('jose')
      try {
        const { payload } = await jwtVerify(jwt, keys, {
          issuer: metadata.issuer,
          audience: [...audience],
          algorithms,
          clockTolerance: skewSecs,
          currentDate: new Date(now()),
          requiredClaims: ['sub', 'exp', 'iat'],
        })
        const read = readClaims(payload)
        if (read) return read
        throw new AppError('unauthorized', 'the token has no valid claims')
      } catch (cause) {
        if (cause instanceof AppError && cause.code === 'unauthorized') throw cause
        const { code = '' } = cause as { code?: string }
        if (cause instanceof errors.JOSEError && !issuerErrors.has(code)) {
          throw new AppError('unauthorized', `the token is not valid (${code})`, { cause })
        }
        if (!isAway()) awayUntil = clock() + awayMs
        throw unavailable(cause)
      }
    },
    async redeem(code, { verifier, redirectUri }) {
      const { metadata } = await discoverOnce()
      const posts = clientSecret !== undefined && !takesBasic(metadata)
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...((clientSecret === undefined || posts) && { client_id: clientId }),
        ...(posts && { client_secret: clientSecret }),
      })
      const basic = clientSecret !== undefined && !posts && basicOf(clientId, clientSecret)
      const answer = await ask(metadata.token_endpoint ?? '', {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          ...(basic && { authorization: basic }),
        },
        body: body.toString(),
      })
      if (answer.status >= 500) throw unavailable(new Error(`its token endpoint answered ${answer.status}`))
      const found = await json(answer)
      const { data } = z.safeParse(Tokens, answer.ok ? found : undefined)
      if (data) return data
      const cause = new Error(`its token endpoint answered ${answer.status}${errorIn(found)}`)
      throw new AppError('unauthorized', 'the issuer did not accept this sign-in: begin again', { cause })
    },
    async userInfo(accessToken) {
      const { userinfo_endpoint: url = '' } = (await discoverOnce()).metadata
      const answer = await ask(url, { headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } })
      const read = answer.ok ? readClaims(await json(answer)) : undefined
      if (!read) throw unavailable(new Error(`its user info endpoint answered ${answer.status}`))
      return read
    },
  }
}

/** Some issuers send null for a claim that they know nothing about, where the standard wants it left out. */
function readClaims(payload: unknown): Claims | undefined {
  if (!isObject(payload)) return undefined
  return z.safeParse(Claims, Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null))).data
}

/** Errors of the issuer's key set, not of a token. */
const issuerErrors: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

function unavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  return new AppError('issuer_unavailable', 'the sign-in service does not answer: try again', { cause })
}

function justAway(): AppError {
  return unavailable(new Error('it did not answer a moment ago'))
}

/** HTTP Basic is the standard's default for an issuer that lists no methods. */
function takesBasic({ token_endpoint_auth_methods_supported: methods }: Metadata): boolean {
  return methods === undefined || methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
}

function basicOf(id: string, secret: string): string {
  const form = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)
  return `Basic ${Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')}`
}

/** The error code of an answer, such as invalid_client for a wrong secret. */
function errorIn(answer: unknown): string {
  const { data } = z.safeParse(z.object({ error: z.string().check(z.regex(/^[a-z_]{1,64}$/)) }), answer)
  return data ? `: ${data.error}` : ''
}

async function json(answer: Response): Promise<unknown> {
  return answer.json().catch(() => undefined)
}
