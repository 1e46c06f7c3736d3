// Settings over the gateway, as the operator sets them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { openHouse } from './house.ts'

const free = { input_usd: 0, output_usd: 0 }

test('settings are shown as they stand, changed, checked before they are stored, and taken back', async (t) => {
  const { call, store } = await openHouse(t)
  const first = (await call('GET', '/api/settings')).json
  assert.deepEqual(first.model, {
    provider: 'offline',
    name: 'offline',
    fallback: [],
    offered: [],
    offered_fixed: false,
    chosen_by: 'default',
  })
  assert.deepEqual(first.limits, {
    spend_per_turn_usd: 5,
    spend_per_day_usd: null,
    steps_per_turn: 50,
    retention_days: 0,
    fixed: [],
  })
  assert.deepEqual(first.models, [
    { ...free, provider: 'offline', name: 'offline', description: first.providers[0].description, role: 'in_use' },
    { ...free, provider: 'ollama', name: 'qwen3', description: 'a local Ollama', role: 'ready' },
  ])
  const openai = first.providers.find(({ name }: { name: string }) => name === 'openai')
  assert.deepEqual(openai.missing, ['OPENAI_API_KEY'])
  const names = first.providers.map(({ name }: { name: string }) => name)
  assert.ok(!names.includes('scripted'), 'nobody chooses what is for tests')
  const change = (body: object) => call('PATCH', '/api/settings', { body })
  const chosen = await change({ provider: 'ollama', model: 'qwen3', base_url: 'http://127.0.0.1:1/v1' })
  assert.deepEqual(chosen.json.model, {
    provider: 'ollama',
    name: 'qwen3',
    base_url: 'http://127.0.0.1:1/v1',
    fallback: [],
    offered: [],
    offered_fixed: false,
    chosen_by: 'settings',
  })
  await change({
    provider: 'openai',
    model: 'gpt-4o',
    fallback: 'openai-compatible/a@http://127.0.0.1:1/v1, ollama/qwen3',
  })
  const priced = (await call('GET', '/api/settings')).json
  assert.deepEqual(priced.model.fallback, ['openai-compatible/a@http://127.0.0.1:1/v1', 'ollama/qwen3'])
  type Listed = { name: string; role: string; input_usd: number | null; output_usd: number | null }
  assert.deepEqual(
    priced.models.map(({ name, role, input_usd, output_usd }: Listed) => [name, role, input_usd, output_usd]),
    [
      ['gpt-4o', 'in_use', 2.5, 10],
      ['a', 'fallback', null, null],
      ['qwen3', 'fallback', 0, 0],
      ['offline', 'ready', 0, 0],
      ['qwen3', 'ready', 0, 0],
    ],
  )
  // A server of one's own stays at hand when another is chosen, until it is forgotten.
  const own = priced.models.at(-1)
  assert.deepEqual([own.kept, own.base_url], [true, 'http://127.0.0.1:1/v1'])
  await change({ provider: 'offline' })
  const kept = ({ json }: Awaited<ReturnType<typeof change>>) =>
    json.models.flatMap((each: Listed & { kept?: true }) => (each.kept ? [each.name] : []))
  assert.deepEqual(kept(await call('GET', '/api/settings')), ['qwen3'], 'gpt-4o lacks its key')
  assert.equal((await store.settings.all())['llm_kept'], 'openai/gpt-4o, ollama/qwen3@http://127.0.0.1:1/v1')
  assert.deepEqual(kept(await change({ models: { 'ollama/qwen3@http://127.0.0.1:1/v1': null } })), [])
  await change({ provider: 'ollama', model: 'qwen3', base_url: 'http://127.0.0.1:1/v1' })
  const offers = await change({ offered: 'openai/gpt-4o' })
  assert.deepEqual(offers.json.model.offered, ['openai/gpt-4o'])
  assert.deepEqual(
    offers.json.models.flatMap(({ name, role }: Listed) => (role === 'offered' ? [name] : [])),
    ['gpt-4o'],
  )
  assert.equal((await change({ offered: 'nobody/x' })).status, 400)
  assert.deepEqual((await change({ offered: null })).json.model.offered, [])
  assert.equal((await change({ steps_per_turn: 7 })).json.limits.steps_per_turn, 7)
  assert.equal((await change({ retention_days: 30 })).json.limits.retention_days, 30)
  assert.equal((await change({ retention_days: null })).json.limits.retention_days, 0)
  const limits = await change({ spend_per_turn_usd: 0.5, spend_per_day_usd: 7, policy: { fetch: { clean: 'ask' } } })
  assert.deepEqual([limits.json.limits.spend_per_turn_usd, limits.json.limits.spend_per_day_usd], [0.5, 7])
  const row = limits.json.policy.find(({ id }: { id: string }) => id === 'fetch')
  assert.deepEqual([row.clean, row.tainted, row.changed], ['ask', 'known', true])
  assert.equal(limits.json.model.name, 'qwen3', 'what is left out stays')
  // Rows and their sides are set each by itself, at once too.
  await Promise.all([
    change({ policy: { fetch: { tainted: 'deny' } } }),
    change({ policy: { shell: { clean: 'deny' } } }),
    change({ policy: { write: { clean: 'deny' } } }),
  ])
  await change({ policy: { write: null } })
  await change({ marks_off: ['conceal'] })
  await Promise.all([
    change({ marks: { urgency: false } }),
    change({ marks: { 'hidden-text': false } }),
    change({ marks: { conceal: true } }),
  ])
  const { policy, marks_off } = await store.settings.all()
  assert.deepEqual(new Set(marks_off as string[]), new Set(['urgency', 'hidden-text']))
  assert.deepEqual(policy, { fetch: { clean: 'ask', tainted: 'deny' }, shell: { clean: 'deny' } })
  const before = await store.settings.all()
  for (const [body, param] of [
    [{ provider: 'nobody' }, 'provider'],
    [{ model: ' x ' }, 'model'],
    [{ base_url: 'file:///etc' }, 'base_url'],
    [{ fallback: 'nobody/x' }, 'fallback'],
    [{ offered: 'nobody/x' }, 'offered'],
    [{ policy: { nothing: { clean: 'ask' } } }, 'policy.nothing'],
    [{ policy: { fetch: { clean: 'perhaps' } } }, 'policy.fetch.clean'],
    [{ marks_off: ['nothing'] }, 'marks_off'],
    [{ marks: { nothing: true } }, 'marks_off'],
    [{ models: { 'ollama/qwen3': {} } }, 'models.ollama/qwen3'],
    [{ steps_per_turn: 0 }, 'steps_per_turn'],
    [{ steps_per_turn: 501 }, 'steps_per_turn'],
    [{ retention_days: -1 }, 'retention_days'],
    [{ retention_days: 0.5 }, 'retention_days'],
    [{ spend_per_turn_usd: -1 }, 'spend_per_turn_usd'],
    [{ spend_per_turn_usd: '5' }, 'spend_per_turn_usd'],
    // One good and one bad: nothing is stored.
    [{ spend_per_turn_usd: 1, provider: 'nobody' }, 'provider'],
  ] as const) {
    const refused = await change(body)
    assert.deepEqual([refused.status, refused.json.error.param], [400, param], JSON.stringify(body))
  }
  assert.deepEqual(await store.settings.all(), before)
  const back = await change({
    provider: null,
    spend_per_turn_usd: null,
    policy: null,
    spend_per_day_usd: null,
    steps_per_turn: null,
    marks_off: null,
    models: { 'openai/gpt-4o': null, 'ollama/qwen3@http://127.0.0.1:1/v1': null },
  })
  assert.deepEqual([back.json.model, back.json.limits], [first.model, first.limits])
  assert.deepEqual(await store.settings.all(), {})
})

test('a model that does not answer is not stored, unless it is forced', async (t) => {
  const tried: string[] = []
  const { call, store } = await openHouse(t, {
    tryChoice({ provider, name }) {
      tried.push(`${provider} ${name}`)
      const fault = new AppError('model_unreachable', `${name} does not answer`, { param: 'base_url' })
      return name === 'absent' ? Promise.reject(fault) : Promise.resolve(undefined)
    },
  })
  const change = (body: object) => call('PATCH', '/api/settings', { body })
  await change({ provider: 'ollama', model: 'present' })
  const before = await store.settings.all()
  const refused = await change({ provider: 'ollama', model: 'absent', spend_per_day_usd: 3 })
  const { code, param } = refused.json.error
  assert.deepEqual([refused.status, code, param], [502, 'model_unreachable', 'base_url'])
  assert.deepEqual(await store.settings.all(), before)
  // Nothing is asked for the sake of other settings, or of a model that is in use already.
  await change({ spend_per_day_usd: 3 })
  await change({ provider: 'ollama', model: 'present', fallback: 'google' })
  assert.deepEqual(tried, ['ollama present', 'ollama absent'])
  assert.equal((await change({ provider: 'ollama', model: 'absent', force: true })).json.model.name, 'absent')
  assert.equal((await store.settings.all())['force'], undefined)
  assert.equal(tried.length, 2)
})

test('the model in use is tried', async (t) => {
  const { call } = await openHouse(t, { say: () => [{ type: 'text', text: 'ready' }] })
  const { status, json } = await call('POST', '/api/settings/test')
  assert.deepEqual([status, json.model, json.words, json.ms >= 0], [200, 'test-1', 'ready', true])
})

test('the model in use is tried without its fallbacks', async (t) => {
  const tried: string[] = []
  const { call } = await openHouse(t, {
    tryChoice({ provider, name }) {
      tried.push(`${provider} ${name}`)
      return Promise.reject(new AppError('model_unreachable', 'it does not answer'))
    },
    say: () => [{ type: 'text', text: 'I am the fallback' }],
  })
  const chosen = { provider: 'ollama', model: 'absent', fallback: 'offline', force: true }
  await call('PATCH', '/api/settings', { body: chosen })
  const { status, json } = await call('POST', '/api/settings/test')
  assert.deepEqual([status, json.error.code, tried], [502, 'model_unreachable', ['ollama absent']])
})

test('a model is connected with its key: tested with it, sealed with the choice, and never shown', async (t) => {
  const tried: (string | undefined)[] = []
  const usage = { inputTokens: 1, outputTokens: 2, costUsd: 0 }
  const { call, store } = await openHouse(t, {
    tryChoice({ provider, name, apiKey }) {
      tried.push(`${provider}/${name} ${apiKey}`)
      if (apiKey === 'wrong')
        return Promise.reject(new AppError('model_unauthorized', 'refused', { param: 'provider' }))
      return Promise.resolve({ model: name, words: 'ready', ms: 5, usage })
    },
  })
  const post = (verb: string, body: object) => call('POST', `/api/settings/connection/${verb}`, { body })
  const model = { provider: 'openai', model: 'gpt-4o', key: 'sk-right' }
  assert.deepEqual((await post('models', { provider: 'openai', key: 'sk-right' })).json, {
    models: ['openai with sk-right'],
  })
  assert.equal((await post('models', { provider: 'openai-compatible', base_url: 'http://127.0.0.1:1/v1' })).status, 200)
  const trial = await post('test', model)
  assert.deepEqual([trial.status, trial.json.words, trial.json.output_tokens], [200, 'ready', 2])
  assert.deepEqual(await store.secrets.list(), [], 'a test stores nothing')
  assert.equal((await call('GET', '/api/settings')).json.model.provider, 'offline')
  assert.equal((await post('test', { ...model, key: 'wrong' })).status, 502)
  assert.equal((await post('test', { ...model, key: 'with space' })).json.error.param, 'key')
  assert.equal((await post('test', { provider: 'ollama', key: 'x' })).json.error.param, 'key')
  const change = (body: object) => call('PATCH', '/api/settings', { body })
  assert.equal((await change({ ...model, key: 'wrong' })).status, 502)
  assert.deepEqual(await store.secrets.list(), [])
  const stored = await change(model)
  assert.deepEqual([stored.json.model.provider, stored.json.model.name], ['openai', 'gpt-4o'])
  assert(!stored.text.includes('sk-right'))
  assert.equal(await store.secrets.get('OPENAI_API_KEY'), 'sk-right')
  const openai = stored.json.providers.find(({ name }: { name: string }) => name === 'openai')
  assert.deepEqual([openai.key, openai.missing], ['OPENAI_API_KEY', []])
  assert.deepEqual(new Set(tried), new Set(['openai/gpt-4o sk-right', 'openai/gpt-4o wrong']))
})

test('a known key goes to no new address, neither in a test nor by a change', async (t) => {
  const tried: (string | undefined)[] = []
  const { call, store } = await openHouse(t, {
    tryChoice({ baseUrl }) {
      tried.push(baseUrl)
      return Promise.resolve(undefined)
    },
  })
  const change = (body: object) => call('PATCH', '/api/settings', { body })
  const post = (verb: string, body: object) => call('POST', `/api/settings/connection/${verb}`, { body })
  const own = { provider: 'openai', model: 'gpt-4o', base_url: 'https://proxy.example/v1' }
  assert.equal((await change({ ...own, key: 'sk-right' })).status, 200)
  tried.length = 0
  const elsewhere = { ...own, base_url: 'https://evil.example/v1' }
  const refused = [
    await post('models', elsewhere),
    await post('test', elsewhere),
    await change(elsewhere),
    await change({ ...elsewhere, force: true }),
    await change({ fallback: 'openai/gpt-4o@https://evil.example/v1' }),
    await change({ offered: 'openai/gpt-4o@https://evil.example/v1' }),
  ]
  for (const { status, json } of refused) assert.deepEqual([status, json.error.param], [400, 'key'])
  assert.deepEqual(tried, [])
  assert.equal((await post('models', { ...elsewhere, key: 'sk-other' })).status, 200)
  // The provider's own address, and one that was in use, need no key again.
  assert.equal((await change({ provider: 'openai' })).status, 200)
  assert.equal((await change(own)).status, 200)
  assert.equal(await store.secrets.get('OPENAI_API_KEY'), 'sk-right')
})

test('a key is refused while the environment has one, which would be used instead', async (t) => {
  for (const variable of ['OPENAI_API_KEY', 'LLM_API_KEY']) {
    const { call, store } = await openHouse(t, { environment: { [variable]: 'sk-of-the-environment' } })
    const body = { provider: 'openai', model: 'gpt-4o', key: 'sk-pasted' }
    const { status, json } = await call('PATCH', '/api/settings', { body })
    assert.deepEqual([status, json.error.param], [400, 'key'])
    assert.ok(json.error.message.includes(variable))
    assert.deepEqual(await store.secrets.list(), [])
  }
})

test('nothing is tried or listed in place of a connection that the environment overrules', async (t) => {
  const environment = {
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'small',
    LLM_BASE_URL: 'http://127.0.0.1:1/v1',
  }
  const tryChoice = () => Promise.reject(new AppError('model_unreachable', 'nothing listens there'))
  const { call } = await openHouse(t, { environment, tryChoice })
  const given = { provider: 'openai-compatible', model: 'small', base_url: 'http://127.0.0.1:1/v1/' }
  const asked: readonly [what: string, body: object, param: string][] = [
    ['test', { provider: 'openai', model: 'gpt-4o' }, 'provider'],
    ['test', { ...given, model: 'large' }, 'model'],
    ['test', { ...given, base_url: 'http://127.0.0.1:2/v1' }, 'base_url'],
    ['models', { provider: 'openai' }, 'provider'],
    ['models', { ...given, base_url: 'http://127.0.0.1:2/v1' }, 'base_url'],
  ]
  for (const [what, body, param] of asked) {
    const { status, json } = await call('POST', `/api/settings/connection/${what}`, { body })
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_input', param])
    assert.match(json.error.message, /^LLM_\w+ in the environment is .* unset it first$/)
  }
  // The same as the environment says is tried.
  const { status, json } = await call('POST', '/api/settings/connection/test', { body: given })
  assert.deepEqual([status, json.error.code], [502, 'model_unreachable'])
})
