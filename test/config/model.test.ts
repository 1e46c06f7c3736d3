// Who chooses the model: the environment, the settings, a key, nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choiceName, type ModelConfig, offeredModels } from '#config/model.ts'
import type { Settings } from '#core/store.ts'
import { readConfig } from '#config.ts'

const HOME = '/home/ada'
const compatible = { llm_provider: 'openai-compatible', llm_model: 'm', llm_base_url: 'http://h:1/v1' }

const choices: readonly {
  when: string
  env?: Record<string, string>
  settings?: Settings
  model: ModelConfig
}[] = [
  {
    when: 'nothing is set',
    model: { provider: 'offline', name: 'offline', source: 'default' },
  },
  {
    when: 'the environment names a compatible server',
    env: { LLM_PROVIDER: 'OpenAI-Compatible', LLM_BASE_URL: 'http://h:2/v1/', LLM_MODEL: 'mock-1', LLM_API_KEY: 'x' },
    settings: { llm_provider: 'ollama' },
    model: {
      provider: 'openai-compatible',
      name: 'mock-1',
      baseUrl: 'http://h:2/v1',
      apiKey: 'x',
      source: 'environment',
    },
  },
  {
    when: 'a key stands beside a choice it is not for',
    env: { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'http://h', LLM_MODEL: 'm', OPENAI_API_KEY: 'k' },
    model: { provider: 'openai-compatible', name: 'm', baseUrl: 'http://h', source: 'environment' },
  },
  {
    when: 'the settings name a compatible server',
    env: { OPENAI_API_KEY: 'k' },
    settings: compatible,
    model: { provider: 'openai-compatible', name: 'm', baseUrl: 'http://h:1/v1', source: 'settings' },
  },
  {
    when: 'the environment overrules the name of a stored choice',
    env: { LLM_MODEL: 'n' },
    settings: compatible,
    model: { provider: 'openai-compatible', name: 'n', baseUrl: 'http://h:1/v1', source: 'settings' },
  },
  {
    when: 'the environment names another provider than the settings',
    env: { LLM_PROVIDER: 'openai', OPENAI_API_KEY: 'k' },
    settings: compatible,
    model: { provider: 'openai', name: 'gpt-5.4-mini', apiKey: 'k', source: 'environment' },
  },
  {
    when: 'the environment names the provider of the settings',
    env: { LLM_PROVIDER: 'openai-compatible' },
    settings: compatible,
    model: { provider: 'openai-compatible', name: 'm', baseUrl: 'http://h:1/v1', source: 'environment' },
  },
  {
    when: 'the environment overrules bad settings',
    env: { LLM_PROVIDER: 'offline' },
    settings: { llm_provider: 7, llm_model: false, llm_base_url: 'x' },
    model: { provider: 'offline', name: 'offline', source: 'environment' },
  },
  {
    when: 'settings are there but empty',
    settings: { llm_provider: null, llm_model: '' },
    model: { provider: 'offline', name: 'offline', source: 'default' },
  },
  {
    when: 'one key is there',
    env: { OPENAI_API_KEY: 'k' },
    model: { provider: 'openai', name: 'gpt-5.4-mini', apiKey: 'k', source: 'key' },
  },
  {
    when: 'the second name of a key is there',
    env: { GOOGLE_API_KEY: 'k' },
    model: { provider: 'google', name: 'gemini-3.5-flash', apiKey: 'k', source: 'key' },
  },
  {
    when: 'our own name of a key beats the customary one',
    env: { LLM_PROVIDER: 'openai', OPENAI_API_KEY: 'theirs', LLM_API_KEY: 'ours' },
    model: { provider: 'openai', name: 'gpt-5.4-mini', apiKey: 'ours', source: 'environment' },
  },
  {
    when: 'replies come from a file',
    env: { LLM_PROVIDER: 'scripted', LLM_SCRIPT: 'replies.json' },
    model: { provider: 'scripted', name: 'scripted', script: 'replies.json', source: 'environment' },
  },
  {
    when: 'a fallback of the same provider shares its server, another has its own key',
    env: {
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: 'http://h',
      LLM_MODEL: 'm',
      LLM_API_KEY: 'k',
      LLM_PRICE: '0.5, 2',
      LLM_FALLBACK: 'openai-compatible/n/o, anthropic',
      ANTHROPIC_API_KEY: 'a',
    },
    model: {
      provider: 'openai-compatible',
      name: 'm',
      baseUrl: 'http://h',
      apiKey: 'k',
      price: { input: 0.5, output: 2 },
      fallback: [
        { provider: 'openai-compatible', name: 'n/o', baseUrl: 'http://h', apiKey: 'k' },
        { provider: 'anthropic', name: 'claude-sonnet-5-5', apiKey: 'a' },
      ],
      source: 'environment',
    },
  },
  {
    when: 'a fallback has an address of its own',
    env: {
      LLM_PROVIDER: 'ollama',
      LLM_FALLBACK: 'anthropic/c@1@http://127.0.0.1:4010/v1/,openai-compatible/m@https://h/v1,ollama/n@http://i',
      LLM_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'a',
    },
    model: {
      provider: 'ollama',
      name: 'qwen3',
      apiKey: 'k',
      fallback: [
        { provider: 'anthropic', name: 'c@1', baseUrl: 'http://127.0.0.1:4010/v1', apiKey: 'a' },
        { provider: 'openai-compatible', name: 'm', baseUrl: 'https://h/v1' },
        { provider: 'ollama', name: 'n', baseUrl: 'http://i', apiKey: 'k' },
      ],
      source: 'environment',
    },
  },
  {
    when: 'a stored fallback belongs to the stored provider',
    env: { LLM_PROVIDER: 'openai', OPENAI_API_KEY: 'k' },
    settings: { llm_provider: 'ollama', llm_fallback: 'google' },
    model: { provider: 'openai', name: 'gpt-5.4-mini', apiKey: 'k', source: 'environment' },
  },
  {
    when: 'ollama is asked for without more',
    env: { LLM_PROVIDER: 'ollama' },
    model: { provider: 'ollama', name: 'qwen3', source: 'environment' },
  },
]
for (const { when, env, settings, model } of choices) {
  test(`${when}: ${model.provider}`, () => {
    const config = readConfig({ HOME, ...env }, settings)
    assert.deepEqual(config.model, model)
    assert.deepEqual(config.notices, [])
  })
}

test('of several keys the first in the order of the page is used, and the start says so', () => {
  const config = readConfig({ HOME, GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' })
  assert.deepEqual(config.model, { provider: 'anthropic', name: 'claude-sonnet-5-5', apiKey: 'a', source: 'key' })
  assert.match(config.notices.join('\n'), /keys for anthropic and openai and google: anthropic is used/)
})

test('a variable that changes nothing for want of a provider is noticed', () => {
  const config = readConfig({ HOME, LLM_BASE_URL: 'http://h', LLM_MODEL: 'm' })
  assert.equal(config.model.provider, 'offline')
  assert.match(config.notices.join('\n'), /^LLM_MODEL and LLM_BASE_URL without LLM_PROVIDER/)
})

const refusals: readonly [env: Record<string, string>, settings: Settings, lines: RegExp[]][] = [
  [{ LLM_PROVIDER: 'scripted' }, {}, [/^LLM_SCRIPT .*Example: LLM_SCRIPT=/]],
  [{ LLM_PROVIDER: 'openai-compatible' }, {}, [/^LLM_BASE_URL .*Example/, /^LLM_MODEL .*Example/]],
  [{ LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: 'x', LLM_MODEL: 'm' }, {}, [/^LLM_BASE_URL must be/]],
  [{}, { llm_provider: 'openai-compatible', llm_model: 'm' }, [/setting .*llm_base_url is not set.*atrium model set/]],
  [{}, { ...compatible, llm_base_url: 'http://u:p@h' }, [/setting llm_base_url must be .*atrium model set/]],
  [{}, { ...compatible, llm_model: 7 }, [/setting llm_model must be a text.*atrium model set/]],
  [{ LLM_PROVIDER: 'ollama', LLM_FALLBACK: 'hal/9000' }, {}, [/^LLM_FALLBACK must be a comma list of provider\/model/]],
  [{ LLM_PROVIDER: 'ollama', LLM_FALLBACK: 'scripted' }, {}, [/^LLM_FALLBACK names scripted, which/]],
  [
    { LLM_PROVIDER: 'ollama', LLM_FALLBACK: 'openai-compatible/m' },
    {},
    [/^LLM_FALLBACK names openai-compatible, which needs/],
  ],
  [{ LLM_PROVIDER: 'ollama', LLM_FALLBACK: 'openai/m@http://u:p@h/' }, {}, [/^LLM_FALLBACK must be a comma list/]],
  [{ LLM_PROVIDER: 'ollama', LLM_PRICE: '1' }, {}, [/^LLM_PRICE must be two numbers.*Example: LLM_PRICE=/]],
  [{ LLM_PROVIDER: 'ollama', LLM_PRICE: '1000000,1' }, {}, [/^LLM_PRICE must be two numbers from 0 to 999999:/]],
  [{}, { llm_provider: 'ollama', llm_fallback: 'x' }, [/setting llm_fallback must be .*atrium model set/]],
  [{}, { llm_provider: 'gpt' }, [/setting llm_provider must be one of .*not "gpt".*atrium model set/]],
  [{}, { llm_provider: { a: 1 } }, [/setting llm_provider must be a text.*atrium model set/]],
]
for (const [env, settings, lines] of refusals) {
  test(`${JSON.stringify(env)} with settings ${JSON.stringify(settings)} is refused`, () => {
    assert.throws(
      () => readConfig({ HOME, ...env }, settings),
      ({ code, message }: { code: string; message: string }) => {
        assert.equal(code, 'invalid_config')
        const told = message.split('\n')
        assert.equal(told.length, lines.length, message)
        lines.forEach((line, index) => assert.match(told[index] ?? '', line))
        return true
      },
    )
  })
}

test('the models that can be chosen come from the environment, else from the settings; fallbacks are among them', () => {
  const offered = (env: Record<string, string>, settings: Settings = {}) =>
    offeredModels(readConfig({ HOME, ...env }, settings).model).map(choiceName)
  const stored = { llm_models: 'ollama/small' }
  assert.deepEqual(offered({}), [])
  assert.deepEqual(offered({}, stored), ['ollama/small'])
  assert.deepEqual(
    offered({ LLM_MODELS: 'ollama/big,offline' }, stored),
    ['ollama/big'],
    'the usual one is none of them',
  )
  const usual = { LLM_PROVIDER: 'ollama', LLM_FALLBACK: 'offline,ollama/small' }
  assert.deepEqual(offered({ ...usual, LLM_MODELS: 'ollama/small' }), ['ollama/small', 'offline/offline'])
  assert.throws(() => offered({}, { llm_models: 'nobody/x' }), /stored setting llm_models/)
})
