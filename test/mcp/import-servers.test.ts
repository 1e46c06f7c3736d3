// Servers in a store: what an import takes and leaves, how they are shown, and what goes with one that is removed.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { maxServers } from '#core/mcp.ts'
import { openTestStore } from '../agent/bench.ts'
import { openServers } from './masks.ts'

const never = new AbortController().signal

/** The verbs over a store, with servers that cannot be started. */
function house(t: TestContext) {
  const store = openTestStore(t)
  const started: string[] = []
  const openTransport = ({ name }: { name: string }) => {
    started.push(name)
    return Promise.reject(new Error('it cannot be started'))
  }
  const { servers, admin } = openServers(store, openTransport)
  t.after(() => servers.close())
  return { store, started, admin }
}

test('an imported server is for the operator alone, and a value that is or looks like a secret is sealed', async (t) => {
  const { admin, store } = house(t)
  const file = {
    one: {
      command: 'one',
      env: { URL: 'https://x.test/?k=sesame-open', ID: 'q7Zr0Vb9T2mX4kLw8Hs1Yd6Gf3Jc5NpA', MODE: 'fast' },
    },
  }
  const { added } = await admin.importServers(JSON.stringify({ mcpServers: file }), never)
  assert.deepEqual(
    added.map(({ name, sealed }) => [name, sealed]),
    [['one', ['mcp.one.URL', 'mcp.one.ID']]],
  )
  const [one] = await store.mcp.list()
  assert.equal(one?.everyone, false)
  assert.deepEqual(one.target.kind === 'stdio' && one.target.env, {
    URL: 'mcp.one.URL',
    ID: 'mcp.one.ID',
    MODE: '=fast',
  })
})

test('the command line of a server is shown as a shell would take it, without secrets', async (t) => {
  const { admin, store } = house(t)
  const args = ['--token=sesame-open', 'two words', "it's", '-y']
  const target = { kind: 'stdio', command: 'npx', args, env: {} } as const
  await store.mcp.add({ name: 'one', target, everyone: false, instructions: '', tools: [] })
  assert.equal((await admin.list())[0]?.address, `npx --token=*** 'two words' 'it'\\''s' -y`)
})

test('a server that names a secret of another one is refused before it is started', async (t) => {
  const { admin, started } = house(t)
  for (const secret of ['mcp.other.KEY', 'mcp/other/access_token']) {
    const target = { kind: 'stdio', command: 'npx', args: [], env: { KEY: secret } } as const
    await assert.rejects(admin.add({ name: 'one', target, everyone: false }, never), { code: 'invalid_input' })
  }
  assert.deepEqual(started, [])
})

test('with a server go the secrets that its import sealed, and no others', async (t) => {
  const { admin, store } = house(t)
  const target = { kind: 'stdio', command: 'npx', args: [], env: {} } as const
  await store.mcp.add({ name: 'one', target, everyone: false, instructions: '', tools: [] })
  for (const name of ['mcp.one.KEY', 'mcp.one-more.KEY', 'KEY']) await store.secrets.set(name, 'x')
  const left = async () => (await store.secrets.list()).map(({ name }) => name).sort()
  assert.equal(await admin.remove('one-more'), false)
  assert.deepEqual(await left(), ['KEY', 'mcp.one-more.KEY', 'mcp.one.KEY'])
  assert.equal(await admin.remove('one'), true)
  assert.deepEqual(await left(), ['KEY', 'mcp.one-more.KEY'])
})

test('a server with a value that cannot be sealed is left, without one of its values, and the others are added', async (t) => {
  const { admin, store } = house(t)
  const file = {
    one: { command: 'one' },
    Two: { command: 'two', env: { TOKEN: 'sesame-open', API_KEY: 'ab'.repeat(20_000) } },
    three: { command: 'three' },
  }
  const { added, left } = await admin.importServers(JSON.stringify({ mcpServers: file }), never)
  assert.deepEqual(
    added.map(({ name }) => name),
    ['one', 'three'],
  )
  assert.deepEqual(
    left.map(({ name }) => name),
    ['Two'],
  )
  assert.match(left[0]?.why ?? '', /mcp\.two\.API_KEY repeats itself/)
  assert.deepEqual(await store.secrets.list(), [])
})

test('an import for which there are too many servers says which it has left, and keeps no secret of them', async (t) => {
  const { admin, store } = house(t)
  const target = { kind: 'stdio', command: 'npx', args: [], env: {} } as const
  for (let at = 1; at < maxServers; at++)
    await store.mcp.add({ name: `s${at}`, target, everyone: false, instructions: '', tools: [] })
  const file = { one: { command: 'one' }, two: { command: 'two', env: { API_TOKEN: 'sesame-open' } } }
  const { added, left } = await admin.importServers(JSON.stringify({ mcpServers: file }), never)
  assert.deepEqual(
    [added, left].map((servers) => servers.map(({ name }) => name)),
    [['one'], ['two']],
  )
  assert.match(left[0]?.why ?? '', /at most 100/)
  assert.deepEqual(await store.secrets.list(), [])
})

test('an import that is stopped says what was added, and which secrets are missing', async (t) => {
  const store = openTestStore(t)
  const stopping = new AbortController()
  const { servers, admin } = openServers(store, ({ name }) => {
    if (name === 'two') stopping.abort()
    return Promise.reject(new Error('it cannot be started'))
  })
  t.after(() => servers.close())
  await store.secrets.set('known', 'a')
  const file = {
    one: { command: 'one', env: { A: '${input:known}', B: '${input:unknown}' } },
    two: { command: 'two', env: { API_TOKEN: 'sealed until it was stopped' } },
    Three: { command: 'three' },
  }
  const { added, left } = await admin.importServers(JSON.stringify({ mcpServers: file }), stopping.signal)
  assert.deepEqual(
    added.map(({ name, missing }) => [name, missing.map(({ secret }) => secret)]),
    [['one', ['unknown']]],
  )
  assert.deepEqual(
    left.map(({ name }) => name),
    ['two', 'Three'],
  )
  assert.deepEqual(
    (await store.mcp.list()).map(({ name }) => name),
    ['one'],
  )
  assert.deepEqual(
    (await store.secrets.list()).map(({ name }) => name),
    ['known'],
  )
})
