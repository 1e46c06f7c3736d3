// Every provider as it is opened from a choice, against its strict server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import type { ModelRequest } from '#core/model.ts'
import { type ModelSources, openModel } from '#models/open-model.ts'
import { anthropicKey, saying as claudeSays, serveAnthropic } from './strict-anthropic.ts'
import { googleKey, saying as geminiSays, serveGoogle } from './strict-google.ts'
import { openaiKey, saying, serveOllama, serveOpenai } from './strict-openai.ts'
import { collect, fails, hello, textsOf } from './wire.ts'

const from = (secret: ModelSources['secret']): ModelSources => ({ secret, proxy: {} })
const nothing = from(() => Promise.resolve(undefined))
const branch = (kind: string) => ({ type: 'object', properties: { kind: { const: kind } }, required: ['kind'] })
const seal = JSON.stringify({ anthropic: { signature: 'sealed' } })
const items: readonly Item[] = [
  textMessage('user', 'hello'),
  { type: 'reasoning', text: 'a thought', seal },
  { type: 'call', callId: 'call_1', name: 'pick', args: '{"kind":"a"}', seal },
  { type: 'call', callId: 'call_2', name: 'pick', args: 'no json' },
  { type: 'result', callId: 'call_1', output: 'one' },
  { type: 'result', callId: 'call_2', output: '' },
  textMessage('assistant', ''),
  textMessage('user', 'and?'),
]
const full: ModelRequest = {
  system: 'Be brief.',
  items,
  tools: [{ name: 'pick', description: 'Picks.', parameters: { oneOf: [branch('a'), branch('b')] } }],
  temperature: 0.3,
}

test('openai takes a whole conversation; a model that thinks gets no temperature', async (t) => {
  const { url, asked } = await serveOpenai(t, saying('Hel', 'lo'))
  for (const name of ['gpt-4o', 'gpt-5.4-mini', 'o4-mini']) {
    const model = await openModel({ provider: 'openai', name, baseUrl: `${url}/v1`, apiKey: openaiKey }, nothing)
    assert.deepEqual(textsOf(await collect(model, full)), ['Hel', 'lo'])
  }
  assert.deepEqual(
    asked.map(({ body }) => body['temperature']),
    [0.3, undefined, undefined],
  )
  assert.doesNotMatch(asked[0]?.text ?? '', /a thought|sealed/)
})

test('ollama takes the same, without a key, and costs nothing', async (t) => {
  const { url, asked } = await serveOllama(t, saying('hi'))
  const model = await openModel({ provider: 'ollama', name: 'qwen3', baseUrl: `${url}/v1` }, nothing)
  assert.partialDeepStrictEqual((await collect(model, full)).at(-1), { usage: { inputTokens: 12, costUsd: 0 } })
  assert.equal(asked[0]?.headers.authorization, undefined)
})

test('a sealed key is found by its name, the first of several first', async (t) => {
  const { url } = await serveGoogle(t, geminiSays({ parts: [{ text: 'hi' }], finish: 'STOP' }))
  const secrets: Record<string, string> = { GOOGLE_API_KEY: 'wrong', GEMINI_API_KEY: googleKey }
  const choice = { provider: 'google', name: 'gemini-2.5-flash', baseUrl: `${url}/v1beta` } as const
  const model = await openModel(
    choice,
    from((name) => Promise.resolve(secrets[name])),
  )
  assert.deepEqual(model.via, { host: new URL(url).host, secret: 'GEMINI_API_KEY' })
  const done = (await collect(model)).at(-1)
  assert.ok(done?.type === 'done' && done.usage.costUsd !== null && done.usage.costUsd > 0)
  const other = await openModel(
    choice,
    from((name) => Promise.resolve(name === 'GEMINI_API_KEY' ? '' : 'key')),
  )
  assert.equal(other.via?.secret, 'GOOGLE_API_KEY', 'an empty one is none')
  const error = await fails(openModel(choice, nothing))
  assert.equal(error.code, 'model_key_missing')
  assert.match(error.message, /atrium secret set GEMINI_API_KEY/)
})

test('a wrong key of openai is told with the way out', async (t) => {
  const { url } = await serveOpenai(t, saying('hi'))
  const choice = { provider: 'openai', name: 'gpt-4o', baseUrl: `${url}/v1` } as const
  const sealed = await fails(
    collect(
      await openModel(
        choice,
        from(() => Promise.resolve('sk-bad')),
      ),
    ),
  )
  assert.equal(sealed.code, 'model_unauthorized')
  assert.match(sealed.message, /Incorrect API key.*/)
  assert.match(sealed.message, /atrium secret set OPENAI_API_KEY/)
  const given = await fails(collect(await openModel({ ...choice, apiKey: 'sk-bad' }, nothing)))
  assert.match(given.message, /change it where it comes from/)
})

test('a thread goes from provider to provider, and each takes what the others said', async (t) => {
  const claude = await serveAnthropic(t, claudeSays([{ text: ['hi'] }]))
  const gemini = await serveGoogle(t, geminiSays({ parts: [{ text: 'hi' }], finish: 'STOP' }))
  for (const choice of [
    { provider: 'anthropic', name: 'claude-sonnet-4-6', baseUrl: `${claude.url}/v1`, apiKey: anthropicKey },
    { provider: 'google', name: 'gemini-3.5-flash', baseUrl: `${gemini.url}/v1beta`, apiKey: googleKey },
  ] as const) {
    const model = await openModel(choice, nothing)
    const foreign = JSON.stringify({ [choice.provider === 'google' ? 'anthropic' : 'google']: { signature: 'x' } })
    const moved = items.map((item) => ('seal' in item ? { ...item, seal: foreign } : item))
    assert.deepEqual(textsOf(await collect(model, { ...full, items: moved })), ['hi'])
  }
})

test('the fallback of a choice is opened when it is needed, and named', async (t) => {
  const { url } = await serveOllama(t, saying('hi'))
  const model = await openModel(
    {
      provider: 'openai-compatible',
      name: 'm',
      baseUrl: `${url}/nowhere`,
      fallback: [{ provider: 'ollama', name: 'qwen3', baseUrl: `${url}/v1` }],
    },
    nothing,
  )
  // A wrong address is a fault of the set-up, which nobody else should hide.
  assert.equal((await fails(collect(model))).code, 'model_unknown')
  const gone = await openModel(
    {
      provider: 'ollama',
      name: 'a',
      baseUrl: 'http://127.0.0.1:9/v1',
      fallback: [{ provider: 'ollama', name: 'b', baseUrl: `${url}/v1` }],
    },
    nothing,
  )
  const via = { host: new URL(url).host }
  assert.partialDeepStrictEqual((await collect(gone, hello)).at(-1), { type: 'done', model: 'b', via })
})
