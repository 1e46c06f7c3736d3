// The app as a whole: what a start that fails leaves behind, and what a close gives back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openApp } from '#app.ts'
import { readConfig } from '#config.ts'
import { operator, type UserId, userId } from '#core/ids.ts'
import { silentLog } from '#lib/log.ts'
import { rude } from './mcp/harness.ts'
import { newHome } from './new-home.ts'

const home = newHome()
after(home.remove)
const script = join(home.path, 'script.json')
const open = () =>
  openApp({
    configure: (settings) =>
      readConfig({ ATRIUM_HOME: home.path, LLM_PROVIDER: 'scripted', LLM_SCRIPT: script }, settings),
    log: silentLog,
  })

test('the home is taken by one at a time, and given back by a close and by a start that fails', async () => {
  writeFileSync(script, 'no script')
  await assert.rejects(open(), /script/)
  writeFileSync(script, '{"replies":[]}')
  const app = await open()
  await assert.rejects(open(), { code: 'home_locked' })
  await app.close(0)
  const again = await open()
  await again.close(0)
})

test('settings and tools follow a change at once', async () => {
  const app = await open()
  try {
    assert.ok(app.tools().byName.has('time'))
    assert.equal(await app.toolAdmin.enable('time', false), true)
    assert.ok(!app.tools().byName.has('time'))
    assert.equal((await app.toolAdmin.list()).find(({ name }) => name === 'time')?.enabled, false)
    assert.equal(await app.toolAdmin.enable('nothing', false), false)
    await app.settings.change({ steps_per_turn: 7 })
    assert.equal(app.config.steps, 7)
  } finally {
    await app.close(0)
  }
})

test('a tool that is switched off or on leaves the others as they are', async () => {
  const app = await open()
  try {
    const shown = () => ['calculate', 'memory_read', 'web_fetch'].map((name) => app.tools().byName.has(name))
    assert.deepEqual(shown(), [true, true, true])
    for (const [name, enabled, left] of [
      ['calculate', false, [false, true, true]],
      ['memory_read', false, [false, false, true]],
      ['calculate', true, [true, false, true]],
      ['memory_read', true, [true, true, true]],
    ] as const) {
      await app.toolAdmin.enable(name, enabled)
      assert.deepEqual(shown(), left)
    }
  } finally {
    await app.close(0)
  }
})

test('a tool of an MCP server that is switched off is shown as off by its server, which switches it on again', async () => {
  const app = await open()
  try {
    const servers = await app.mcp()
    await servers.add({ name: 'rude', target: rude(), everyone: false }, new AbortController().signal)
    await servers.setEffect('rude', 'echo', 'read')
    const told = async () => {
      const tool = (await servers.list())[0]?.tools.find(({ name }) => name === 'echo')
      const listed = (await app.toolAdmin.list()).find(({ name }) => name === 'rude__echo')
      return [tool?.status, tool?.effect, listed?.enabled, app.tools().byName.has('rude__echo')]
    }
    assert.deepEqual(await told(), ['on', 'read', true, true])
    await app.toolAdmin.enable('rude__echo', false)
    assert.deepEqual(await told(), ['off', 'off', false, false])
    await app.toolAdmin.enable('rude__echo', true)
    assert.deepEqual(await told(), ['on', 'read', true, true])
    await app.toolAdmin.enable('rude__echo', false)
    await servers.setEffect('rude', 'echo', 'write')
    assert.deepEqual(await told(), ['on', 'write', true, true])
  } finally {
    await app.close(0)
  }
})

test('what a user sends is stored as it was sent; a secret of the installation in it is not shown to be one', async (t) => {
  const secret = 'w3bh00k-s3cr3t-9fK2mQ7x'
  const variables = { ATRIUM_HOME: home.path, LLM_PROVIDER: 'offline', HTTP_WEBHOOK_SECRET: secret }
  const app = await openApp({ configure: (settings) => readConfig(variables, settings), log: silentLog })
  t.after(() => app.close(0))
  const sent = async (user: UserId): Promise<string> => {
    const text = `481516 ${secret}`
    const content = [
      { type: 'text' as const, text: 'look' },
      { type: 'file' as const, name: 'a.txt', text },
    ]
    const { input } = await app.turns.start({
      user,
      door: 'web',
      options: {},
      whenBusy: 'queue',
      input: [{ type: 'message', role: 'user', content }],
    })
    const [draft] = input
    const [, file] = draft?.item.type === 'message' && draft.item.role === 'user' ? draft.item.content : []
    return file?.type === 'file' ? file.text : ''
  }
  assert.equal(await sent(userId('ada')), `481516 ${secret}`)
  assert.equal(await sent(operator), '481516 ***')
})

test('the models of a provider are listed with the key that was given, else with the sealed one', async (t) => {
  const { path, remove } = newHome()
  t.after(remove)
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [{ id: 'a' }] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const variables = { ATRIUM_HOME: path, LLM_PROVIDER: 'openai', LLM_BASE_URL: `http://127.0.0.1:${port}/v1` }
  const app = await openApp({ configure: (settings) => readConfig(variables, settings), log: silentLog })
  t.after(() => app.close(0))
  await app.store.secrets.set('OPENAI_API_KEY', 'sealed')
  assert.deepEqual(await app.settings.providerModels({}), ['a'])
  await app.settings.providerModels({}, 'given')
  assert.deepEqual(asked, ['Bearer sealed', 'Bearer given'])
})
