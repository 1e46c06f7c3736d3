// The tools of the service: who keeps a name, and which code runs under which rights.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '#config.ts'
import { operator, type UserId, userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import { openBuiltInTools } from '#app/built-in-source.ts'
import { openComponents } from '#app/components.ts'
import { joinSources, type JoinedSources } from '#app/tool-sources.ts'
import { silentLog } from '#lib/log.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { componentHash } from '#sandbox/build/prepare.ts'
import { createComponentSource } from '#sandbox/component-source.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { tool } from '../agent/tools.ts'
import { newHome } from '../new-home.ts'
import { component } from '../sandbox/fixtures.ts'
import { copyCode } from '../sandbox/tool-cache.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const home = newHome()
const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing) await close()
  home.remove()
})

async function open(): Promise<{ store: Store; shed: JoinedSources }> {
  let clock = 1
  const store = openMemoryStore({ now: () => clock++ })
  const components = openComponents({
    store,
    home: { path: home.path, database: ':memory:', logFile: join(home.path, 'log') },
    config: readConfig({ HOME: home.path }),
    scan: () => createLeakScan(),
    log: silentLog,
  })
  const documents = createDocuments({ store: store.documents })
  const builtIn = openBuiltInTools({
    config: readConfig({ HOME: home.path }),
    scan: () => createLeakScan(),
    documents,
  })
  const shed = joinSources([builtIn, components], silentLog)
  await shed.reload()
  closing.push(async () => {
    await shed.close()
    await store.close()
  })
  return { store, shed }
}

async function put(store: Store, name: string, capabilities: object, bytes: Uint8Array): Promise<void> {
  const record = { name, sha256: componentHash(bytes), capabilities: JSON.stringify(capabilities) }
  await store.tools.put({ ...record, description: name, schema: '{}' }, bytes)
}

const context = { user: userId('u'), threadId: 't', turnId: 'n', callId: 'c', signal: new AbortController().signal }

const own =
  'time calculate web_fetch http_request workspace_list workspace_read workspace_search workspace_write workspace_edit ' +
  'memory_search memory_read memory_list memory_write memory_edit memory_delete'

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

test('the first call removes old code of components that are gone from the cache', async () => {
  const { store, shed } = await open()
  const bytes = await component()
  await put(store, 'probe', { version: '1' }, bytes)
  await shed.reload()
  await copyCode(bytes, home.path)
  const cache = join(home.path, 'cache', 'tools')
  const code = readdirSync(cache).find((name) => name.endsWith(componentHash(bytes))) ?? ''
  const [gone, killed, young] = [code.replace(/.{8}$/, 'replaced'), `${code}.killed`, code.replace(/.{5}$/, 'young')]
  for (const name of [gone, killed, young]) mkdirSync(join(cache, name))
  for (const name of [code, gone, killed]) utimesSync(join(cache, name), 0, 0)
  assert.equal(await shed.tools(operator).byName.get('probe')?.run('{}', context), '"ok"')
  const left = readdirSync(cache)
  assert.deepEqual(
    [code, gone, killed, young].map((name) => left.includes(name)),
    [true, false, false, true],
  )
})

test('commands are the operator’s alone, and only where they are switched on', async () => {
  for (const [shell, wanted] of [
    ['true', [true, false]],
    ['false', [false, false]],
  ] as const) {
    const config = readConfig({ HOME: home.path, ATRIUM_SHELL: shell })
    const source = openBuiltInTools({ config, scan: () => createLeakScan(), documents: {} as Documents })
    const shed = joinSources([source], silentLog)
    await shed.reload()
    const has = [operator, userId('ada')].map((user) => shed.tools(user).byName.has('workspace_shell'))
    assert.deepEqual(has, wanted)
    assert.equal(shed.tools(userId('ada')).specs, shed.tools(userId('bob')).specs)
    assert.ok(shed.tools(userId('ada')).byName.has('workspace_write'))
  }
})

test('a sandbox that could not be opened is tried again; it is one for all, and closes with the tools', async () => {
  let closed = 0
  const trial = { output: '1', error: null, logs: [], requests: [], blocked: [] }
  const box = {
    load: () => Promise.resolve({}),
    testCall: () => Promise.resolve(trial),
    close: () => Promise.resolve(void closed++),
  } as unknown as Sandbox
  const answers = [() => Promise.reject(new Error('no room')), () => Promise.resolve(box)]
  const { store } = await open()
  await put(store, 'probe', {}, await component())
  const source = createComponentSource({
    records: store.tools,
    secrets: store.secrets,
    openSandbox: () => answers.shift()?.() as Promise<Sandbox>,
    log: silentLog,
  })
  await source.close()
  assert.equal(await source.test('nothing', { params: '{}' }), undefined)
  await assert.rejects(source.test('probe', { params: '{}' }), /no room/)
  assert.equal(await source.test('probe', { params: '{}' }), trial)
  assert.equal(await source.test('probe', { params: '{}' }), trial)
  await source.close()
  assert.equal(closed, 1)
})

/** A source whose tools are the same for everybody, unless `own` says otherwise. */
function sourceOf(name: string, tools: readonly Tool[], own?: (user: UserId) => readonly Tool[]): ToolSource {
  const has = (each: string): boolean => tools.some(({ spec }) => spec.name === each)
  return {
    tools: own ?? (() => tools),
    view: () =>
      Promise.resolve(
        tools.map(({ spec }) => ({
          name: spec.name,
          description: name,
          source: 'component',
          schema: {} as const,
          effects: 'read',
          rows: ['read'],
        })),
      ),
    test: (each) =>
      Promise.resolve(has(each) ? { output: name, error: null, logs: [], requests: [], blocked: [] } : undefined),
    remove: (each) => Promise.resolve(has(each)),
    reload: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

test('what two sources have of one name is the first one’s to show, to try and to remove', async () => {
  const [first, second] = [sourceOf('first', [tool('a')]), sourceOf('second', [tool('a'), tool('b')])]
  const errors: object[] = []
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) }
  const joined = joinSources([first, second], log)
  await joined.reload()
  assert.deepEqual([...joined.tools(operator).byName.keys()], ['a', 'b'])
  joined.tools(userId('ada'))
  assert.deepEqual(errors, [{ tool: 'a' }], 'told once')
  assert.equal((await joined.test('a', { params: '{}' }))?.output, 'first')
  assert.equal((await joined.test('b', { params: '{}' }))?.output, 'second')
  assert.equal(await joined.test('c', { params: '{}' }), undefined)
  assert.deepEqual([await joined.remove('b'), await joined.remove('c')], [true, false])
})

test('a source may have tools for one user; the others keep the very set they had', async () => {
  const [ada, bob] = [userId('ada'), userId('bob')]
  const [common, hers] = [[tool('a')], [tool('a'), tool('b')]]
  const joined = joinSources(
    [sourceOf('fixed', [tool('z')]), sourceOf('own', hers, (user) => (user === ada ? hers : common))],
    silentLog,
  )
  await joined.reload()
  assert.deepEqual([...joined.tools(ada).byName.keys()], ['z', 'a', 'b'])
  assert.deepEqual([...joined.tools(bob).byName.keys()], ['z', 'a'])
  assert.equal(joined.tools(bob), joined.tools(operator))
  assert.equal(joined.tools(ada).specs, joined.tools(ada).specs)
})
