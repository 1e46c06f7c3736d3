// The openai library against chat completions, as its users call it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import OpenAI, { BadRequestError, InternalServerError, NotFoundError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import * as z from 'zod'
import { serve, type Served } from '../responses/serve.ts'

const tools: ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
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
          { when: 'clock', text: 'A moment.', calls: [{ name: 'time', args: { zone: 'UTC' } }] },
          { afterTool: 'time', reasoning: 'Noon it is.', text: 'It is noon.' },
          { when: 'broken', error: { code: 'model_failed', message: 'broke' } },
          { when: 'half', text: 'Half an answer', error: { code: 'model_failed', message: 'broke', afterChunks: 1 } },
          { when: 'json', text: '{"name":"Tom","age":3}' },
          { when: '', text: 'Hello there, friend.' },
        ],
      })
      client = new OpenAI({ apiKey: 'ann', baseURL: `${served.url}${prefix}`, maxRetries: 0 })
    })
    after(() => served.close())

    const threads = async () => (await served.threads.list('ann' as never, { limit: 99 })).rows

    it('sends a request of a failed turn once, since the turn is stored', async () => {
      const retrying = new OpenAI({ apiKey: 'ann', baseURL: `${served.url}${prefix}`, maxRetries: 2 })
      for (const stream of [false, true]) {
        const had = (await threads()).length
        const messages = [{ role: 'user' as const, content: 'broken' }]
        await assert.rejects(
          retrying.chat.completions.create({ model: 'gpt-5', messages, stream }),
          InternalServerError,
        )
        assert.equal((await threads()).length, had + 1)
      }
    })

    it('answers, and a whole conversation is one thread', async () => {
      const messages: ChatCompletionMessageParam[] = [{ role: 'system', content: 'Be kind.' }]
      const had = (await threads()).length
      for (const text of ['hi', 'how are you?', 'bye']) {
        messages.push({ role: 'user', content: text })
        const { data, response } = await client.chat.completions.create({ model: 'gpt-5', messages }).withResponse()
        const [choice] = data.choices
        assert.equal(choice?.message.content, 'Hello there, friend.')
        assert.equal(choice.finish_reason, 'stop')
        assert.equal(data.model, 'gpt-5')
        assert.match(data.id, /^chatcmpl-[0-9a-f]{32}$/)
        assert.ok((data.usage?.total_tokens ?? 0) > 0)
        assert.equal(response.headers.get('x-atrium-thread'), (await threads())[0]?.id)
        messages.push(choice.message)
      }
      assert.equal((await threads()).length, had + 1)
      const items = served.asked.at(-1)?.items ?? []
      assert.equal(items.length, 5)
      assert.equal(JSON.stringify(items).match(/Be kind/g)?.length, 1, 'instructions that do not change stand once')
    })

    it('streams text, and usage where it is asked for', async () => {
      const stream = await client.chat.completions.create({
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        stream_options: { include_usage: true },
      })
      const ids = new Set<string>()
      const ends: (string | null)[] = []
      let text = ''
      let tokens = 0
      for await (const chunk of stream) {
        ids.add(chunk.id)
        text += chunk.choices[0]?.delta.content ?? ''
        if (chunk.choices[0]) ends.push(chunk.choices[0].finish_reason)
        tokens = chunk.usage?.total_tokens ?? tokens
      }
      assert.equal(text, 'Hello there, friend.')
      assert.equal(ids.size, 1)
      assert.equal(ends.at(-1), 'stop')
      assert.ok(ends.slice(0, -1).every((end) => end === null))
      assert.ok(tokens > 0)
    })

    it('makes the round trip of a tool, streaming on either leg', async () => {
      for (const [one, two] of [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ] as const) {
        const had = (await threads()).length
        const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'weather?' }]
        const ask = async (stream: boolean) => {
          const body = { model: 'gpt-5', messages, tools }
          return stream
            ? client.chat.completions.stream(body).finalChatCompletion()
            : client.chat.completions.create(body)
        }
        const [choice] = (await ask(one)).choices
        assert.equal(choice?.finish_reason, 'tool_calls')
        assert.equal(choice.message.content, 'Let me look.')
        const [call] = choice.message.tool_calls ?? []
        assert.ok(call?.type === 'function')
        assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Rome' })
        messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: 'sunny' })
        const [answer] = (await ask(two)).choices
        assert.match(answer?.message.content ?? '', /sunny/)
        assert.equal(answer?.finish_reason, 'stop')
        assert.equal((await threads()).length, had + 1)
      }
    })

    it('runs tools by itself', async () => {
      const cities: string[] = []
      const runner = client.chat.completions.runTools({
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'weather?' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              description: 'The weather of a city.',
              parameters: { type: 'object', properties: { city: { type: 'string' } } },
              parse: (text: string) => JSON.parse(text) as { city: string },
              function: ({ city }: { city: string }) => {
                cities.push(city)
                return 'windy'
              },
            },
          },
        ],
      })
      assert.match((await runner.finalContent()) ?? '', /windy/)
      assert.deepEqual(cities, ['Rome'])
    })

    it('parses an answer by its schema, which reaches the model', async () => {
      const schema = z.object({ name: z.string(), age: z.number() })
      const parsed = await client.chat.completions.parse({
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'json please' }],
        response_format: zodResponseFormat(schema, 'person'),
      })
      assert.deepEqual(parsed.choices[0]?.message.parsed, { name: 'Tom', age: 3 })
      assert.equal(served.asked.at(-1)?.format?.name, 'person')
    })

    it('shows our own tools and the model’s reasoning as reasoning, never as calls', async () => {
      const body = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'clock?' }] }
      const whole = await client.chat.completions.create(body)
      const message = whole.choices[0]?.message as unknown as {
        content: string
        reasoning_content: string
        tool_calls?: unknown
      }
      assert.equal(message.content, 'A moment.\n\nIt is noon.')
      assert.equal(message.reasoning_content, 'time UTC: done\nNoon it is.\n')
      assert.equal(message.tool_calls, undefined)
      let [text, reasoning] = ['', '']
      for await (const { choices } of await client.chat.completions.create({ ...body, stream: true })) {
        const delta = choices[0]?.delta as { content?: string; reasoning_content?: string }
        text += delta.content ?? ''
        reasoning += delta.reasoning_content ?? ''
      }
      assert.equal(text, message.content)
      assert.equal(reasoning, message.reasoning_content)
    })

    it('gives errors their classes', async () => {
      const create = (content: string, more: object = {}) =>
        client.chat.completions.create({ model: 'gpt-5', messages: [{ role: 'user', content }], ...more })
      await assert.rejects(create('hi', { n: 2 }), (error: BadRequestError) => {
        assert.ok(error instanceof BadRequestError)
        assert.equal(error.param, 'n')
        return true
      })
      for (const stream of [false, true]) {
        await assert.rejects(create('broken', { stream }), (error: InternalServerError) => {
          assert.ok(error instanceof InternalServerError)
          assert.deepEqual([error.status, error.code], [502, 'model_failed'])
          return true
        })
      }
      const stream = await client.chat.completions.create({
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'half' }],
        stream: true,
      })
      await assert.rejects(async () => {
        for await (const _ of stream);
      }, /broke/)
    })

    it('lists models', async () => {
      const ids: string[] = []
      for await (const model of client.models.list()) ids.push(model.id)
      assert.deepEqual(ids, ['atrium', 'atrium-task', 'vendor/large'])
      assert.equal((await client.models.retrieve('vendor/large')).owned_by, 'atrium')
      await assert.rejects(client.models.retrieve('gpt-5'), (error: NotFoundError) => {
        assert.ok(error instanceof NotFoundError)
        assert.equal(error.code, 'model_not_found')
        return true
      })
      await assert.rejects(client.get('/models/'), /404 .*leave out the slash at the end/)
    })
  })
}
