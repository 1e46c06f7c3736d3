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
