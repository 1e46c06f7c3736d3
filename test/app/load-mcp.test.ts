// Servers of a killed service, ended by the next one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { examineServers, loadMcp } from '#app/load-mcp.ts'
import { switchTool } from '#app/tool-admin.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { openHome } from '#home.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { homeMark, markVariable } from '#mcp/process-mark.ts'
import { openTestStore } from '../agent/bench.ts'
import { newHome } from '../new-home.ts'
import { everything, processesOf, rude } from '../mcp/harness.ts'
import { allOn } from '../mcp/masks.ts'
import { until } from '../until.ts'
import { openDesk } from '../mcp/desk-server.ts'
import { openIssuer } from '../sandbox/auth/issuer.ts'

function partsOf<S>(home: string, store: S) {
  return {
    home: openHome(home),
    store,
    seal: createSeal('0'.repeat(64)),
    config: readConfig({}),
    scan: () => ({ mask: (text: string) => text }) as never,
    log: silentLog,
  }
}

/** The MCP servers of a home in which a killed service has left a process behind. */
async function house(t: TestContext) {
  const home = newHome()
  t.after(home.remove)
  const mark = homeMark(realpathSync(home.path))
  // No process has this start time: the service with this id is gone.
  const orphan = spawn('sleep', ['600'], {
    env: { [markVariable]: `${mark}.${process.pid}.1.x` },
    detached: true,
    stdio: 'ignore',
  })
  t.after(() => orphan.kill('SIGKILL'))
  await once(orphan, 'spawn')
  await until(() => processesOf(mark).length === 1)
  const opened = loadMcp({ ...partsOf(home.path, openTestStore(t)), switches: allOn })
  t.after(() => opened.source.close())
  return { ...opened, orphan, mark }
}

test('processes that a killed service left behind are ended though no server starts', async (t) => {
  const { mark } = await house(t)
  await until(() => processesOf(mark).length === 0)
})

test('they are ended before a server starts', async (t) => {
  const { admin, orphan } = await house(t)
  await admin.add({ name: 'one', target: everything, everyone: false }, new AbortController().signal)
  assert.equal(orphan.signalCode, 'SIGKILL')
})

test('a server that is only examined gets no new token: that could not be stored', async (t) => {
  const issuer = await openIssuer({ registers: true })
  t.after(() => issuer.close())
  const home = newHome()
  t.after(home.remove)
  const url = await openDesk(t, issuer)
  const store = openTestStore(t)
  await store.mcp.add({
    name: 'desk',
    target: { kind: 'http', url, headers: {} },
    everyone: false,
    tools: [],
    instructions: '',
  })
  const oauth = {
    issuer: issuer.url,
    tokenUrl: `${issuer.url}/token`,
    authorizationUrl: `${issuer.url}/auth`,
    scopes: [],
  }
  const client = JSON.stringify({ url, redirectUri: 'http://127.0.0.1:1/callback', oauth, client: { id: 'c' } })
  const token = { name: 'mcp/desk/token', value: 'old', renewal: { token: 'r', expiresAt: 1 } }
  await store.secrets.setTogether([{ name: 'mcp/desk/client', value: client }, token], operator)
  const [desk] = await examineServers(partsOf(home.path, store), new AbortController().signal)
  assert.match(desk?.fault ?? '', /its token has expired or is refused: the next call renews it/)
  assert.deepEqual(issuer.asked, [], 'the refresh token is not used up')
})

test('a tool that was switched off by its own name is not among those that a server offers', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const store = openTestStore(t)
  await store.mcp.add({ name: 'rude', target: rude(['tools=3']), everyone: false, tools: [], instructions: '' })
  await switchTool(store.settings, 'rude__t1', false)
  const [found] = await examineServers(partsOf(home.path, store), new AbortController().signal)
  assert.deepEqual(found, { name: 'rude', tools: 3, on: 2, changed: 0 })
})
