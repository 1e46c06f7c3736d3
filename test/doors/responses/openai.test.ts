// The openai library against the door, as its users call it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import OpenAI, { BadRequestError, NotFoundError } from 'openai'
import type {
  FunctionTool,
  Response,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { serve, type Served } from './serve.ts'

const tools: FunctionTool[] = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
  },
]

for (const prefix of ['/api/v1', '/v1']) {
  describe(`openai with ${prefix}`, () => {
    let served: Served
    let client: OpenAI
    before(async () => {
      served = await serve({
        replies: [
          { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
          { afterTool: 'get_weather', text: 'It is {{result}}' },
          { when: 'broken', text: 'Half an answer', error: { code: 'model_failed', message: 'broke', afterChunks: 1 } },
          { when: 'json', text: '{"name":"Tom","age":3}' },
          { when: 'slow', text: 'one two', chunkDelayMs: 60_000 },
          { when: '', text: 'Hello there, friend.' },
        ],
      })
      client = new OpenAI({ apiKey: 'ann', baseURL: `${served.url}${prefix}`, maxRetries: 0 })
    })
    after(() => served.close())

    const callOf = (response: Response): ResponseFunctionToolCall => {
      const call = response.output.find((item) => item.type === 'function_call')
      assert.ok(call)
      return call
    }

    it('creates, continues and retrieves', async () => {
      const first = await client.responses.create({ model: 'gpt-5', input: 'hi' })
      assert.equal(first.output_text, 'Hello there, friend.')
      assert.equal(first.model, 'gpt-5')
      const second = await client.responses.create({ model: 'gpt-5', input: 'more', previous_response_id: first.id })
      assert.equal(second.status, 'completed')
      assert.equal(served.asked.at(-1)?.items.length, 3)
      const again = await client.responses.retrieve(second.id)
      assert.equal(again.output_text, second.output_text)
      assert.equal(again.model, 'reborn')
      const items = await client.responses.inputItems.list(second.id)
      assert.equal(items.data.length, 1)
      await client.responses.delete(second.id)
      await assert.rejects(client.responses.retrieve(second.id), NotFoundError)
    })

    it('streams events', async () => {
      const stream = await client.responses.create({ model: 'gpt-5', input: 'hi', stream: true })
      let text = ''
      const types = new Set<string>()
      for await (const event of stream) {
        types.add(event.type)
        if (event.type === 'response.output_text.delta') text += event.delta
      }
      assert.equal(text, 'Hello there, friend.')
      assert.ok(types.has('response.completed'))
    })

    it('accumulates a stream into the final response', async () => {
      const stream = client.responses.stream({ model: 'gpt-5', input: 'weather?', tools })
      const deltas: string[] = []
      stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
      const response = await stream.finalResponse()
      assert.equal(deltas.join(''), 'Let me look.')
      assert.deepEqual(
        response.output.map(({ type }) => type),
        ['message', 'function_call'],
      )
      const replay = client.responses.stream({ response_id: response.id })
      const again = await replay.finalResponse()
      assert.deepEqual(
        again.output.map(({ id }) => id),
        response.output.map(({ id }) => id),
      )
      assert.equal(again.output_text, response.output_text)
    })

    it('makes the round trip of a tool, streaming on either leg', async () => {
      for (const [one, two] of [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ] as const) {
        const ask = { model: 'gpt-5', input: 'weather?', tools }
        const first: Response = one
          ? await client.responses.stream(ask).finalResponse()
          : await client.responses.create(ask)
        const call = callOf(first)
        assert.deepEqual(JSON.parse(call.arguments), { city: 'Rome' })
        const resume = {
          model: 'gpt-5',
          tools,
          previous_response_id: first.id,
          input: [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'sunny' }],
        }
        const second: Response = two
          ? await client.responses.stream(resume).finalResponse()
          : await client.responses.create(resume)
        assert.match(second.output_text, /sunny/)
      }
    })

    it('replays the whole history with the output, without a previous response', async () => {
      const question = { role: 'user' as const, content: 'weather?' }
      const first = await client.responses.create({ model: 'gpt-5', input: [question], tools })
      const output = { type: 'function_call_output' as const, call_id: callOf(first).call_id, output: 'sunny' }
      const second = await client.responses.create({
        model: 'gpt-5',
        input: [question, ...(first.output as ResponseInputItem[]), output],
        tools,
      })
      assert.match(second.output_text, /sunny/)
      assert.equal(second.id.slice(-32), first.id.slice(-32))
    })

    it('parses structured output', async () => {
      const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'number' } } }
      const response = await client.responses.parse({
        model: 'gpt-5',
        input: 'json please',
        text: { format: { type: 'json_schema', name: 'cat', schema, strict: true } },
      })
      assert.deepEqual(JSON.parse(response.output_text), { name: 'Tom', age: 3 })
      assert.equal(served.asked.at(-1)?.format?.name, 'cat')
    })

    it('sees a failed turn as failed, in either way', async () => {
      const response = await client.responses.create({ model: 'gpt-5', input: 'broken' })
      assert.equal(response.status, 'failed')
      assert.equal(response.error?.message, 'broke')
      const events: string[] = []
      for await (const event of await client.responses.create({ model: 'gpt-5', input: 'broken', stream: true })) {
        events.push(event.type)
      }
      assert.equal(events.at(-1), 'response.failed')
    })

    it('cancels a running response', async () => {
      const stream = await client.responses.create({ model: 'gpt-5', input: 'slow', stream: true })
      let last: string | undefined
      for await (const event of stream) {
        last = event.type
        if (event.type === 'response.created') {
          const cancelled = await client.responses.cancel(event.response.id)
          assert.equal(cancelled.status, 'cancelled')
        }
      }
      assert.equal(last, 'response.failed')
    })

    it('names the field of a refused request', async () => {
      await assert.rejects(client.responses.create({ model: 'gpt-5', input: 'hi', temperature: 3 }), (error) => {
        assert.ok(error instanceof BadRequestError)
        assert.equal(error.param, 'temperature')
        assert.equal(error.code, 'invalid_input')
        assert.equal(error.type, 'invalid_request_error')
        return true
      })
    })

    it('compacts', async () => {
      const compacted = await client.responses.compact({ model: 'gpt-5', input: 'a long story' })
      assert.equal(compacted.output[0]?.type, 'compaction')
    })
  })
}
