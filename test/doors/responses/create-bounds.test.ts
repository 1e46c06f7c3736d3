// What create refuses: fields beyond their bounds, bodies that are too large or too deep, and the limits of the service.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AppError } from '#core/errors.ts'
import { until } from '../../until.ts'
import { errorOf, serve, type Served, weather, type Wire } from './serve.ts'

describe('bounds of create', () => {
  let served: Served
  before(async () => {
    served = await serve({ replies: [{ when: '', text: 'Hello there.' }] })
  })
  after(() => served.close())

  const many = Array.from({ length: 200 }, (_, at) => ({
    type: 'function',
    name: `f${at}`,
    description: 'x'.repeat(60),
  }))
  const refused: [string, Wire, string][] = [
    ['no model', { model: null }, 'model'],
    ['an empty model', { model: '' }, 'model'],
    ['a model that is no string', { model: 5 }, 'model'],
    ['white space around the model', { model: ' m' }, 'model'],
    ['a model over 256 bytes', { model: 'é'.repeat(129) }, 'model'],
    ['a control character in the model', { model: 'a\u0007b' }, 'model'],
    ['a temperature above 2', { temperature: 2.1 }, 'temperature'],
    ['a temperature below 0', { temperature: -0.1 }, 'temperature'],
    ['a temperature that is text', { temperature: '1' }, 'temperature'],
    ['a stream that is text', { stream: 'true' }, 'stream'],
    ['instructions that are no string', { instructions: ['a'] }, 'instructions'],
    ['a context that is no object', { x_context: [1] }, 'x_context'],
    ['a context over 10 KB', { x_context: { a: 'x'.repeat(10_240) } }, 'x_context'],
    ['no input', { input: null }, 'input'],
    ['an empty input', { input: '' }, 'input'],
    ['an empty list', { input: [] }, 'input'],
    ['an input of another type', { input: 7 }, 'input'],
    ['an unknown item', { input: [{ type: 'thought' }] }, 'input[0].type'],
    ['an unknown role', { input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
    ['an unknown part', { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'input[0].content[0].type'],
    ['an unknown reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id'],
    ['tools that are no list', { tools: {} }, 'tools'],
    ['a tool of another kind', { tools: [weather, { type: 'web_search' }] }, 'tools[1].type'],
    ['a tool with a bad name', { tools: [weather, { ...weather, name: 'a b' }] }, 'tools[1].name'],
    ['a tool name of 65 characters', { tools: [{ ...weather, name: 'a'.repeat(65) }] }, 'tools[0].name'],
    ['a tool without a name', { tools: [{ type: 'function' }] }, 'tools[0].name'],
    ['a name used twice', { tools: [weather, weather] }, 'tools[1].name'],
    ['a name of the service', { tools: [{ ...weather, name: 'time' }] }, 'tools[0].name'],
    ['a memory_ name', { tools: [{ ...weather, name: 'memory_x' }] }, 'tools[0].name'],
    ['a mission_ name', { tools: [{ ...weather, name: 'mission_x' }] }, 'tools[0].name'],
    ['a skill_ name', { tools: [{ ...weather, name: 'skill_x' }] }, 'tools[0].name'],
    ['tools over 16 KiB', { tools: many }, 'tools'],
    ['a malformed previous_response_id', { previous_response_id: 'resp_1' }, 'previous_response_id'],
  ]
  for (const [what, fields, param] of refused) {
    it(`refuses ${what} with 400 that names ${param}, streaming or not`, async () => {
      for (const stream of [false, true]) {
        const { status, body, headers } = await served.create({
          input: 'hi',
          ...(fields['stream'] === undefined && { stream }),
          ...fields,
        })
        assert.equal(status, 400)
        assert.match(String(headers.get('content-type')), /^application\/json/)
        assert.deepEqual(Object.keys(errorOf(body)), ['message', 'type', 'param', 'code'])
        assert.equal(errorOf(body)['param'], param)
        assert.equal(errorOf(body)['type'], 'invalid_request_error')
        assert.ok(String(errorOf(body)['message']).includes(param))
      }
    })
  }

  it('accepts the edges of every limit', async () => {
    const context = { a: 'x'.repeat(10_240 - '{"a":""}'.length) }
    for (const fields of [
      { model: 'm'.repeat(256) },
      { temperature: 2 },
      { x_context: context },
      { tools: [{ type: 'function', name: 'a'.repeat(64) }] },
      {
        tools: [
          {
            type: 'function',
            name: 'f',
            description: 'x'.repeat(16_384 - '[{"description":"","name":"f","type":"function"}]'.length),
          },
        ],
      },
    ]) {
      assert.equal((await served.create({ input: 'hi', ...fields })).status, 200, JSON.stringify(fields).slice(0, 60))
    }
  })

  it('answers malformed JSON, other media, unknown routes and too large a body in the envelope', async () => {
    const malformed = await served.call('POST', '/v1/responses', '{"model":')
    assert.equal(malformed.status, 400)
    assert.equal(errorOf(malformed.body)['code'], 'invalid_input')
    for (const body of ['[]', '"x"', '7', 'null', ' ']) {
      assert.equal((await served.call('POST', '/v1/responses', body)).status, 400)
    }
    const media = await served.call('POST', '/v1/responses', 'model=x', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.equal(media.status, 415)
    assert.equal(errorOf(media.body)['code'], 'unsupported_media_type')
    for (const path of ['/v1/nothing', '/api/v1/responses/a/b/c']) {
      const lost = await served.call('GET', path)
      assert.equal(lost.status, 404)
      assert.equal(errorOf(lost.body)['code'], 'not_found')
    }
    const method = await served.call('PUT', '/v1/responses', {})
    assert.equal(method.status, 405)
    assert.equal(errorOf(method.body)['type'], 'invalid_request_error')
    assert.equal(method.headers.get('allow'), 'POST')
    const large = await served.create({ input: 'x'.repeat(14 * 1024 * 1024) })
    assert.equal(large.status, 413)
    assert.equal(errorOf(large.body)['code'], 'too_large')
  })

  it('takes a large body below the limit', async () => {
    assert.equal((await served.create({ input: `<instructions>${'x'.repeat(13 * 1024 * 1024)}` })).status, 200)
  })

  it('takes deeply nested tools, and ignores deep values where no field may be refused', async () => {
    const deep = '['.repeat(900) + ']'.repeat(900)
    const tools = await served.call(
      'POST',
      '/v1/responses',
      `{"model":"m","input":"hi","tools":[{"type":"function","name":"f","parameters":{"a":${deep}}}]}`,
    )
    assert.deepEqual([tools.status, tools.body['status']], [200, 'completed'])
    const other = await served.call(
      'POST',
      '/v1/responses',
      `{"model":"m","input":"hi","x":${deep},"text":{"format":{"type":"json_schema","schema":{"a":${deep}}}}}`,
    )
    assert.equal(other.status, 200)
  })

  it('refuses more functions than fit, and arguments or a compaction of too many values, without parsing them', async () => {
    const many = `[${'{},'.repeat(200_000)}{}]`
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"a":1}' }
    const names = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [at.toString(36), 0])))
    const compaction = Buffer.from(`{"v":1,"transcript":"x","a":${many}}`).toString('base64url')
    for (const [body, param] of [
      [{ input: 'hi', tools: Array.from({ length: 10_001 }, () => ({})) }, 'tools'],
      [{ input: [call, { ...call, arguments: many }] }, 'input[1].arguments'],
      [{ input: [call, { ...call, arguments: names }, { ...call, arguments: names }] }, 'input[2].arguments'],
      [{ input: [{ type: 'compaction', encrypted_content: compaction }] }, 'input[0].encrypted_content'],
    ] as const) {
      const refused = await served.create(body)
      assert.equal(refused.status, 400)
      assert.equal(errorOf(refused.body)['param'], param)
    }
  })

  it('refuses any field nested deeper than 1,000 levels, before the body is parsed', async () => {
    const deep = '['.repeat(1_000) + ']'.repeat(1_000)
    const { status, body } = await served.call('POST', '/v1/responses', `{"model":"m","input":"hi","x":${deep}}`)
    assert.equal(status, 400)
    assert.equal(errorOf(body)['param'], 'x')
    assert.match(String(errorOf(body)['message']), /1000 levels/)
  })

  it('ignores an unknown field nested 900 deep with an Idempotency-Key too', async () => {
    const deep = '['.repeat(900) + ']'.repeat(900)
    const headers = { 'idempotency-key': 'deep-1' }
    const post = (body: string) => served.call('POST', '/v1/responses', body, headers)
    const first = await post(`{"model":"m","input":"hi","x":${deep}}`)
    assert.equal(first.status, 200)
    assert.equal((await post(`{"model":"m","input":"hi","x":${deep}}`)).body['id'], first.body['id'])
    assert.equal((await post(`{"model":"m","input":"ho","x":${deep}}`)).status, 422)
  })

  it('bounds tools by their bytes alone, and leaves out a format of too many values', async () => {
    const many = { enum: Array.from({ length: 4_000 }, (_, at) => at % 10) }
    const tools = [{ type: 'function', name: 'f', parameters: many }]
    assert.equal((await served.create({ input: 'hi', tools })).status, 200)
    const format = { type: 'json_schema', name: 'x', schema: many }
    const left = await served.create({ input: 'hi', text: { format } })
    assert.deepEqual([left.status, left.body['text']], [200, { format: { type: 'text' } }])
  })
})

describe('limits of create', () => {
  it('counts every create before anything else, refused ones too, and tells when to come back', async () => {
    let left = 4
    const served = await serve({
      chatLimit: {
        take: () =>
          left-- > 0
            ? Promise.resolve()
            : Promise.reject(new AppError('rate_limited', 'too many messages: wait', { retryAfterSecs: 17 })),
      },
    })
    assert.equal((await served.create({ input: '' })).status, 400)
    assert.equal((await served.call('POST', '/v1/responses', '{')).status, 400)
    assert.equal((await served.call('POST', '/v1/responses', 'x'.repeat(14 * 1024 * 1024 + 1))).status, 413)
    assert.equal((await served.create({ input: 'hi' })).status, 200)
    const late = await served.create({ input: '' })
    assert.equal(late.status, 429)
    assert.equal(late.headers.get('retry-after'), '17')
    assert.deepEqual(errorOf(late.body), {
      message: 'too many messages: wait',
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limited',
    })
    assert.equal((await served.get('/models')).status, 200)
    await served.close()
  })

  it('refuses at once while the database is away, and asks it nothing more', async (t) => {
    const served = await serve()
    t.after(() => served.close())
    const away = () => Promise.reject(new AppError('database_unavailable', 'away'))
    t.mock.method(served.turns, 'start', away)
    const asked = t.mock.method(served.turns, 'findWaiting', away)
    const { status, headers } = await served.create({ input: 'hi' })
    assert.equal(status, 503)
    assert.ok(headers.get('retry-after'))
    assert.equal(asked.mock.callCount(), 0)
  })

  it('stops a turn at the deadline, recommends streaming, and frees the thread', async () => {
    const served = await serve({
      turnTimeoutMs: 1_500,
      replies: [{ when: 'slow', text: 'one two', chunkDelayMs: 600_000 }, { text: 'Quick.' }],
    })
    const { status, body } = await served.create({ input: 'slow' })
    assert.equal(status, 200)
    assert.equal(body['status'], 'failed')
    assert.equal(errorOf(body)['code'], 'turn_timeout')
    assert.match(String(errorOf(body)['message']), /stream: true/)
    assert.equal((await served.get(`/responses/${String(body['id'])}`)).body['status'], 'failed')
    // On a machine that has much to do, a quick one may meet the deadline too.
    await until(async () => {
      const next = await served.create({ input: 'go', previous_response_id: body['id'] })
      assert.equal(next.status, 200)
      return next.body['status'] === 'completed'
    })
    await served.close()
  })

  it('refuses tools and tool_choice where the wiring is absent, naming the field', async () => {
    const served = await serve({ externalTools: false })
    const tools = await served.create({ input: 'hi', tools: [weather] })
    assert.equal(tools.status, 400)
    assert.equal(errorOf(tools.body)['param'], 'tools')
    const choice = await served.create({ input: 'hi', tool_choice: 'auto' })
    assert.equal(choice.status, 400)
    assert.equal(errorOf(choice.body)['param'], 'tool_choice')
    assert.equal((await served.create({ input: 'hi', tools: [], tool_choice: null })).status, 200)
    await served.close()
  })

  it('tells whoever waits to come back when the service goes down', async () => {
    const served = await serve({ replies: [{ text: 'one two', chunkDelayMs: 60_000 }] })
    const waiting = served.create({ input: 'hi' })
    while (served.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const closing = served.gateway.close(50)
    const { status, body, headers } = await waiting
    assert.equal(status, 503)
    assert.equal(errorOf(body)['code'], 'shutting_down')
    assert.ok(headers.get('retry-after'))
    await closing
    await served.close()
  })

  it('leaves the 401 to the gateway, in plain text', async () => {
    const served = await serve()
    const { status, text } = await served.create({ input: 'hi' }, { authorization: '' })
    assert.equal(status, 401)
    assert.equal(text, 'Invalid or missing auth token')
    await served.close()
  })
})
