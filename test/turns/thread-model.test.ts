// What a thread stores of a model that is chosen for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { createThreads } from '#turns/threads.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada } from '../store/harness.ts'

test('the usual model, chosen by its own name, is stored as none; one that is not offered is refused', async (t) => {
  const store = openTestStore(t)
  const bus = createLocalBus()
  t.after(() => bus.close())
  const threads = createThreads({ store, bus, isOffered: (name) => name === 'a/b', isUsual: (name) => name === 'u/v' })
  const { id } = await store.threads.create(ada, { door: 'web', title: '', metadata: {}, drafts: [] })
  const modelAfter = async (name: string | null) => {
    await threads.setModel(ada, id, name)
    return (await store.threads.get(ada, id))?.model
  }
  assert.equal(await modelAfter('a/b'), 'a/b')
  assert.equal(await modelAfter('u/v'), undefined)
  await assert.rejects(modelAfter('x/y'), (error: AppError) => error.code === 'invalid_input')
})
