// Which models can be chosen, and what the others lack.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listModels, listOffered, missingOf } from '#app/model-choices.ts'
import { type Config, readConfig } from '#config.ts'

const env = {
  ATRIUM_HOME: '/tmp/none',
  LLM_PROVIDER: 'ollama',
  LLM_MODEL: 'llama4',
  LLM_BASE_URL: 'http://gpu.example/v1',
}
const configOf = (over: Record<string, string> = {}): Config => readConfig({ ...env, ...over })

test('a provider lacks its key until it is in the environment or sealed', () => {
  assert.deepEqual(missingOf('anthropic', configOf(), []), ['ANTHROPIC_API_KEY'])
  assert.deepEqual(missingOf('anthropic', configOf(), ['ANTHROPIC_API_KEY']), [])
  assert.deepEqual(missingOf('anthropic', configOf({ ANTHROPIC_API_KEY: 'sk' }), []), [])
  assert.deepEqual(missingOf('google', configOf(), []), ['GEMINI_API_KEY'])
  assert.deepEqual(missingOf('google', configOf(), ['GOOGLE_API_KEY']), [])
  assert.deepEqual(missingOf('openai-compatible', configOf(), []), ['LLM_BASE_URL', 'LLM_MODEL'])
  const inUse = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'a' }
  assert.deepEqual(missingOf('openai-compatible', configOf(inUse), []), [])
  assert.deepEqual(missingOf('openai', configOf({ LLM_PROVIDER: 'openai', LLM_API_KEY: 'sk' }), []), [])
  const keyed = configOf({ LLM_PROVIDER: 'openai', LLM_API_KEY: 'sk' })
  assert.deepEqual(missingOf('anthropic', keyed, []), ['ANTHROPIC_API_KEY'])
})

test('the choices are the model in use, its fallbacks, those offered, those ready and recent ones, each once', async () => {
  const config = configOf({
    LLM_FALLBACK: 'openai/a,anthropic/b',
    LLM_MODELS: 'openai/c,openai/a',
    OPENAI_API_KEY: 'sk',
  })
  const kept = [
    { provider: 'openai', name: 'c' },
    { provider: 'openai', name: 'old', baseUrl: 'http://one.example/v1' },
    { provider: 'anthropic', name: 'keyless' },
    { provider: 'openai-compatible', name: 'mine', baseUrl: 'http://two.example/v1' },
  ] as const
  const listed = await listModels({ config, sealed: [], kept })
  assert.deepEqual(
    listed.map(({ provider, name, baseUrl, role, kept: isKept }) => [provider, name, baseUrl, role, isKept]),
    [
      ['ollama', 'llama4', 'http://gpu.example/v1', 'in_use', undefined],
      ['openai', 'a', undefined, 'fallback', undefined],
      ['anthropic', 'b', undefined, 'fallback', undefined],
      ['openai', 'c', undefined, 'offered', undefined],
      ['offline', 'offline', undefined, 'ready', undefined],
      ['openai', 'gpt-5.4-mini', undefined, 'ready', undefined],
      ['ollama', 'qwen3', undefined, 'ready', undefined],
      ['openai', 'old', 'http://one.example/v1', 'ready', true],
      ['openai-compatible', 'mine', 'http://two.example/v1', 'ready', true],
    ],
  )
})

test('without any of them the choices are the model in use and those ready', async () => {
  const listed = await listModels({ config: configOf(), sealed: [], kept: [] })
  assert.deepEqual(
    listed.map(({ provider, role }) => [provider, role]),
    [
      ['ollama', 'in_use'],
      ['offline', 'ready'],
      ['ollama', 'ready'],
    ],
  )
  assert.deepEqual(
    (await listOffered(configOf())).map(({ role }) => role),
    ['usual'],
  )
})

test('a thread may have the usual model, those that are offered and its fallbacks, with prices per million', async () => {
  const config = configOf({
    LLM_FALLBACK: 'openai/gpt-5.4-mini',
    LLM_MODELS: 'openai/nobody-knows',
    OPENAI_API_KEY: 'sk',
    LLM_PRICE: '0.75,4.5',
  })
  const offered = await listOffered(config)
  assert.deepEqual(
    offered.map(({ id, name, role, inputUsd, outputUsd }) => [id, name, role, inputUsd, outputUsd]),
    [
      ['ollama/llama4', 'llama4', 'usual', 0.75, 4.5],
      ['openai/nobody-knows', 'nobody-knows', 'offered', null, null],
      ['openai/gpt-5.4-mini', 'gpt-5.4-mini', 'fallback', 0.75, 4.5],
    ],
  )
})
