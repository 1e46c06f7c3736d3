// Requests to a server that speaks chat completions: how they are stopped, and what their bodies have.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { delta, done, type Handler, key, never, serve, stop, streaming } from './chat-server.ts'
import { collect, hello, textsOf } from './wire.ts'

describe('stopping', () => {
  const forever: Handler = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(delta({ content: 'a' }))
  }

  /** A server that answers without an end and tells when its connection was closed. */
  async function serveForever(t: TestContext, handler: Handler = forever) {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const served = await serve(t, async (response, body, request) => {
      response.on('close', resolve)
      await handler(response, body, request)
      reach()
    })
    return { ...served, closed, reached }
  }

  test('an abort while waiting closes the connection and throws the reason', async (t) => {
    const { model, closed } = await serveForever(t)
    const controller = new AbortController()
    const reason = new Error('enough')
    const reading = (async () => {
      for await (const batch of model.stream(hello, controller.signal)) {
        assert.equal(batch.length, 1)
        setImmediate(() => controller.abort(reason))
      }
    })()
    await assert.rejects(reading, (error) => error === reason)
    await closed
  })

  test('an abort before the headers closes the connection too', async (t) => {
    const { model, closed, reached } = await serveForever(t, () => undefined)
    const controller = new AbortController()
    const reading = collect(model, hello, controller.signal)
    await reached
    controller.abort()
    await assert.rejects(reading, { name: 'AbortError' })
    await closed
  })

  test('an abort while the reader is busy closes the connection at once', async (t) => {
    const { model, closed } = await serveForever(t)
    const controller = new AbortController()
    const iterator = model.stream(hello, controller.signal)[Symbol.asyncIterator]()
    await iterator.next()
    controller.abort()
    await closed
    await assert.rejects(iterator.next(), { name: 'AbortError' })
  })

  test('an aborted signal sends nothing', async (t) => {
    const { model, bodies } = await serve(t, forever)
    await assert.rejects(collect(model, hello, AbortSignal.abort()), { name: 'AbortError' })
    assert.equal(bodies.length, 0)
  })

  test('leaving the loop early closes the connection', async (t) => {
    const { model, closed } = await serveForever(t)
    for await (const _ of model.stream(hello, never)) break
    await closed
  })

  test('a finished answer leaves its connection for the next call', async (t) => {
    const ports = new Set<number | undefined>()
    const { model } = await serve(t, async (response, body, request) => {
      ports.add(request.socket.remotePort)
      await streaming(delta({ content: 'a' }), stop, done)(response, body, request)
    })
    await collect(model)
    // The end of the body may come after [DONE]; the connection is free once the server has sent it.
    for (let round = 0; round < 20; round += 1) await tick()
    await collect(model)
    assert.equal(ports.size, 1)
  })

  test('a server that goes on after [DONE] does not hold the answer back', async (t) => {
    const { model, closed } = await serveForever(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta({ content: 'a' }) + done)
    })
    assert.deepEqual(textsOf(await collect(model)), ['a'])
    await closed
  })

  test('a slow reader pauses the server', async (t) => {
    const block = delta({ content: 'x'.repeat(64 * 1024) })
    let sent = 0
    const { promise: full, resolve } = Promise.withResolvers<void>()
    const { model } = await serve(t, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (; sent < 400; sent += 1) {
        if (response.write(block)) continue
        const drained = once(response, 'drain')
        const stalled = new Promise<'stalled'>((done) => void setTimeout(() => done('stalled'), 100))
        if ((await Promise.race([drained, stalled])) === 'stalled') resolve()
        await drained
      }
      resolve()
      response.end(stop + done)
    })
    let chars = 0
    for await (const batch of model.stream(hello, never)) {
      if (chars === 0) await full
      if (chars === 0) assert.ok(sent < 400, 'the server was not paused')
      for (const text of textsOf(batch)) chars += text.length
    }
    assert.equal(chars, 400 * 64 * 1024)
  })
})

describe('the request body', () => {
  const items: Item[] = [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'text', text: 'Look: ' },
        { type: 'file', name: 'a"b.txt', text: 'one< / FILE >two' },
      ],
    },
    { type: 'reasoning', text: 'hm' },
    textMessage('assistant', 'I shall call.'),
    { type: 'call', callId: 'call_1', name: 'add', args: '{"a":1}' },
    { type: 'call', callId: 'call_2', name: 'add', args: 'not json' },
    { type: 'result', callId: 'call_1', output: '2' },
    { type: 'result', callId: 'call_2', output: 'bad', error: true },
    { type: 'reasoning', text: 'hm' },
    { type: 'call', callId: 'call_3', name: 'now', args: '{"id": 9007199254740993}' },
    textMessage('assistant', 'I wait.'),
    { type: 'result', callId: 'call_3', output: 'noon' },
    textMessage('assistant', 'It is noon.'),
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'text', text: 'and' },
        { type: 'image', url: 'data:x' },
      ],
    },
  ]
  const tools = [
    { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} }, strict: true },
    { name: 'pick', description: '', parameters: { oneOf: [{ properties: { a: { const: 1 } } }] }, strict: true },
  ] as const

  test('has items as messages, one assistant message per answer', async (t) => {
    const { model, bodies } = await serve(t, streaming(stop, done))
    const format = { name: 'out', schema: { type: 'object' }, strict: true }
    await collect(model, { system: '', items, tools, temperature: 0, format })
    const body = JSON.parse(bodies[0] ?? '')
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })
    assert.deepEqual(body.messages, [
      { role: 'user', content: 'Look: \n<file name="a&quot;b.txt">\none[ / FILE >two\n</file>\n' },
      {
        role: 'assistant',
        content: 'I shall call.',
        tool_calls: [call('call_1', 'add', '{"a":1}'), call('call_2', 'add', '{"text":"not json"}')],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      { role: 'tool', tool_call_id: 'call_2', content: 'bad' },
      { role: 'assistant', content: 'I wait.', tool_calls: [call('call_3', 'now', '{"id": 9007199254740993}')] },
      { role: 'tool', tool_call_id: 'call_3', content: 'noon' },
      { role: 'assistant', content: 'It is noon.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and' },
          { type: 'image_url', image_url: { url: 'data:x' } },
        ],
      },
    ])
    assert.equal(body.temperature, 0)
    assert.deepEqual(body.response_format, { type: 'json_schema', json_schema: format })
    assert.deepEqual(
      body.tools.map((tool: { function: { strict?: boolean } }) => tool.function.strict),
      [true, undefined],
    )
  })

  test('has no half of a character, for which a server would refuse it', async (t) => {
    const { model, bodies } = await serve(t, streaming(stop, done))
    const halves: Item[] = [
      textMessage('user', 'half \ud83d'),
      { type: 'call', callId: 'call_1', name: 'add', args: '{"a":"\ud83d"}' },
      { type: 'result', callId: 'call_1', output: 'half \ude00' },
      textMessage('assistant', '\ud83d'),
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'text', text: '\ud83d' },
          { type: 'image', url: 'data:x' },
        ],
      },
    ]
    await collect(model, { system: '\ud83d', items: halves, tools: [] })
    assert.doesNotMatch(bodies[0] ?? '', /\\ud/)
  })

  test('has only pictures that the server takes; another is told by a word', async (t) => {
    const urls = ['data:image/png;base64,aGk=', 'https://example.com/a.png', 'data:image/svg+xml;base64,aGk=']
    const kinds = { openai: ['image_url', 'image_url', 'text'], ollama: ['image_url', 'text', 'text'] }
    const content = urls.map((url) => ({ type: 'image', url }) as const)
    for (const [provider, expected] of [...Object.entries(kinds), ['any', Array(3).fill('image_url')] as const]) {
      const { model, bodies } = await serve(t, streaming(stop, done), { provider })
      await collect(model, { ...hello, items: [{ type: 'message', role: 'user', content }] })
      const sent: { type: string }[] = JSON.parse(bodies[0] ?? '').messages.at(-1).content
      assert.deepEqual(
        sent.map(({ type }) => type),
        expected,
        provider,
      )
    }
  })

  test('is the same byte for byte whether the thread was seen before or not', async (t) => {
    const { model, open, bodies } = await serve(t, streaming(stop, done))
    const grown: Item[] = []
    for (const item of items) {
      grown.push(item)
      await collect(model, { system: 'S', items: grown, tools })
      await collect(open(), { system: 'S', items: [...grown], tools: [...tools] })
      assert.equal(bodies.at(-2), bodies.at(-1))
    }
  })

  test('goes to the path and query of the base URL, with the key and further headers', async (t) => {
    const seen: unknown[] = []
    const { open, port } = await serve(t, async (response, body, request) => {
      seen.push(request.url, request.headers.authorization, request.headers['x-a'])
      await streaming(stop, done)(response, body, request)
    })
    await collect(open({ baseUrl: `http://127.0.0.1:${port}/x/v1/?api-version=2`, headers: { 'X-A': 'b' } }))
    assert.deepEqual(seen, ['/x/v1/chat/completions?api-version=2', `Bearer ${key}`, 'b'])
  })
})
