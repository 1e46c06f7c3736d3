// What a token endpoint answers, read: which tokens are kept and for how long, and what is no token.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { issuerFault, type OAuthServer, readAuthorizationResponse, readTokens, signInUrl } from '#oauth/messages.ts'
import type { OAuth } from '#sandbox/package/auth.ts'

const now = 1_000_000
const tenYearsSecs = 10 * 365 * 24 * 60 * 60
const longest = 32 * 1_024
const longToken = createHash('shake256', { outputLength: longest / 2 })
  .update('token')
  .digest('hex')

const answers: readonly [
  what: string,
  status: number,
  body: object | string,
  before: string | undefined,
  read: object,
][] = [
  ['a token alone', 200, { access_token: 'a' }, undefined, { value: 'a', renewal: {} }],
  ['no refresh token keeps the one before', 200, { access_token: 'a' }, 'r0', { value: 'a', renewal: { token: 'r0' } }],
  ['an empty one too', 200, { access_token: 'a', refresh_token: '' }, 'r0', { value: 'a', renewal: { token: 'r0' } }],
  [
    'and one that is no text',
    200,
    { access_token: 'a', refresh_token: 5 },
    'r0',
    { value: 'a', renewal: { token: 'r0' } },
  ],
  [
    'and one that is too long',
    200,
    { access_token: 'a', refresh_token: 'r'.repeat(longest + 1) },
    'r0',
    { value: 'a', renewal: { token: 'r0' } },
  ],
  [
    'another refresh token',
    200,
    { access_token: 'a', refresh_token: 'r1' },
    'r0',
    { value: 'a', renewal: { token: 'r1' } },
  ],
  [
    'a lifetime',
    200,
    { access_token: 'a', expires_in: 60 },
    undefined,
    { value: 'a', renewal: { expiresAt: now + 60_000 } },
  ],
  [
    'a lifetime in a text',
    200,
    { access_token: 'a', expires_in: '60' },
    undefined,
    { value: 'a', renewal: { expiresAt: now + 60_000 } },
  ],
  [
    'ten years',
    200,
    { access_token: 'a', expires_in: tenYearsSecs },
    undefined,
    { value: 'a', renewal: { expiresAt: now + tenYearsSecs * 1_000 } },
  ],
  [
    'more than ten years',
    200,
    { access_token: 'a', expires_in: tenYearsSecs + 1 },
    undefined,
    { value: 'a', renewal: {} },
  ],
  ['no time at all', 200, { access_token: 'a', expires_in: 0 }, undefined, { value: 'a', renewal: {} }],
  ['a bearer in any case', 200, { access_token: 'a', token_type: 'BEARER' }, undefined, { value: 'a', renewal: {} }],
  [
    'a form of an older server',
    200,
    'access_token=a&expires_in=60',
    'r0',
    { value: 'a', renewal: { token: 'r0', expiresAt: now + 60_000 } },
  ],
  ['the longest token', 200, { access_token: longToken }, undefined, { value: longToken, renewal: {} }],
  ['a longer one', 200, { access_token: `${longToken}a` }, undefined, { code: 'no_token' }],
  [
    'one that no text could be searched for',
    200,
    { access_token: 'a'.repeat(longest) },
    undefined,
    { code: 'no_token' },
  ],
  ['an empty one', 200, { access_token: '' }, 'r0', { code: 'no_token' }],
  ['one with a line break', 200, { access_token: 'a\nb' }, undefined, { code: 'no_token' }],
  ['another kind of token', 200, { access_token: 'a', token_type: 'mac' }, undefined, { code: 'no_token' }],
  ['no object', 200, '[1]', undefined, { code: 'no_token' }],
  ['another status', 201, { access_token: 'a' }, undefined, { code: 'http_201' }],
  ['a fault without a word', 503, '', 'r0', { code: 'http_503' }],
  [
    'a fault with its name',
    400,
    { error: 'invalid_grant', error_description: 'it is over' },
    'r0',
    { code: 'invalid_grant' },
  ],
  [
    'a fault under a good status',
    200,
    { error: 'invalid_grant', access_token: 'a' },
    undefined,
    { code: 'invalid_grant' },
  ],
]
for (const [what, status, body, before, expected] of answers) {
  test(`a token endpoint that answers: ${what}`, () => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const read = readTokens({ status, body: text }, { now, before })
    assert.deepEqual('code' in read ? { code: read.code } : read, expected)
  })
}

const issuers: readonly [named: string | undefined, received: string | undefined, fits: boolean][] = [
  ['https://a.example', 'https://a.example', true],
  ['https://a.example', 'https://a.example/', false],
  ['https://a.example', undefined, false],
  [undefined, undefined, true],
  [undefined, 'https://auth.example/x', true],
  [undefined, 'https://other.example', false],
  [undefined, 'no address', false],
]
for (const [issuer, received, fits] of issuers) {
  test(`an answer of ${received} where ${issuer} is named is ${fits ? 'taken' : 'refused'}`, () => {
    const oauth = { authorizationUrl: 'https://auth.example/authorize', issuer } as OAuth
    assert.equal(issuerFault(oauth, received) === undefined, fits)
  })
}

const pasted: readonly [text: string, read: object | RegExp][] = [
  [' code-1 ', { code: 'code-1' }],
  ['cod', /neither the address nor a code/],
  ['c'.repeat(4_097), /neither/],
  ['two words', /neither/],
  [
    'http://127.0.0.1:1/callback?code=c&state=s&iss=i',
    { code: 'c', state: 's', issuer: 'i', address: 'http://127.0.0.1:1/callback' },
  ],
  ['http://127.0.0.1:1/callback?state=s', /no code/],
  ['http://127.0.0.1:1/callback?code=', /no code/],
  ['http://127.0.0.1:1/callback?error=access_denied&code=c', /refused the sign-in: access_denied/],
  ['http://[', /not an address/],
]
for (const [text, expected] of pasted) {
  test(`what a person pastes: ${text.slice(0, 60)}`, () => {
    if (expected instanceof RegExp) assert.throws(() => readAuthorizationResponse(text), expected)
    else assert.deepEqual(readAuthorizationResponse(text), expected)
  })
}

test('a refusal is the server’s, not a fault of what was pasted', () => {
  const denied = 'http://127.0.0.1:1/callback?error=access_denied&state=s'
  assert.throws(() => readAuthorizationResponse(denied), { code: 'tool_refused' })
})

test('the sign-in page is asked for every scope, also for a single one, and for none where none is needed', () => {
  const asked = (scopes: readonly string[]): string | null => {
    const oauth: OAuthServer = {
      authorizationUrl: 'https://auth.example/authorize',
      tokenUrl: 'https://auth.example/token',
      scopes,
      usePkce: true,
      extraParams: new Map(),
    }
    const request = { clientId: 'c', state: 's', verifier: 'v', redirectUri: 'http://127.0.0.1:1/callback' }
    return new URL(signInUrl(oauth, request)).searchParams.get('scope')
  }
  assert.deepEqual([['read', 'write'], ['read'], []].map(asked), ['read write', 'read', null])
})
