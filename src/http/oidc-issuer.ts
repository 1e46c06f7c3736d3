// An OpenID issuer as the gateway asks it: where its endpoints are, which keys it signs with, what a token of its says.
import type { JWTVerifyGetKey } from 'jose'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'

/** Clocks may differ by this much. */
export const skewSecs = 60
/** Keys are asked for again when a token names one that is not known, but no more often than this. */
const defaultCooldownMs = 30_000
/** An issuer that did not answer is not asked again for this long: whoever comes meanwhile need not wait for it. */
const awayMs = 3_000
/** What an issuer may sign with: public keys only, so that nobody can sign with what everybody knows. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const Metadata = z.object({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.optional(z.string()),
  token_endpoint: z.optional(z.string()),
  userinfo_endpoint: z.optional(z.string()),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
})
export type Metadata = z.output<typeof Metadata>

const claims = {
  sub: z.string().check(z.minLength(1), z.maxLength(255)),
  email: z.optional(z.string()),
  email_verified: z.optional(z.union([z.boolean(), z.string()])),
  preferred_username: z.optional(z.string()),
  name: z.optional(z.string()),
}
const Claims = z.object({ ...claims, nonce: z.optional(z.string()), exp: z.optional(z.number()) })
/** What a token, or the issuer itself, says of somebody. */
export type Claims = z.output<typeof Claims>

const Tokens = z.object({ id_token: z.string(), access_token: z.optional(z.string()) })

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export type IssuerParts = {
  readonly issuer: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly fetch: (url: string, request?: Sent) => Promise<Response>
  readonly now?: () => number
  readonly cooldownMs?: number
}

/** Every verb throws issuer_unavailable while the issuer does not answer, and unauthorized for what it does not stand for. */
export interface Issuer {
  metadata(): Promise<Metadata>
  verify(jwt: string, audience: readonly string[]): Promise<Claims>
  /** Exchanges the code of a sign-in. */
  redeem(code: string, sent: { verifier: string; redirectUri: string }): Promise<z.output<typeof Tokens>>
  userInfo(accessToken: string): Promise<Claims>
}

export function createIssuer(parts: IssuerParts): Issuer {
  const { issuer, clientId = '', clientSecret, fetch, now = Date.now, cooldownMs = defaultCooldownMs } = parts
  let found: Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> | undefined
  let awayUntil = 0

  async function ask(url: string, request?: Sent): Promise<Response> {
    try {
      return await fetch(url, request)
    } catch (cause) {
      throw away(cause)
    }
  }

  async function discover(): Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> {
    const answer = await ask(`${issuer}/.well-known/openid-configuration`)
    const { data: metadata } = z.safeParse(Metadata, answer.ok ? await json(answer) : undefined)
    // Some write their name with a slash at its end; that is the name then.
    if (!metadata || metadata.issuer.replace(/\/+$/, '') !== issuer) {
      throw away(new Error(`${issuer} does not describe itself under that name`))
    }
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      cooldownDuration: cooldownMs,
      [customFetch]: (url: string) => ask(url),
    })
    return { metadata, keys }
  }

  function known(): Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> {
    if (found) return found
    if (now() < awayUntil) return Promise.reject(away(new Error('it did not answer a moment ago')))
    found = discover().catch((error: unknown) => {
      found = undefined
      awayUntil = now() + awayMs
      throw error
    })
    return found
  }

  return {
    metadata: async () => (await known()).metadata,
    async verify(jwt, audience) {
      const { metadata, keys } = await known()
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
        const { data } = z.safeParse(Claims, payload)
        if (data) return data
        throw new AppError('unauthorized', 'the token says nothing of whom it was made for')
      } catch (cause) {
        if (cause instanceof AppError) throw cause
        const { code = '' } = cause as { code?: string }
        const ofToken = cause instanceof errors.JOSEError && !ofIssuer.has(code)
        throw ofToken ? new AppError('unauthorized', `the token is not good here (${code})`, { cause }) : away(cause)
      }
    },
    async redeem(code, { verifier, redirectUri }) {
      const { metadata } = await known()
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
      if (answer.status >= 500) throw away(new Error(`its token endpoint answered ${answer.status}`))
      const { data } = z.safeParse(Tokens, answer.ok ? await json(answer) : undefined)
      if (!data) throw new AppError('unauthorized', 'the issuer did not accept this sign-in: begin again')
      return data
    },
    async userInfo(accessToken) {
      const { userinfo_endpoint: url = '' } = (await known()).metadata
      const answer = await ask(url, { headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' } })
      const { data } = z.safeParse(Claims, answer.ok ? await json(answer) : undefined)
      if (!data) throw away(new Error(`its user info answered ${answer.status}`))
      return data
    },
  }
}

/** Faults of the issuer's keys, not of a token. */
const ofIssuer: ReadonlySet<string> = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

function away(cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  return new AppError('issuer_unavailable', 'the issuer that signs people in does not answer: try again', { cause })
}

/** As the standard has it where an issuer says nothing. */
function takesBasic({ token_endpoint_auth_methods_supported: methods }: Metadata): boolean {
  return methods === undefined || methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
}

function basicOf(id: string, secret: string): string {
  const form = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)
  return `Basic ${Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')}`
}

async function json(answer: Response): Promise<unknown> {
  return answer.json().catch(() => undefined)
}
