// What goes wrong with a tool's sign-in over HTTP is told as the caller's to mend, and keeps nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { signInCookie } from '#http/cookie.ts'
import { seal } from '../../sandbox/auth/access-over.ts'
import { type Issuer, openIssuer } from '../../sandbox/auth/issuer.ts'
import { openHouse } from './house.ts'

test('a token that does not work, a client that is not set up and a text in place of a sign-in are refused in words', async (t) => {
  const issuer: Issuer = await openIssuer()
  t.after(() => issuer.close())
  const { call, store } = await openHouse(t)
  const install = (name: string, capabilities: object): Promise<void> =>
    store.tools.put(
      { name, sha256: name, capabilities: JSON.stringify(capabilities), description: '', schema: '{}' },
      new Uint8Array(),
    )
  const file = issuer.capabilities()
  const clientless = { ...file.auth.oauth, client_id: undefined, client_id_env: 'OTHER_CLIENT_ID' }
  const validation = { validation_endpoint: { url: `${issuer.url}/things` } }
  await install('byhand', issuer.capabilities({ oauth: undefined, ...validation }))
  await install('clientless', issuer.capabilities({ oauth: clientless }))
  const tries = [
    ['byhand', { token: 'made-up' }, 409, 'tool_refused', /does not work.*nothing was stored/],
    ['byhand', {}, 400, 'invalid_input', /token is missing/],
    ['byhand', { token: 'two\nlines' }, 400, 'invalid_input', /line break/],
    ['byhand', { use: 'clientless' }, 400, 'invalid_input', /has no secret/],
    ['clientless', {}, 409, 'credential_missing', /tool setup clientless/],
    ['clientless', { token: 'any text' }, 400, 'invalid_input', /OAuth/],
    ['clientless', { returned: 'nonsense' }, 400, 'invalid_input', /not the end of a sign-in/],
    ['nothing', {}, 404, 'not_found', /nothing/],
  ] as const
  for (const [tool, body, status, code, says] of tries) {
    const answer = await call('POST', `/api/tools/${tool}/auth`, { body })
    const what = `${tool} ${JSON.stringify(body)}: ${answer.text}`
    assert.deepEqual([answer.status, answer.json.error.code], [status, code], what)
    assert.match(answer.json.error.message, says)
    assert.doesNotMatch(answer.text, /made-up|any text/)
  }
  assert.deepEqual(await store.secrets.list(), [])
})

test('the page at the end of a sign-in answers with the status of what is wrong, and no words of the machine', async (t) => {
  const { call } = await openHouse(t, {
    wrapStore: (real) => ({
      ...real,
      tools: {
        ...real.tools,
        list: () => Promise.reject(new AppError('database_unavailable', 'nothing listens at db.internal:5432')),
      },
    }),
  })
  const pending = { tool: 'things', owner: operator, verifier: 'v', redirectUri: 'r', until: Date.now() + 60_000 }
  const state = Buffer.from(
    seal.seal('sign-in', JSON.stringify({ ...pending, browser: createHash('sha256').update('b').digest('base64url') })),
    'base64',
  ).toString('base64url')
  const path = `/api/tools/oauth/callback?code=c&state=${state}`
  const back = await call('GET', path, {
    token: null,
    headers: { cookie: `${signInCookie('atrium_sign_in', state)}=b` },
  })
  assert.equal(back.status, 503, back.text)
  assert.match(back.text, /The database is unavailable/)
  assert.doesNotMatch(back.text, /db\.internal/)
  assert.equal((await call('GET', path, { token: null })).status, 403)
  assert.equal((await call('GET', '/api/tools/oauth/callback?code=c&state=x', { token: null })).status, 400)
})
