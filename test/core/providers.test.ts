// The table of providers: what people depend on in their settings and secrets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddingProviders, isProvider, isProviderKey, providerNames, providers } from '#core/providers.ts'

test('each provider has its client, its keys in the order they are looked for, and its needs', () => {
  assert.deepEqual(
    providerNames.map((name) => {
      const { client, keys, keyed = false, needs } = providers[name]
      return [name, client, keys.join(), keyed, needs.join()]
    }),
    [
      ['offline', 'offline', '', false, ''],
      ['scripted', 'scripted', '', false, 'LLM_SCRIPT'],
      ['anthropic', 'anthropic', 'ANTHROPIC_API_KEY', true, ''],
      ['openai', 'chat', 'OPENAI_API_KEY', true, ''],
      ['google', 'google', 'GEMINI_API_KEY,GOOGLE_API_KEY', true, ''],
      ['openai-compatible', 'chat', 'LLM_API_KEY', false, 'LLM_BASE_URL,LLM_MODEL'],
      ['ollama', 'chat', '', false, ''],
    ],
  )
})

test('each provider has a model, and an address where it is elsewhere, unless the operator gives them', () => {
  for (const name of providerNames) {
    const { client, needs, model, baseUrl, words } = providers[name]
    assert.equal(model === undefined, needs.includes('LLM_MODEL'), name)
    const inProcess = client === 'offline' || client === 'scripted'
    assert.equal(baseUrl === undefined, inProcess || needs.includes('LLM_BASE_URL'), name)
    if (baseUrl !== undefined) assert.equal(new URL(baseUrl).protocol, name === 'ollama' ? 'http:' : 'https:')
    assert.ok(words.length > 0 && model !== '', name)
  }
})

test('the providers that make vectors', () => {
  assert.deepEqual(embeddingProviders, ['openai', 'google', 'openai-compatible', 'ollama'])
})

test('a provider and its keys are known by their names, and nothing else is', () => {
  assert.ok(providerNames.every(isProvider))
  assert.ok(!isProvider('toString') && !isProvider('OpenAI') && !isProvider(''))
  const keys = ['ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'LLM_API_KEY', 'OPENAI_API_KEY']
  assert.ok(keys.every(isProviderKey))
  assert.ok(!isProviderKey('GITHUB_TOKEN') && !isProviderKey('LLM_MODEL') && !isProviderKey(''))
})
