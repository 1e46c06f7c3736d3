// The tools of the service: who keeps a name, and which code runs under which rights.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#config.ts'
import { operator, userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { openBuiltInTools } from '#app/built-in-tools.ts'
import { openComponents } from '#app/components.ts'
import { joinSources, type JoinedSources } from '#app/tool-sources.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { hashOf } from '#sandbox/build/prepare.ts'
import { createComponentSource } from '#sandbox/component-source.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { openStore } from '#store/open-store.ts'
import { newHome } from '../atrium.ts'
import { component } from '../sandbox/fixtures.ts'

const home = newHome()
const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing) await close()
  home.remove()
})

async function open(): Promise<{ store: Store; shed: JoinedSources }> {
  let clock = 1
  const store = openStore({ path: ':memory:', seal: createSeal('0'.repeat(64)), now: () => clock++ })
  const components = openComponents({
    store,
    home: { path: home.path, database: ':memory:', logFile: join(home.path, 'log') },
    config: readConfig({ HOME: home.path }),
    scan: () => createLeakScan(),
    log: silentLog,
  })
  const shed = await joinSources(
    [openBuiltInTools(readConfig({ HOME: home.path }), () => createLeakScan()), components],
    silentLog,
  )
  closing.push(async () => {
    await shed.close()
    await store.close()
  })
  return { store, shed }
}

async function put(store: Store, name: string, capabilities: object, bytes: Uint8Array): Promise<void> {
  const record = { name, sha256: hashOf(bytes), capabilities: JSON.stringify(capabilities) }
  await store.tools.put({ ...record, description: name, schema: '{}' }, bytes)
}

const context = { user: userId('u'), threadId: 't', turnId: 'n', callId: 'c', signal: new AbortController().signal }

const own =
  'time calculate web_fetch http_request workspace_list workspace_read workspace_search workspace_write workspace_edit'

test('who was there first keeps a name; every name is there once', async () => {
  const { store, shed } = await open()
  const bytes = await component()
  await put(store, 'mail_send', {}, bytes)
  await put(store, 'mail', { actions: [{ id: 'send' }, { id: 'read' }] }, bytes)
  await put(store, 'Time', {}, bytes)
  await put(store, 'good', {}, bytes)
  await shed.reload()
  const { specs, byName } = shed.tools(operator)
  assert.deepEqual(
    specs.map(({ name }) => name),
    [...own.split(' '), 'mail_send', 'mail_read', 'good'],
  )
  assert.equal(byName.get('mail_send')?.spec.description, 'mail_send')
})

test('a tool that has not changed stays the same, with the code it has made ready', async () => {
  const { store, shed } = await open()
  await put(store, 'probe', { version: '1' }, await component())
  await shed.reload()
  const tool = shed.tools(operator).byName.get('probe')
  await put(store, 'other', { version: '1' }, await component())
  await shed.reload()
  assert.equal(shed.tools(operator).byName.get('probe'), tool)
  await put(store, 'probe', { version: '2' }, await component())
  await shed.reload()
  assert.notEqual(shed.tools(operator).byName.get('probe'), tool)
})

test('code that was replaced in the meantime does not run with the rights of the old', async () => {
  const { store, shed } = await open()
  await put(store, 'probe', { version: '1' }, await component())
  await shed.reload()
  const tool = shed.tools(operator).byName.get('probe')
  await put(store, 'probe', { version: '2' }, await component({ schema: '{"title":"new"}' }))
  await assert.rejects(tool?.run('{}', context) ?? Promise.resolve(), /probe has changed: try again/)
  await shed.reload()
  assert.equal(await shed.tools(operator).byName.get('probe')?.run('{}', context), '"ok"')
})

test('a tool that was removed is not called again, not even by a turn that began with it', async () => {
  const { store, shed } = await open()
  await put(store, 'probe', { version: '1' }, await component())
  await shed.reload()
  const tool = shed.tools(operator).byName.get('probe')
  assert.equal(await tool?.run('{}', context), '"ok"')
  await store.tools.remove('probe')
  await shed.reload()
  await assert.rejects(tool?.run('{}', context) ?? Promise.resolve(), /probe is no longer installed/)
})

test('commands are the operator’s alone, and only where they are switched on', async () => {
  for (const [shell, wanted] of [
    ['true', [true, false]],
    ['false', [false, false]],
  ] as const) {
    const config = readConfig({ HOME: home.path, ATRIUM_SHELL: shell })
    const shed = await joinSources([openBuiltInTools(config, () => createLeakScan())], silentLog)
    const has = [operator, userId('ada')].map((user) => shed.tools(user).byName.has('workspace_shell'))
    assert.deepEqual(has, wanted)
    assert.equal(shed.tools(userId('ada')).specs, shed.tools(userId('bob')).specs)
    assert.ok(shed.tools(userId('ada')).byName.has('workspace_write'))
  }
})

test('a sandbox that could not be opened is tried again; it is one for all, and closes with the tools', async () => {
  let closed = 0
  const box = { close: () => Promise.resolve(void closed++) } as unknown as Sandbox
  const answers = [Promise.reject(new Error('no room')), Promise.resolve(box)]
  const records = { list: () => Promise.resolve([]), component: () => Promise.resolve(undefined) }
  const source = createComponentSource({
    records,
    openSandbox: () => answers.shift() as Promise<Sandbox>,
    log: silentLog,
  })
  await source.close()
  await assert.rejects(source.sandbox(), /no room/)
  assert.equal(await source.sandbox(), box)
  assert.equal(await source.sandbox(), box)
  await source.close()
  assert.equal(closed, 1)
})
