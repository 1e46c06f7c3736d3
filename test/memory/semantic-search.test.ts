// Search by meaning: what the server is asked, and how long it is left alone after a failure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundChunk } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { VectorStore } from '#core/vector.ts'
import { logTo, silentLog } from '#lib/log.ts'
import type { Embed } from '#memory/embed.ts'
import { createSemanticSearch } from '#memory/semantic-search.ts'
import { fake } from '../fake.ts'
import { ada } from '../store/harness.ts'

const near: readonly FoundChunk[] = [{ path: 'a', text: 'x', at: 0, untrusted: false, updatedAt: 0 }]

function opened(embed: Embed, timeoutMs?: number) {
  const state = { now: 0, asked: [] as unknown[], warnings: [] as string[], embedded: 0 }
  const search = createSemanticSearch({
    store: {
      nearest: (...given) => {
        state.asked.push(given)
        return Promise.resolve(near)
      },
    } as Pick<VectorStore, 'nearest'> as VectorStore,
    embed: (...given) => {
      state.embedded++
      return embed(...given)
    },
    model: 'm',
    log: logTo((_, __, message) => state.warnings.push(message), 'warn'),
    now: () => state.now,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  return { state, search }
}

test('the nearest chunks of the user are those of the vector of the query, cut to 1,000 characters', async () => {
  const texts: string[] = []
  const vector = Float32Array.from([1])
  const { state, search } = opened((given) => {
    texts.push(...given)
    return Promise.resolve([vector])
  })
  assert.deepEqual(await search(ada, 'x'.repeat(1_001), 7), near)
  assert.deepEqual(texts, ['x'.repeat(1_000)])
  assert.deepEqual(state.asked, [[ada, { model: 'm', vector, limit: 7 }]])
})

test('a server that fails is told once and left alone for 30 seconds', async () => {
  const { state, search } = opened(() => Promise.reject(new AppError('model_failed', 'x')))
  assert.deepEqual(await search(ada, 'q', 1), [])
  state.now = 29_999
  assert.deepEqual(await search(ada, 'q', 1), [])
  assert.deepEqual([state.embedded, state.warnings.length], [1, 1])
  state.now = 30_000
  await search(ada, 'q', 1)
  assert.equal(state.embedded, 2)
})

test('a server is left alone no longer because the clock was set back', async (t) => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 2) })
  let asked = 0
  const embed: Embed = () => {
    asked++
    return Promise.reject(new AppError('model_failed', 'x'))
  }
  const search = createSemanticSearch({ store: fake<VectorStore>({}), embed, model: 'm', log: silentLog })
  await search(ada, 'q', 1)
  t.mock.timers.setTime(Date.UTC(2026, 0, 1))
  passed += 30_000
  await search(ada, 'q', 1)
  assert.equal(asked, 2)
})

test('a query that the model refuses, or gives no vector, is no fault of the server', async () => {
  const refusing = opened(() => Promise.reject(new AppError('model_refused', 'x')))
  assert.deepEqual([await refusing.search(ada, 'q', 1), await refusing.search(ada, 'q', 1)], [[], []])
  assert.deepEqual([refusing.state.embedded, refusing.state.warnings], [2, []])
  const empty = opened(() => Promise.resolve([]))
  assert.deepEqual(await empty.search(ada, 'q', 1), [])
  assert.deepEqual(empty.state.asked, [])
})

test('a server that does not answer is not waited for, and its request ends', async () => {
  let given: AbortSignal | undefined
  const { state, search } = opened((_, signal) => {
    given = signal
    return new Promise(() => {})
  }, 1)
  assert.deepEqual(await search(ada, 'q', 1), [])
  assert.deepEqual([given?.aborted, state.warnings.length], [true, 1])
})
