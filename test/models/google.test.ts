// Google's client against a strict server.
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import type { JsonObject } from '#core/json.ts'
import type { ModelEvent, ModelRequest } from '#core/model.ts'
import { createGoogleModel } from '#models/google.ts'
import { call, chunk, googleKey, saying, serveGoogle, signatureOf } from './strict-google.ts'
import { collect, failing, fails, hello, type Json, list, type Reply, send, textsOf } from './wire.ts'

type Parts = Partial<Parameters<typeof createGoogleModel>[0]>

async function serve(t: TestContext, replies: readonly Reply[], parts: Parts = {}) {
  const served = await serveGoogle(t, ...replies)
  const slept: number[] = []
  const model = createGoogleModel({
    name: 'gemini-3-pro',
    baseUrl: `${served.url}/v1beta`,
    apiKey: googleKey,
    keyName: 'GEMINI_API_KEY',
    sleep: async (ms) => void slept.push(ms),
    random: () => 1,
    ...parts,
  })
  return { ...served, model, slept }
}

const text = [{ parts: [{ text: 'Hel' }] }, { parts: [{ text: 'lo' }], finish: 'STOP' }]
const ask = (items: readonly Item[], more: Partial<ModelRequest> = {}): ModelRequest => ({ ...hello, items, ...more })
const toolWith = (parameters: JsonObject) => ({ name: 'look_up', description: 'Looks up.', parameters })
const callsOf = (events: readonly ModelEvent[]) => events.filter((event) => event.type === 'call')

describe('reading', () => {
  test('text comes in deltas, and done comes last with cached tokens and thoughts in the totals', async (t) => {
    const usage = { promptTokenCount: 40, cachedContentTokenCount: 30, candidatesTokenCount: 5, thoughtsTokenCount: 7 }
    const { model } = await serve(t, [saying(text[0] ?? {}, { ...text[1], usage })])
    assert.deepEqual(await collect(model), [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'done',
        usage: { inputTokens: 40, cachedTokens: 30, outputTokens: 12, reasoningTokens: 7, costUsd: null },
      },
    ])
  })

  test('calls beside each other keep their order, and the first its signature', async (t) => {
    const parts = [call('look_up', { q: 'é' }, signatureOf('look_up')), call('time', {})]
    const { model } = await serve(t, [saying({ parts, finish: 'STOP' })])
    assert.deepEqual(callsOf(await collect(model)), [
      {
        type: 'call',
        name: 'look_up',
        args: '{"q":"é"}',
        signature: JSON.stringify({ google: { thoughtSignature: signatureOf('look_up') } }),
      },
      { type: 'call', name: 'time', args: '{}' },
    ])
  })

  test('an answer that ran into its limit says so; a filter and a call that cannot be read are faults', async (t) => {
    const { model } = await serve(t, [
      saying({ parts: [{ text: 'a' }], finish: 'MAX_TOKENS' }),
      saying({ parts: [{ text: 'a' }], finish: 'SAFETY' }),
      saying({ finish: 'MALFORMED_FUNCTION_CALL' }),
    ])
    assert.partialDeepStrictEqual((await collect(model)).at(-1), { type: 'done', stop: 'length' })
    assert.equal((await fails(collect(model))).code, 'model_filtered')
    assert.match((await fails(collect(model))).message, /tool call that cannot be read/)
  })
})

test('signatures of calls, thoughts and texts come back where they stood, within a turn and in the next', async (t) => {
  const sealedText = { parts: [{ text: '', thoughtSignature: signatureOf('text') }], finish: 'STOP' }
  const thought = { parts: [{ text: 'hm', thought: true, thoughtSignature: signatureOf('hm') }] }
  const calling = [call('look_up', {}, signatureOf('look_up')), call('look_up', { n: 2 })]
  const { model, asked } = await serve(t, [
    saying(thought, { parts: calling, finish: 'STOP' }),
    saying({ parts: [{ text: 'Done.' }] }, sealedText),
    saying(...text),
  ])
  const items: Item[] = [textMessage('user', 'hello')]
  for (const next of [undefined, 'and now?']) {
    for (const event of await collect(model, ask(items, { tools: [toolWith({ type: 'object' })] }))) {
      const last = items.at(-1)
      if (event.type === 'text') items.push(textMessage('assistant', event.text))
      else if (event.type === 'reasoning' && event.signature && last?.type === 'reasoning' && !last.seal) {
        items[items.length - 1] = { ...last, seal: event.signature }
      } else if (event.type === 'reasoning' || event.type === 'call') {
        const { signature, ...rest } = event
        const seal = signature === undefined ? {} : { seal: signature }
        items.push(rest.type === 'call' ? { ...rest, ...seal, callId: `call_${items.length}` } : { ...rest, ...seal })
      }
    }
    if (next) items.push(textMessage('user', next))
    else
      items.push(
        ...items.flatMap((item): Item[] =>
          item.type === 'call' ? [{ type: 'result', callId: item.callId, output: 'ok' }] : [],
        ),
      )
  }
  await collect(model, ask(items, { tools: [toolWith({ type: 'object' })] }))
  const said = list(asked[2]?.body['contents']).filter(({ role }) => role === 'model')
  assert.partialDeepStrictEqual(said[0]?.['parts'], [
    { text: 'hm', thought: true, thoughtSignature: signatureOf('hm') },
    { functionCall: { name: 'look_up' }, thoughtSignature: signatureOf('look_up') },
    { functionCall: { name: 'look_up', args: { n: 2 } } },
  ])
  assert.deepEqual(said[1]?.['parts'], [{ text: 'Done.', thoughtSignature: signatureOf('text') }])
})

describe('asking', () => {
  test('what another provider sealed stays away, and its calls are still taken', async (t) => {
    const { model, asked } = await serve(t, [saying(...text)])
    const seal = JSON.stringify({ anthropic: { signature: 'theirs', thoughtSignature: 'theirs' } })
    await collect(
      model,
      ask([
        textMessage('user', 'a'),
        { type: 'reasoning', text: 'secret thought', seal },
        { type: 'call', callId: 'call_1', name: 'look_up', args: '{}', seal },
        { type: 'result', callId: 'call_1', output: 'fine' },
      ]),
    )
    assert.doesNotMatch(asked[0]?.text ?? '', /theirs|thought":/)
  })

  test('images go as data or as an address with their type', async (t) => {
    const { model, asked } = await serve(t, [saying(...text)])
    const large = 'aGkh'.repeat(100_000)
    const content = [
      { type: 'image', url: 'data:image/png;base64,aGk=' },
      { type: 'image', url: 'https://example.com/a.webp?x=1' },
      { type: 'image', url: `data:image/png;base64,${large}` },
    ] as const
    await collect(model, ask([{ type: 'message', role: 'user', content }]))
    assert.deepEqual(list(asked[0]?.body['contents'])[0]?.['parts'], [
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?x=1' } },
      { inlineData: { mimeType: 'image/png', data: large } },
    ])
  })

  test('a format goes as the schema of the response, the temperature beside it', async (t) => {
    const { model, asked } = await serve(t, [saying(...text)])
    const schema = {
      type: 'object',
      properties: { a: { type: ['string', 'null'], minLength: 1 } },
      required: ['a'],
      additionalProperties: false,
    }
    await collect(model, { ...hello, temperature: 0.3, format: { name: 'f', schema } })
    assert.partialDeepStrictEqual(asked[0]?.body['generationConfig'], {
      temperature: 0.3,
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', required: ['a'] },
    })
  })

  test('sampling goes beside it, each field where it is given', async (t) => {
    const { model, asked } = await serve(t, [saying(...text), saying(...text)])
    await collect(model, { ...hello, sampling: { topP: 0.5, stop: ['END'], seed: 7, maxTokens: 99_999 } })
    await collect(model, { ...hello, sampling: {} })
    const fields = (at: number) => {
      const config = (asked[at]?.body['generationConfig'] ?? {}) as Record<string, unknown>
      return ['topP', 'stopSequences', 'seed', 'maxOutputTokens'].map((name) => config[name])
    }
    assert.deepEqual(fields(0), [0.5, ['END'], 7, 99_999])
    assert.deepEqual(fields(1), [undefined, undefined, undefined, undefined])
  })

  test('schemas are told in the words that it knows', async (t) => {
    const { model, asked } = await serve(t, [saying(...text)])
    const parameters: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        shape: { $ref: '#/$defs/Shape' },
        tags: { type: 'array' },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
        maybe: { type: ['string', 'null'], description: 'Perhaps.' },
        mail: { type: 'string', format: 'email', pattern: '^a' },
        yes: { const: true },
        kind: { oneOf: [{ const: 'a' }, { const: 'b' }] },
        both: { allOf: [{ type: 'object', properties: { x: { type: 'integer' } } }, { required: ['x'] }] },
        free: { type: 'object', additionalProperties: { type: 'string' } },
        tree: { $ref: '#' },
      },
      required: ['shape', 'gone'],
      additionalProperties: false,
      $defs: { Shape: { type: 'object', properties: { n: { exclusiveMinimum: 0, type: 'number' } }, oneOf: [{}, {}] } },
    }
    await collect(model, { ...hello, tools: [toolWith(parameters)] })
    const [declared] = list((list(asked[0]?.body['tools'])[0] as Json)['functionDeclarations'])
    const sent = declared?.['parametersJsonSchema'] as { properties: Record<string, Json>; required: string[] }
    assert.deepEqual(sent.required, ['shape'])
    assert.deepEqual(sent.properties['maybe'], {
      description: 'Perhaps.',
      anyOf: [{ type: 'string' }, { type: 'null' }],
    })
    assert.deepEqual(sent.properties['mail'], { type: 'string', description: 'format: "email" (pattern: "^a")' })
    assert.deepEqual(sent.properties['both'], {
      type: 'object',
      properties: { x: { type: 'integer' } },
      required: ['x'],
    })
    assert.deepEqual(sent.properties['kind'], {
      anyOf: [
        { type: 'string', enum: ['a'] },
        { type: 'string', enum: ['b'] },
      ],
    })
    assert.deepEqual(sent.properties['pair'], {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    })
  })

  test('a schema that refers to itself many times over is cut, soon', async (t) => {
    const { model } = await serve(t, [saying(...text)])
    const self = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`p${at}`, { $ref: '#' }]))
    await collect(model, { ...hello, tools: [toolWith({ type: 'object', properties: self })] })
  })

  test('a history with holes is mended, and the sides alternate', async (t) => {
    const { model } = await serve(t, [saying(...text)])
    await collect(
      model,
      ask([
        textMessage('assistant', 'Welcome.'),
        textMessage('user', ''),
        { type: 'call', callId: 'a b', name: 'look_up', args: 'no json' },
        { type: 'call', callId: 'call_2', name: 'look_up', args: '{}' },
        { type: 'result', callId: 'a b', output: '' },
        textMessage('user', 'a'),
        textMessage('user', 'b'),
      ]),
    )
  })
})

describe('faults', () => {
  test('before the first token it tries again, after it never', async (t) => {
    const busy = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    const { model, slept } = await serve(t, [
      failing(503, busy),
      failing(429, busy, { 'retry-after': '2' }),
      saying(...text),
    ])
    assert.deepEqual(textsOf(await collect(model)), ['Hel', 'lo'])
    assert.deepEqual(slept, [500, 2000])
    const cut = await serve(t, [(response) => send(response, [chunk({ parts: [{ text: 'Hel' }] })])])
    const error = await fails(collect(cut.model))
    assert.match(error.message, /cut off its answer/)
    assert.deepEqual([error.code, cut.asked.length], ['model_failed', 1])
  })

  test('a wrong key, which it calls a bad request, is told as such with the way out', async (t) => {
    const { url } = await serve(t, [])
    const model = createGoogleModel({
      name: 'gemini',
      baseUrl: `${url}/v1beta`,
      apiKey: 'x',
      secret: 'GEMINI_API_KEY',
    })
    const error = await fails(collect(model))
    assert.equal(error.code, 'model_unauthorized')
    assert.match(error.message, /API key not valid.*/)
    assert.match(error.message, /atrium secret set GEMINI_API_KEY/)
  })

  test('a stop reaches the server', async (t) => {
    const { model, closed } = await serve(t, [(response) => send(response, [chunk({ parts: [{ text: 'a' }] })], false)])
    const stop = new AbortController()
    const reading = (async () => {
      for await (const batch of model.stream(hello, stop.signal)) if (batch.length > 0) stop.abort(new Error('enough'))
    })()
    await assert.rejects(reading, /enough/)
    await closed
  })
})
