// The servers of a process, as other processes and the servers themselves change them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { McpStore } from '#core/mcp.ts'
import { silentLog } from '#lib/log.ts'
import { createServers, type Servers } from '#mcp/servers.ts'
import { openMemoryStore } from '../store/memory-store.ts'
import { type FakeServer, fakeServer } from './fake-server.ts'

const never = new AbortController().signal
const limits = { callMs: 60_000, idleMs: 60_000, probeMs: 60_000, version: '1' }
const target = { kind: 'http', url: 'https://one.example/mcp', headers: {} } as const
const one = { name: 'one', target, everyone: false, instructions: '', tools: [] }

/** Two processes that share a store; `decided` has what they stored. */
async function twoProcesses(t: TestContext, server: FakeServer) {
  const all = openMemoryStore()
  t.after(() => all.close())
  const decided: (readonly string[])[] = []
  const store: McpStore = {
    ...all.mcp,
    change: (name, decide) =>
      all.mcp.change(name, async (stored) => {
        const changes = await decide(stored)
        decided.push(Object.keys(changes ?? {}))
        return changes
      }),
  }
  const open = (): Servers =>
    createServers({ store, openTransport: () => Promise.resolve(server.opened), log: silentLog, ...limits })
  const [first, second] = [open(), open()]
  t.after(() => second.close())
  await store.add(one)
  for (const each of [first, second]) await each.reload()
  return { store, decided, first, second }
}

const effects = async (store: McpStore) => (await store.list())[0]?.tools.map(({ name, effect }) => [name, effect])

test('a list that is read leaves what another process stored meanwhile', async (t) => {
  let listed = ['echo']
  const server = fakeServer(({ id, method }, { send }) => {
    if (method !== 'tools/list') return false
    const tools = listed.map((name) => ({ name, inputSchema: { type: 'object' } }))
    queueMicrotask(() => send({ id, result: { tools } }))
    return true
  })
  const { store, first, second } = await twoProcesses(t, server)
  const connection = second.connection('one')
  await connection.list(never)
  await first.change('one', ({ tools }) => ({ tools: tools.map((tool) => ({ ...tool, effect: 'off' as const })) }))
  await connection.stop()
  listed = ['echo', 'more']
  await connection.list(never)
  assert.deepEqual(await effects(store), [
    ['echo', 'off'],
    ['more', 'write'],
  ])
  assert.equal(second.tool('one', 'echo')?.effect, 'off')
})

test('a list as it is stored is not stored again; other instructions are', async (t) => {
  let instructions = 'Use me.'
  const server = fakeServer(({ id, method }, { send }) => {
    if (method !== 'initialize') return false
    const serverInfo = { name: 'fake', version: '1' }
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo, instructions }
    queueMicrotask(() => send({ id, result }))
    return true
  })
  const { store, decided, second } = await twoProcesses(t, server)
  const connection = second.connection('one')
  const start = async (): Promise<void> => {
    await connection.list(never)
    await connection.stop()
  }
  await start()
  await start()
  instructions = 'Use me well.'
  await start()
  assert.deepEqual(decided, [['tools', 'instructions'], [], ['tools', 'instructions']])
  assert.equal((await store.list())[0]?.instructions, 'Use me well.')
})

test('a connection ends with its server, and when that is reached in another way', async (t) => {
  const { store, second } = await twoProcesses(t, fakeServer())
  const connection = second.connection('one')
  await connection.list(never)
  await second.reload()
  assert.equal(connection.status().status, 'ready')
  assert.equal(second.connection('one'), connection)
  await store.remove('one')
  await store.add({ ...one, target: { ...target, url: 'https://two.example/mcp' } })
  await second.reload()
  assert.equal(connection.status().status, 'idle')
  const next = second.connection('one')
  assert.notEqual(next, connection)
  await next.list(never)
  await store.remove('one')
  await second.reload()
  assert.equal(next.status().status, 'idle')
  assert.throws(() => second.connection('one'), { code: 'not_found' })
})
