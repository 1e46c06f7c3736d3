// Which claims about a person count at a sign-in: those of the token, or an address of the user info of the same person.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityStore } from '#core/account.ts'
import { userId } from '#core/ids.ts'
import type { Claims, Issuer } from '#http/oidc-issuer.ts'
import { createOidc } from '#http/oidc.ts'
import { silentLog } from '#lib/log.ts'

/** The name of the account that a sign-in makes, or the status that refuses it. */
async function signIn(token: Partial<Claims>, info: Partial<Claims>): Promise<string | number> {
  let nonce = ''
  const issuer: Issuer = {
    metadata: () =>
      Promise.resolve({
        issuer: 'https://issuer.example',
        jwks_uri: 'https://issuer.example/keys',
        authorization_endpoint: 'https://issuer.example/authorize',
        userinfo_endpoint: 'https://issuer.example/me',
      }),
    verify: () => Promise.resolve({ sub: 'ann', nonce, ...token }),
    redeem: () => Promise.resolve({ id_token: 'i', access_token: 'a' }),
    userInfo: () => Promise.resolve({ sub: 'ann', ...info }),
  }
  let begun: { state: string; browser: string } | undefined
  const identities: IdentityStore = {
    find: () => Promise.resolve(undefined),
    enrol: (_identity, [name = '']) => Promise.resolve({ id: userId('u'), name, createdAt: 0 }),
    begin: (signIn) => Promise.resolve(void (begun = signIn)),
    take: () => Promise.resolve(begun && { browser: begun.browser }),
  }
  const oidc = createOidc({ issuer, clientId: 'c', allowedDomains: ['example.com'], identities, log: silentLog })
  const { url, browser } = await oidc.begin('https://here.example/callback')
  const { searchParams } = new URL(url)
  nonce = searchParams.get('nonce') ?? ''
  const state = searchParams.get('state') ?? ''
  const user = await oidc.finish({ code: 'c', state, browser, redirectUri: 'https://here.example/callback' })
  return 'status' in user ? user.status : user.name
}

const email = 'ann@example.com'
const cases: readonly [what: string, token: Partial<Claims>, info: Partial<Claims>, expected: string | number][] = [
  ['both of the token', { email, email_verified: true }, {}, email],
  ['both of the user info', {}, { email, email_verified: true }, email],
  ['a token that verifies no address, and an unverified one', { email_verified: true }, { email }, 403],
  ['the same, denied there', { email_verified: true }, { email, email_verified: false }, 403],
  [
    'a token that denies an address it does not have',
    { email_verified: false },
    { email, email_verified: true },
    email,
  ],
  ['an unverified address of the token', { email }, { email, email_verified: true }, 403],
  ['the user info of somebody else', {}, { sub: 'bea', email, email_verified: true }, 403],
]
test('an address and whether it is verified come from one source', async () => {
  for (const [what, token, info, expected] of cases) assert.equal(await signIn(token, info), expected, what)
})
