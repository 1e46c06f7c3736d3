// Signing in to an MCP server over HTTP, against a real authorization server: from 401 to the tools of the server.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { lookup } from 'node:dns/promises'
import { operator } from '#core/ids.ts'
import { AppError } from '#core/errors.ts'
import { silentLog } from '#lib/log.ts'
import { createMcpAdmin } from '#mcp/admin.ts'
import { bearerOf, createSignIns } from '#mcp/auth.ts'
import { createOpenTransport } from '#mcp/open-transport.ts'
import { createServers } from '#mcp/servers.ts'
import { createMcpSource } from '#mcp/source.ts'
import { createExitGuard } from '#mcp/stdio.ts'
import { createDial, createStreamDial } from '#net/dial.ts'
import { createResourceAccess } from '#oauth/resource-access.ts'
import { openTestStore } from '../agent/bench.ts'
import { seal } from '../sandbox/auth/access-over.ts'
import { openIssuer } from '../sandbox/auth/issuer.ts'
import { openDesk } from './desk-server.ts'
import { allOn, createMasks } from './masks.ts'

const never = new AbortController().signal

/** A server whose tool `whoami` needs a token that the issuer gave for it. */
async function house(t: TestContext) {
  const issuer = await openIssuer({ registers: true })
  t.after(() => issuer.close())
  const url = await openDesk(t, issuer)
  const store = openTestStore(t)
  const dialParts = { lookup: (host: string) => lookup(host, { all: true }) }
  const access = createResourceAccess({
    secrets: store.secrets,
    seal,
    dial: createDial(dialParts),
    privateHosts: [new URL(issuer.url).host],
    now: Date.now,
    log: silentLog,
    prefix: 'mcp',
  })
  const servers = createServers({
    store: store.mcp,
    openTransport: createOpenTransport({
      secret: (name) => store.secrets.get(name),
      environment: () => undefined,
      dial: createStreamDial(dialParts),
      bearerFor: (each) => bearerOf(access, each),
      homeMark: 'none',
      guard: createExitGuard(),
      mask: (text) => text,
      log: silentLog,
    }),
    callMs: 60_000,
    idleMs: 60_000,
    version: '1',
    log: silentLog,
  })
  t.after(() => servers.close())
  const source = createMcpSource(servers, createMasks())
  const admin = createMcpAdmin({ servers, store: store.mcp, ...createMasks(), secrets: store.secrets, switches: allOn })
  return { issuer, url, source, admin, signIns: createSignIns(store.mcp, access), access }
}

test('a server that needs a sign-in is added without tools, and has them after the sign-in', async (t) => {
  const { issuer, url, source, admin, signIns, access } = await house(t)
  const added = await admin.add({ name: 'desk', target: { kind: 'http', url, headers: {} }, everyone: false }, never)
  assert.deepEqual([added.status, added.tools], ['sign_in', []])
  assert.deepEqual(await admin.list(), [added])
  await assert.rejects(admin.check('desk', never), (error) => {
    assert(error instanceof AppError && error.code === 'credential_missing')
    const command = 'atrium mcp auth desk'
    assert.deepEqual(error.credential, { tool: 'desk', secret: 'access_token', title: 'desk', command, of: 'mcp' })
    return true
  })
  const from = { redirectUri: 'http://127.0.0.1:1/callback', owner: operator }
  const begun = await signIns.signIn('desk', from)
  const ended = await signIns.finishSignIn(await issuer.signIn(begun.url), { owner: operator })
  assert.deepEqual(ended, { name: 'desk', secret: 'access_token' })
  const { status, tools } = await admin.check('desk', never)
  assert.deepEqual([status, tools.map(({ as }) => as)], ['ready', ['desk__whoami']])
  const tool = source.tools(operator).find(({ spec }) => spec.name === 'desk__whoami')
  const context = { user: operator, threadId: '', turnId: '', callId: '', signal: never }
  assert.equal(await tool?.run('{}', context), 'ada')
  // A token that the server no longer takes, and that cannot be renewed, asks for a sign-in.
  await issuer.revokeAll()
  await access.forget('desk')
  await assert.rejects(
    tool?.run('{}', context) ?? Promise.resolve(),
    (error) => error instanceof AppError && error.code === 'credential_missing',
  )
})

test('only a server over HTTP that is known can be signed in to', async (t) => {
  const { signIns } = await house(t)
  const from = { redirectUri: 'http://127.0.0.1:1/callback', owner: operator }
  await assert.rejects(signIns.signIn('none', from), (error) => error instanceof AppError && error.code === 'not_found')
})
