// The turns of a process hear what others say: grants that changed, and users that were removed.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openTurns, type OpenTurnsParts } from '#app/open-turns.ts'
import { workspaceOf } from '#app/workspace-folder.ts'
import { readConfig } from '#config.ts'
import { silentLog } from '#lib/log.ts'
import { createJudge } from '#safety/policy.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { fence } from '../safety/test-fence.ts'
import { ada, bob, folder, lease } from '../store/harness.ts'
import { until } from '../until.ts'
import { openMemoryStore } from '../store/memory-store.ts'
import { fake } from '../fake.ts'

async function opened(t: TestContext) {
  const config = readConfig({ ATRIUM_HOME: folder(t) }, {})
  const store = openMemoryStore()
  const bus = createLocalBus()
  const forgotten: unknown[] = []
  const running = await openTurns({
    store,
    bus,
    lease,
    live: fake<OpenTurnsParts['live']>({ config: () => config, model: {} }),
    policy: fake<OpenTurnsParts['policy']>({
      judge: createJudge(),
      grants: { forget: (user: unknown) => forgotten.push(user) },
    }),
    identity: fake<OpenTurnsParts['identity']>({}),
    skills: fake<OpenTurnsParts['skills']>({}),
    tools: () => ({ byName: new Map(), specs: [] }),
    fence,
    modelChecks: {},
    log: silentLog,
  })
  t.after(async () => {
    await running.close()
    await bus.close()
    await store.close()
  })
  const fileOf = (user: typeof ada): string => join(workspaceOf(config, user), 'a.txt')
  for (const user of [ada, bob]) {
    mkdirSync(dirname(fileOf(user)), { recursive: true })
    writeFileSync(fileOf(user), 'x')
  }
  return { bus, running, forgotten, fileOf, store }
}

test('the files of a user that another process removed are erased here, and no others', async (t) => {
  const { bus, fileOf } = await opened(t)
  bus.signal({ type: 'removed', user: ada })
  await until(() => !existsSync(fileOf(ada)))
  assert.equal(existsSync(fileOf(bob)), true)
})

test('a user that is removed here loses files as well', async (t) => {
  const { running, fileOf, store } = await opened(t)
  const { id } = await store.accounts.addUser('cleo', { hash: 'h' })
  mkdirSync(dirname(fileOf(id)), { recursive: true })
  writeFileSync(fileOf(id), 'x')
  assert.equal((await running.turns.removeUser('cleo'))?.files, 1)
  assert.equal(existsSync(fileOf(id)), false)
})

test('grants that changed elsewhere are read again', async (t) => {
  const { bus, forgotten } = await opened(t)
  bus.signal({ type: 'grants', user: ada })
  await until(() => forgotten.length > 0)
  assert.deepEqual(forgotten, [ada])
})
