// Settings and secrets that change in another process are read again here, those of a removed user too.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openLiveSettings } from '#app/live-settings.ts'
import { readConfig } from '#config.ts'
import type { Signal } from '#core/bus.ts'
import { operator } from '#core/ids.ts'
import { silentLog } from '#lib/log.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { ada } from '../store/harness.ts'
import { until } from '../until.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const secret = 'k3y-0f-4da-9fK2mQ7x-8Zt5'

async function opened(t: TestContext) {
  const store = openMemoryStore()
  const bus = createLocalBus()
  t.after(async () => {
    await bus.close()
    await store.close()
  })
  await store.secrets.set('tool/mail/key', secret, { owner: ada })
  const live = await openLiveSettings({
    store,
    configure: (settings) => readConfig({ ATRIUM_HOME: '/nonexistent' }, settings),
    ownSecrets: () => [],
    bus,
    log: silentLog,
  })
  return { store, bus, live, masks: () => live.scan(ada).mask(secret) === '***' }
}

const signals: readonly [what: string, signal: Signal, read: boolean][] = [
  ['the user was removed', { type: 'removed', user: ada }, true],
  ["the user's secrets changed", { type: 'secrets', owner: ada }, true],
  ['the settings changed', { type: 'settings' }, true],
  ["the operator's secrets changed", { type: 'secrets', owner: operator }, false],
  ['grants changed', { type: 'grants', user: ada }, false],
]
for (const [what, signal, read] of signals) {
  test(`a removed secret is ${read ? 'forgotten' : 'kept'} when another process says that ${what}`, async (t) => {
    const { store, bus, live, masks } = await opened(t)
    assert.equal(masks(), true)
    await store.secrets.remove('tool/mail/key', ada)
    bus.signal(signal)
    if (read) await until(() => !masks())
    // What is read again is read in order, so all that was asked for before this is done after it.
    else await live.secrets.set('tool/mail/other', 'unrelated-9fK2mQ7x', { owner: operator })
    assert.equal(masks(), !read)
  })
}

test('a reload brings stored settings into force and tells whoever follows', async (t) => {
  const { store, live } = await opened(t)
  let told = 0
  live.onReload(() => void told++)
  await store.settings.change(() => ({ policy: { write: { clean: 'deny' } } }))
  assert.deepEqual(live.safety().policy, {})
  await live.reload()
  assert.deepEqual(
    [live.safety().policy, live.stored()['policy'], told],
    [{ write: { clean: 'deny' } }, { write: { clean: 'deny' } }, 1],
  )
})

test('a change by another process while the settings are read for the first time is in force', async (t) => {
  const { store, bus } = await opened(t)
  const all = async () => {
    const before = await store.settings.all()
    if (before['policy'] === undefined) {
      await store.settings.change(() => ({ policy: { write: { clean: 'deny' } } }))
      bus.signal({ type: 'settings' })
    }
    return before
  }
  const live = await openLiveSettings({
    store: { ...store, settings: { ...store.settings, all } },
    configure: (settings) => readConfig({ ATRIUM_HOME: '/nonexistent' }, settings),
    ownSecrets: () => [],
    bus,
    log: silentLog,
  })
  await until(() => live.stored()['policy'] !== undefined)
  assert.deepEqual(live.safety().policy, { write: { clean: 'deny' } })
})
