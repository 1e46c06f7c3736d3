// The model in use, and those that clients may choose.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCurrentModel } from '#app/current-model.ts'
import { readConfig } from '#config.ts'
import { silentLog } from '#lib/log.ts'

test('a client chooses by name among the models that are offered; any other name is the usual model', async () => {
  const config = readConfig({
    HOME: '/home/ann',
    LLM_PROVIDER: 'openai-compatible',
    LLM_BASE_URL: 'http://127.0.0.1:1/v1',
    LLM_MODEL: 'usual',
    LLM_MODELS: 'openai-compatible/large,ollama/qwen3',
  })
  const secrets = { get: () => Promise.resolve(undefined) }
  const model = createCurrentModel({ config: () => config, secrets, log: silentLog })
  assert.equal((await model.open()).name, 'usual')
  assert.equal((await model.open('gpt-5')).name, 'usual')
  const large = await model.open('openai-compatible/large')
  assert.deepEqual([large.name, (await model.open('ollama/qwen3')).name], ['large', 'qwen3'])
  assert.equal(await model.open('openai-compatible/large'), large, 'opened once')
  model.forget()
  assert.notEqual(await model.open('openai-compatible/large'), large)
})

test('a model whose key could not be read is opened by the next call, the usual one and one that was chosen', async () => {
  const config = readConfig({ HOME: '/home/ann', LLM_PROVIDER: 'openai', LLM_MODELS: 'openai/gpt-5' })
  let away = true
  const get = () => (away ? Promise.reject(new Error('the database is away')) : Promise.resolve('k'))
  const model = createCurrentModel({ config: () => config, secrets: { get }, log: silentLog })
  for (const choice of [undefined, 'openai/gpt-5']) {
    away = true
    await assert.rejects(model.open(choice), /away/)
    away = false
    await model.open(choice)
  }
})

test('the window that the operator set is that of models whose own is unknown, also of those that clients choose', async () => {
  const config = readConfig({
    HOME: '/home/ann',
    LLM_PROVIDER: 'ollama',
    LLM_MODELS: 'ollama/qwen3-large,openai/gpt-5',
    LLM_WINDOW: '8000',
  })
  const secrets = { get: () => Promise.resolve('k') }
  const model = createCurrentModel({ config: () => config, secrets, log: silentLog })
  const windows = [undefined, 'ollama/qwen3-large'].map(async (name) => (await model.open(name)).window)
  assert.deepEqual(await Promise.all(windows), [8_000, 8_000])
  assert.ok((await model.open('openai/gpt-5')).window > 8_000)
  const known = readConfig({ HOME: '/home/ann', LLM_PROVIDER: 'openai', LLM_WINDOW: '8000' })
  assert.ok((await createCurrentModel({ config: () => known, secrets, log: silentLog }).open()).window > 8_000)
})
