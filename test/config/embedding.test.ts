// Which model makes vectors: the environment's; addresses and keys are shared with the chat model where they are the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, secretsIn } from '#config.ts'
import type { EmbeddingConfig } from '#config/embedding.ts'

const HOME = '/home/ada'
const own = 'EMBEDDING_API_KEY'
const ollama = { EMBEDDING_PROVIDER: 'ollama', EMBEDDING_MODEL: 'm' }
const compatible = { EMBEDDING_PROVIDER: 'openai-compatible', EMBEDDING_MODEL: 'm' }
const chat = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'c', LLM_BASE_URL: 'http://chat/v1', LLM_API_KEY: 'k' }

const choices: readonly [when: string, env: Record<string, string>, embedding: EmbeddingConfig | undefined][] = [
  ['nothing is set', {}, undefined],
  ['only a model is named', { EMBEDDING_MODEL: 'm' }, undefined],
  ['a local Ollama', ollama, { provider: 'ollama', model: 'm', baseUrl: 'http://127.0.0.1:11434/v1', keys: [own] }],
  [
    'OpenAI beside another chat model',
    { ...chat, EMBEDDING_PROVIDER: 'openai', EMBEDDING_MODEL: 'm', OPENAI_API_KEY: 'o' },
    {
      provider: 'openai',
      model: 'm',
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'o',
      keys: [own, 'OPENAI_API_KEY'],
    },
  ],
  [
    'Google, whose server speaks the wire below its address',
    { EMBEDDING_PROVIDER: 'google', EMBEDDING_MODEL: 'm', GEMINI_API_KEY: 'g' },
    {
      provider: 'google',
      model: 'm',
      baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
      apiKey: 'g',
      keys: [own, 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    },
  ],
  [
    'the server of the chat model',
    { ...chat, ...compatible },
    { provider: 'openai-compatible', model: 'm', baseUrl: 'http://chat/v1', apiKey: 'k', keys: [own, 'LLM_API_KEY'] },
  ],
  [
    'another server of the same kind, which never gets the key of the first',
    { ...chat, ...compatible, EMBEDDING_BASE_URL: 'http://other/v1/' },
    { provider: 'openai-compatible', model: 'm', baseUrl: 'http://other/v1', keys: [own] },
  ],
  [
    'a key of its own',
    { ...chat, ...compatible, EMBEDDING_BASE_URL: 'http://other/v1', EMBEDDING_API_KEY: 'e' },
    { provider: 'openai-compatible', model: 'm', baseUrl: 'http://other/v1', apiKey: 'e', keys: [own] },
  ],
]
for (const [when, env, embedding] of choices) {
  test(`vectors: ${when}`, () => assert.deepEqual(readConfig({ HOME, ...env }).embedding, embedding))
}

const faults: readonly [env: Record<string, string>, told: RegExp][] = [
  [{ EMBEDDING_PROVIDER: 'ollama' }, /^EMBEDDING_MODEL is not set, but the provider is ollama\./],
  [compatible, /^EMBEDDING_BASE_URL is not set, but the provider is openai-compatible\./],
  [{ EMBEDDING_PROVIDER: 'anthropic' }, /^EMBEDDING_PROVIDER must be one of openai, google,/],
]
test('what is missing is told with the variable that brings it', () => {
  for (const [env, message] of faults) assert.throws(() => readConfig({ HOME, ...env }), { message })
})

test('a model without a provider is told, and a key stays out of the log', () => {
  const { notices } = readConfig({ HOME, EMBEDDING_MODEL: 'm' })
  assert.match(notices.join(), /EMBEDDING_MODEL without EMBEDDING_PROVIDER has no effect/)
  assert.deepEqual(secretsIn(readConfig({ HOME, ...ollama, EMBEDDING_API_KEY: 'e-key' })), ['e-key'])
})
