// `atrium model`: what is chosen, what is refused, and who wins.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openHomeStore } from '#app/open-storage.ts'
import { readConfig } from '#config.ts'
import { ollamaAnswers } from '#models/ollama.ts'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { anthropicKey, saying, serveAnthropic } from '../models/strict-anthropic.ts'
import { testFaults } from './faults.ts'

const home = newHome()
after(home.remove)

async function current(env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await atrium(home.path, ['model', '--json'], { env })
  return (JSON.parse(stdout) as { current: unknown }).current
}

test('a choice is stored with its address, and replaced as a whole', async () => {
  assert.deepEqual(await current(), { provider: 'offline', model: 'offline', chosen_by: 'default' })
  const url = 'http://127.0.0.1:9/v1'
  const args = ['model', 'set', 'openai-compatible', 'm-1', '--base-url', url]
  const set = await atrium(home.path, [...args, '--force'])
  assert.deepEqual([set.code, set.stdout], [0, 'openai-compatible m-1 is stored without a test.\n'])
  assert.deepEqual(await current(), {
    provider: 'openai-compatible',
    model: 'm-1',
    chosen_by: 'settings',
    base_url: url,
  })
  await atrium(home.path, ['model', 'set', 'ollama', 'qwen3', '--force'])
  assert.deepEqual(await current(), { provider: 'ollama', model: 'qwen3', chosen_by: 'settings' })
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  const { llm_kept: kept } = await store.settings.all()
  await store.close()
  assert.equal(kept, `openai-compatible/m-1@${url}`, 'the one before can be chosen again')
})

test('a choice that does not answer leaves the model in use', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['rea', 'dy'] }]))
  const before = await current()
  const args = ['model', 'set', 'anthropic', 'claude-sonnet-4-6', '--base-url', `${served.url}/v1`]
  const keyless = await atrium(home.path, args)
  assert.deepEqual([keyless.code, keyless.stdout], [1, ''])
  assert.match(keyless.stderr, /^error: anthropic claude-sonnet-4-6 does not answer: anthropic needs a key.*--force/)
  const wrong = await atrium(home.path, args, { env: { ANTHROPIC_API_KEY: 'sk-wrong-key' } })
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /does not answer: .*refused the API key.*invalid x-api-key.*the model in use stays/)
  assert.doesNotMatch(wrong.stderr, /sk-wrong-key/)
  assert.deepEqual(await current(), before)
})

test('a choice is tried: its words, its cost, a wrong key and an absent server', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['rea', 'dy'] }]))
  const args = ['model', 'set', 'anthropic', 'claude-sonnet-4-6', '--base-url', `${served.url}/v1`]
  const set = (env: Record<string, string>) => atrium(home.path, args, { env })
  const env = { ANTHROPIC_API_KEY: anthropicKey }
  assert.equal((await set(env)).stdout, 'anthropic claude-sonnet-4-6 answers from now on.\n')
  const trial = await atrium(home.path, ['model', 'test', '--json'], { env })
  assert.partialDeepStrictEqual(JSON.parse(trial.stdout), {
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    words: 'ready',
    input_tokens: 10,
    output_tokens: 7,
    cost_usd: 0.000135,
  })
  assert.match(
    (await atrium(home.path, ['model', 'test'], { env })).stdout,
    /"ready"\n10 tokens in, 7 out, under \$0\.001$/m,
  )
  const listed = (await atrium(home.path, ['model', 'list'], { env })).stdout
  assert.match(listed, /^\* {2}anthropic .* ready$/m)
  assert.match(listed, /^ {3}google .* needs GEMINI_API_KEY$/m)
  const failed = await atrium(home.path, ['model', 'test'])
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /atrium secret set ANTHROPIC_API_KEY/)
})

test('a running service tests the choice with its own keys, not with those of the command', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['ready'] }]))
  const own = newHome()
  t.after(own.remove)
  const service = await serve(own.path, { LLM_PROVIDER: '', ANTHROPIC_API_KEY: anthropicKey })
  t.after(() => service.stop())
  const base = ['--base-url', `${served.url}/v1`]
  const set = await atrium(own.path, ['model', 'set', 'anthropic', 'claude-sonnet-4-6', ...base], {
    env: { ANTHROPIC_API_KEY: 'sk-wrong-key', LLM_PROVIDER: 'offline' },
  })
  assert.deepEqual([set.stderr, set.stdout], ['', 'anthropic claude-sonnet-4-6 answers from now on.\n'])
  const refused = await atrium(own.path, ['model', 'set', 'openai', 'm', ...base], {
    env: { OPENAI_API_KEY: 'sk-own' },
  })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^error: openai m does not answer: openai needs a key.*the model in use stays/)
  assert.equal((await atrium(own.path, ['model', 'set', 'openai-compatible', 'm'])).code, 2)
})

test('the list has what a person can choose, and says what an Ollama that does not run needs', async (t) => {
  const own = newHome()
  t.after(own.remove)
  const script = join(own.path, 'replies.json')
  writeFileSync(script, '{ "replies": [{ "text": "hi" }] }')
  const listed = async (env: Record<string, string> = {}) => (await atrium(own.path, ['model'], { env })).stdout
  const fresh = await listed()
  assert.match(fresh, /^\* {2}offline .* ready$/m)
  assert.doesNotMatch(fresh, /scripted/)
  const unknown = await atrium(own.path, ['model', 'set', 'gpt'])
  assert.match(unknown.stderr, /^error: the provider must be one of offline, anthropic, openai, .*, not gpt\n$/)
  assert.match(fresh, (await ollamaAnswers()) ? /^ {3}ollama .* ready$/m : /^ {3}ollama .* needs a running Ollama$/m)
  assert.match(fresh, /\nConnect a real one: \S*atrium onboard, or \S*atrium model set PROVIDER \[MODEL\]\n$/)
  const scripted = await listed({ LLM_PROVIDER: 'scripted', LLM_SCRIPT: script })
  assert.match(scripted, /^\* {2}scripted .* ready$/m)
  assert.doesNotMatch(scripted, /onboard/)
})

test('fallbacks are stored with the choice and shown', async () => {
  await atrium(home.path, [
    'model',
    'set',
    'ollama',
    '--base-url',
    'http://127.0.0.1:9/v1',
    '--fallback',
    'openai/a/b,google',
    '--force',
  ])
  assert.partialDeepStrictEqual(await current(), { fallback: ['openai/a/b', 'google/gemini-3.5-flash'] })
  assert.match((await atrium(home.path, ['model'])).stdout, /Fallback: openai\/a\/b, then google\/gemini-3\.5-flash\./)
  const bad = await atrium(home.path, ['model', 'set', 'ollama', '--fallback', 'nobody/x'])
  assert.deepEqual([bad.code, /error: --fallback must be a comma list of provider\/model/.test(bad.stderr)], [2, true])
})

test('a test asks the model itself: no fallback answers for it', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['ready'] }]))
  const broken = ['model', 'set', 'ollama', 'qwen3', '--base-url', 'http://127.0.0.1:9/v1']
  const fallback = `anthropic/claude-sonnet-4-6@${served.url}/v1`
  const env = { ANTHROPIC_API_KEY: anthropicKey }
  assert.equal((await atrium(home.path, [...broken, '--fallback', fallback, '--force'], { env })).code, 0)
  const tested = await atrium(home.path, ['model', 'test'], { env })
  assert.deepEqual([tested.code, tested.stdout], [1, ''])
  assert.match(tested.stderr, /127\.0\.0\.1:9/)
})

test('the environment goes before what is stored, and set says so', async () => {
  const env = { LLM_PROVIDER: 'offline' }
  const set = await atrium(home.path, ['model', 'set', 'ollama', 'qwen3'], { env })
  assert.match(set.stdout, /^Stored without a test: LLM_PROVIDER in the environment wins, and offline answers\.$/m)
  assert.deepEqual(await current(env), { provider: 'offline', model: 'offline', chosen_by: 'environment' })
})

test('a choice that lacks its address is refused also while the environment wins', async (t) => {
  const own = newHome()
  t.after(own.remove)
  const env = { LLM_PROVIDER: 'offline' }
  const refused = [
    2,
    '',
    /openai-compatible needs MODEL and --base-url URL: \S*atrium model set openai-compatible/,
  ] as const
  const alone = await atrium(own.path, ['model', 'set', 'openai-compatible'], { env })
  assert.deepEqual([alone.code, alone.stdout], refused.slice(0, 2))
  assert.match(alone.stderr, refused[2])
  const service = await serve(own.path, env)
  const beside = await atrium(own.path, ['model', 'set', 'openai-compatible'])
  await service.stop()
  assert.deepEqual([beside.code, beside.stdout], refused.slice(0, 2))
  assert.match(beside.stderr, refused[2])
})

test('a running service tells and tests its own model, whatever the environment of the command says', async (t) => {
  const served = await serveAnthropic(t, saying([{ text: ['ready'] }]))
  const own = newHome()
  t.after(own.remove)
  const service = await serve(own.path, {
    LLM_PROVIDER: 'anthropic',
    LLM_MODEL: 'claude-sonnet-4-6',
    LLM_BASE_URL: `${served.url}/v1`,
    LLM_FALLBACK: 'ollama/qwen3@http://127.0.0.1:9/v1',
    ANTHROPIC_API_KEY: anthropicKey,
  })
  t.after(() => service.stop())
  const listed = await atrium(own.path, ['model'])
  assert.match(
    listed.stdout,
    /^anthropic claude-sonnet-4-6 answers \(chosen by LLM_PROVIDER, in the running service\)\./,
  )
  assert.match(listed.stdout, / Fallback: ollama\/qwen3\. A thread may use another: ollama\/qwen3\.$/m)
  const { current } = JSON.parse((await atrium(own.path, ['model', '--json'])).stdout) as { current: unknown }
  assert.partialDeepStrictEqual(current, {
    provider: 'anthropic',
    chosen_by: 'environment',
    fallback: ['ollama/qwen3'],
  })
  const trial = await atrium(own.path, ['model', 'test', '--json'])
  assert.partialDeepStrictEqual(JSON.parse(trial.stdout), { provider: 'anthropic', words: 'ready' })
  const doctor = await atrium(own.path, ['doctor'])
  assert.match(doctor.stdout, /✓ model: anthropic claude-sonnet-4-6 answers/)
})

test('the list marks the provider in use', async () => {
  assert.match((await atrium(home.path, ['model', 'list'])).stdout, /^ollama qwen3 answers[^]*^\* {2}ollama /m)
})

testFaults(home.path, [
  { what: 'a bad provider', args: ['model', 'set', 'hal'], code: 2, says: /the provider must be one of .*not hal/ },
  { what: 'no provider', args: ['model', 'set'], code: 2, says: /provider'[^]*atrium model set --help/ },
  { what: 'an unknown command', args: ['model', 'hal'], code: 2, says: /unknown command 'hal'[^]*atrium model --help/ },
  {
    what: 'a compatible model without an address',
    args: ['model', 'set', 'openai-compatible', 'm'],
    code: 2,
    says: /needs --base-url URL: \S*atrium model set openai-compatible MODEL --base-url URL/,
  },
  {
    what: 'a compatible model without anything',
    args: ['model', 'set', 'openai-compatible'],
    code: 2,
    says: /needs MODEL and --base-url URL/,
  },
  {
    what: 'an address that is none',
    args: ['model', 'set', 'ollama', 'm', '--base-url', 'foo'],
    code: 2,
    says: /^error: --base-url must be an http or https URL/,
  },
  {
    what: 'a model of offline',
    args: ['model', 'set', 'offline', 'foo', '--fallback', 'google'],
    code: 2,
    says: /offline is one small built-in model: it takes no MODEL and no --fallback/,
  },
  { what: 'an argument too many', args: ['model', 'set', 'ollama', 'a', 'b'], code: 2, says: /too many/ },
])

test('what was refused was not stored', async () => {
  assert.deepEqual(await current(), { provider: 'ollama', model: 'qwen3', chosen_by: 'settings' })
})
