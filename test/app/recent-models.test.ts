// The models that stay in the list of choices after another is chosen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetting, keeping, keptIn } from '#app/recent-models.ts'

const own = { llm_provider: 'ollama', llm_model: 'llama4', llm_base_url: 'http://gpu.example/v1/' }

test('a choice that is replaced is kept, the latest first, and each once', () => {
  assert.deepEqual(keeping(own, { llm_provider: 'offline', llm_model: null, llm_base_url: null }), {
    llm_kept: 'ollama/llama4@http://gpu.example/v1',
  })
  const unnamed = { llm_provider: 'ollama', llm_model: null, llm_base_url: 'http://gpu.example/v1' }
  assert.deepEqual(keeping(unnamed, { llm_base_url: null }), { llm_kept: 'ollama/qwen3@http://gpu.example/v1' })
  const llm_kept = 'openai/x, ollama/llama4@http://gpu.example/v1'
  assert.deepEqual(keeping({ ...own, llm_kept }, { llm_model: 'other' }), {
    llm_kept: 'ollama/llama4@http://gpu.example/v1, openai/x',
  })
})

test('nothing is kept of the same choice, of a default model, of a script, and of what the list cannot hold', () => {
  const next = { llm_provider: 'offline', llm_model: null, llm_base_url: null }
  assert.deepEqual(keeping(own, { llm_base_url: 'http://gpu.example/v1' }), {})
  for (const before of [
    {},
    { llm_provider: 'ollama' },
    { llm_provider: 'ollama', llm_model: 'qwen3', llm_base_url: '' },
    { llm_provider: 'scripted', llm_model: 'mine' },
    { llm_provider: 'nobody', llm_model: 'mine' },
    { llm_provider: 'ollama', llm_model: 'a,b' },
  ])
    assert.deepEqual(keeping(before, next), {}, JSON.stringify(before))
})

test('eight are kept, and what is forgotten is gone', () => {
  const names = Array.from({ length: 8 }, (_, at) => `openai/m${at}`)
  const stored = { ...own, llm_base_url: null, llm_kept: names.join(', ') }
  const { llm_kept } = keeping(stored, { llm_model: 'next' })
  assert.deepEqual(
    keptIn({ llm_kept: llm_kept ?? null }).map(({ name }) => name),
    ['llama4', ...names.slice(0, 7).map((each) => each.slice(7))],
  )
  assert.deepEqual(forgetting({ llm_kept: 'openai/a, openai/b' }, ['openai/a']), { llm_kept: 'openai/b' })
  assert.deepEqual(forgetting({ llm_kept: 'openai/a' }, ['openai/a']), { llm_kept: null })
})
