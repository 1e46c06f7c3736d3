// The test call of a model: one short question, bounded in time and output.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model, ModelEvent } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { createOfflineModel } from '#models/offline.ts'
import { tryModel } from '#models/trial.ts'

function modelOf(stream: Model['stream'], more: Partial<Model> = {}): Model {
  return { provider: 'test', name: 'm', window: 1_000, stream, ...more }
}

test('a model that answers is told with its words and its usage', async () => {
  const usage = { ...noUsage, inputTokens: 9, outputTokens: 1, costUsd: 0.5 }
  const model = modelOf(async function* () {
    yield await Promise.resolve([
      { type: 'text', text: ' ready\n' },
      { type: 'done', usage, model: 'm-2' },
    ] satisfies ModelEvent[])
  })
  const { ms: _, ...trial } = await tryModel(model)
  assert.deepEqual(trial, { words: 'ready', usage, model: 'm-2' })
})

test('the offline model answers it like any other', async () => {
  assert.equal((await tryModel(createOfflineModel())).words, 'ready')
})

test('words are cut at 200 characters, and say so, however they came in', async () => {
  for (const [length, words] of [
    [200, 'x'.repeat(200)],
    [201, `${'x'.repeat(199)}…`],
  ] as const) {
    for (const size of [1, 100, 200]) {
      const model = modelOf(async function* () {
        for (let at = 0; at < length; at += size)
          yield await Promise.resolve([
            { type: 'text', text: 'x'.repeat(Math.min(size, length - at)) },
          ] satisfies ModelEvent[])
      })
      assert.equal((await tryModel(model)).words, words)
    }
  }
})

for (const type of ['text', 'reasoning'] as const) {
  test(`a model that goes on and on is stopped: ${type}`, async () => {
    let batches = 0
    const endless = modelOf(
      async function* () {
        for (;;) {
          batches++
          yield await Promise.resolve([{ type, text: 'x'.repeat(1_000) }] satisfies ModelEvent[])
        }
      },
      { priceOf: () => 1 },
    )
    const { words, usage } = await tryModel(endless)
    assert.deepEqual([words, usage.costUsd], [type === 'text' ? `${'x'.repeat(199)}…` : '', null])
    assert.equal(batches, 5)
  })
}

test('a model that says nothing is given up', async () => {
  const silent = modelOf(async function* (_request, signal) {
    yield []
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  })
  await assert.rejects(tryModel(silent, 1), { code: 'model_timeout' })
})
