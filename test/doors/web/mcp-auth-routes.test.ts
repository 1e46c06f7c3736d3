// The sign-in to an MCP server over HTTP: who may begin it, and who may end it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import type { McpAdmin, McpSignIns } from '#core/mcp.ts'
import { tool } from '../../agent/tools.ts'
import { calls, type Say, says } from '../test-app.ts'
import { completedJob, openHouse } from './house.ts'
import { fake } from '../../fake.ts'

const asksFirst: Say = ({ items }) => {
  const last = items.at(-1)
  return last?.type === 'result' ? says(last.output) : calls('desk__whoami', {})
}
const path = '/api/mcp/oauth/callback'

test('the operator begins a sign-in, the same browser ends it, and the turn that waited goes on', async (t) => {
  let signedIn = false
  let browser: string | undefined
  const whoami = tool('desk__whoami', {}, () => {
    if (signedIn) return Promise.resolve('ada')
    const credential = { tool: 'desk', secret: 'access_token', of: 'mcp' } as const
    throw new AppError('credential_missing', 'desk needs a sign-in', { credential })
  })
  const signIns: McpSignIns = {
    signIn(name, from) {
      assert.equal(name, 'desk')
      assert.ok(from.redirectUri.endsWith(path))
      browser = from.browser
      return Promise.resolve({ url: 'https://id.example/auth', state: 's' })
    },
    finishSignIn(_, by) {
      if (by.browser !== browser) throw new AppError('forbidden', 'this sign-in was begun elsewhere')
      signedIn = true
      return Promise.resolve({ name: 'desk', secret: 'access_token' })
    },
  }
  const check: McpAdmin['check'] = () => Promise.reject(new AppError('tool_refused', 'it is away'))
  const mcp = () => fake<McpAdmin & McpSignIns>({ ...signIns, check })
  const { call, addUser } = await openHouse(t, { say: asksFirst, tools: [whoami], mcp })
  const { json } = await call('POST', '/api/chat', { body: { message: 'who am I?' } })
  assert.deepEqual(
    [json.status, json.gate.credential],
    ['waiting', { tool: 'desk', secret: 'access_token', of: 'mcp' }],
  )
  const bob = await addUser('bob')
  assert.equal((await call('POST', '/api/mcp/desk/auth', { token: bob, body: {} })).status, 403)
  const begun = await call('POST', '/api/mcp/desk/auth', { body: {} })
  assert.deepEqual(begun.json, { url: 'https://id.example/auth' })
  const cookie = begun.headers.get('set-cookie') ?? ''
  assert.match(cookie, /^atrium_sign_in_\w{16}=\S+; Path=\/api\/mcp\/oauth\/callback; .*HttpOnly; SameSite=Lax/)
  const back = (headers: Record<string, string>) => call('GET', `${path}?code=c&state=s`, { token: null, headers })
  assert.equal((await back({})).status, 403)
  assert.equal((await back({ cookie: cookie.replace(/=[^;]+.*/, '=another') })).status, 403)
  const ended = await back({ cookie: cookie.split(';', 1)[0] ?? '' })
  assert.deepEqual([ended.status, /desk is signed in\./.test(ended.text)], [200, true])
  const job = await completedJob({ call }, json.turn_id)
  assert.equal(job.json.response, 'ada')
})
