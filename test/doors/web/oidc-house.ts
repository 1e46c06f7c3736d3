// A gateway whose people sign in through a real issuer.
import type { TestContext } from 'node:test'
import { createIssuer } from '#http/oidc-issuer.ts'
import { createOidc } from '#http/oidc.ts'
import { silentLog } from '#lib/log.ts'
import { clientId, clientSecret, fetchIssuer, openIssuer } from '../../issuer.ts'
import { openHouse } from './house.ts'

type Options = { readonly allowedDomains?: readonly string[]; readonly cooldownMs?: number }

export async function openOidcHouse(t: TestContext, { allowedDomains = [], cooldownMs = 0 }: Options = {}) {
  let redirect = 'http://127.0.0.1/nowhere'
  const issuer = await openIssuer(t, () => [redirect])
  let skewMs = 0
  const now = (): number => Date.now() + skewMs
  const house = await openHouse(t, {
    now,
    oidc: (identities) =>
      createOidc({
        issuer: createIssuer({ issuer: issuer.url, clientId, clientSecret, fetch: fetchIssuer, now, cooldownMs }),
        clientId,
        audience: 'atrium-api',
        allowedDomains,
        identities,
        now,
        log: silentLog,
      }),
  })
  redirect = `${house.url}/api/oidc/callback`
  await issuer.rotate()
  const seconds = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer.url, sub: 'ann', aud: 'atrium-api', iat: seconds, exp: seconds + 300 }
  const session = async (token: string) => {
    const { status, json, text } = await house.call('GET', '/api/session', { token })
    return [status, status === 200 ? json.user : text]
  }
  return {
    house,
    issuer,
    claims,
    seconds,
    session,
    skew: (ms: number): void => {
      skewMs = ms
    },
  }
}
