// The components that come with the project: offered before their code is made, and never against the operator's will.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Store } from '#core/store.ts'
import { type About, storeShipped } from '#app/shipped-tools.ts'
import { silentLog } from '#lib/log.ts'
import { createRig } from '../sandbox/rig.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const folder = new URL('../../tools/weather/', import.meta.url)
const read = (path: string): Buffer => readFileSync(new URL(path, folder))
const about = JSON.parse(read('dist/weather.json').toString()) as About
const capabilities = read('capabilities.json').toString()

function open(): Store {
  let clock = 1
  return openMemoryStore({ now: () => clock++ })
}

async function weather(store: Store): Promise<{ sha256: string; installedAt: number } | undefined> {
  return (await store.tools.list()).find(({ name }) => name === 'weather')
}

test('what was written down at the build is what the component says of itself', async () => {
  const rig = createRig({ transpilesApart: true })
  const component = read('dist/weather.wasm')
  const { sha256, description, schema } = await rig.sandbox.load({ name: 'weather', component, capabilities })
  await rig.close()
  assert.deepEqual(about, { sha256, description, schema: JSON.stringify(schema) })
})

test('a fresh store gets the tool, once', async () => {
  const store = open()
  await storeShipped(store, silentLog)
  const first = await weather(store)
  assert.deepEqual(first, { name: 'weather', capabilities, ...about, installedAt: first?.installedAt })
  assert.deepEqual(Buffer.from((await store.tools.component('weather')) ?? []), read('dist/weather.wasm'))
  await storeShipped(store, silentLog)
  assert.deepEqual(await weather(store), first)
})

test('one that was removed or replaced by hand stays so', async () => {
  const store = open()
  await storeShipped(store, silentLog)
  await store.tools.remove('weather')
  await storeShipped(store, silentLog)
  assert.equal(await weather(store), undefined)
  await store.settings.change(() => ({ default_tools: { weather: 'an earlier one' } }))
  await storeShipped(store, silentLog)
  assert.equal(await weather(store), undefined, 'a new version brought it back')

  const own = { name: 'weather', sha256: 'own', capabilities: '{}', description: 'Mine.', schema: '{}' }
  await store.tools.put(own, Buffer.from('own'))
  await store.settings.change(() => ({ default_tools: { weather: 'an earlier one' } }))
  await storeShipped(store, silentLog)
  assert.equal((await weather(store))?.sha256, 'own')
})

test('a new version takes the place of the one that came before it', async () => {
  const store = open()
  const old = { name: 'weather', sha256: 'old', capabilities: '{}', description: 'Old.', schema: '{}' }
  await store.tools.put(old, Buffer.from('old'))
  await store.settings.change(() => ({ default_tools: { weather: 'old' } }))
  await storeShipped(store, silentLog)
  assert.equal((await weather(store))?.sha256, about.sha256)
})
