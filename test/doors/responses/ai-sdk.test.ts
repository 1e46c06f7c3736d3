// The AI SDK against the door: text, tools over several steps, continuity, failure.
import assert from 'node:assert/strict'
import { createOpenAI } from '@ai-sdk/openai'
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai'
import { after, before, describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { serve, type Served } from './serve.ts'

const getWeather = tool({
  description: 'The weather of a city.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: ({ city }) => Promise.resolve({ city, sky: 'sunny' }),
})
const tools = { get_weather: getWeather }

describe('ai with @ai-sdk/openai', () => {
  let served: Served
  let model: LanguageModel
  before(async () => {
    served = await serve({
      replies: [
        { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
        {
          when: 'both',
          calls: [
            { name: 'get_weather', args: { city: 'Rome' } },
            { name: 'get_weather', args: { city: 'Oslo' } },
          ],
        },
        { afterTool: 'get_weather', text: 'The tool says {{result}}' },
        {
          when: 'broken',
          text: 'Half an answer',
          error: { code: 'model_failed', message: 'the model broke', afterChunks: 1 },
        },
        { when: 'json', text: '{"name":"Tom"}' },
        { when: '', text: 'Hello there.' },
      ],
    })
    model = createOpenAI({ apiKey: 'ann', baseURL: `${served.url}/api/v1` }).responses('gpt-4o')
  })
  after(() => served.close())

  it('generates text', async () => {
    const { text, usage, finishReason } = await generateText({ model, prompt: 'hi', system: 'Be brief.' })
    assert.equal(text, 'Hello there.')
    assert.equal(finishReason, 'stop')
    assert.ok(Number(usage.outputTokens) > 0)
    assert.match(JSON.stringify(served.asked.at(-1)?.items[0]), /<instructions>\\nBe brief/)
  })

  it('streams text', async () => {
    const result = streamText({ model, prompt: 'hi' })
    const chunks: string[] = []
    for await (const chunk of result.textStream) chunks.push(chunk)
    assert.equal(chunks.join(''), 'Hello there.')
    assert.ok(chunks.length > 1)
  })

  for (const prompt of ['weather?', 'both?']) {
    it(`runs a tool loop to its end: ${prompt}`, async () => {
      const before = threads(served)
      const { text, steps } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(5) })
      assert.match(text, /sunny/)
      assert.equal(steps.length, prompt === 'weather?' ? 2 : 3)
      assert.equal((await threads(served)) - (await before), 1)
      const streamed = streamText({ model, prompt, tools, stopWhen: stepCountIs(5) })
      assert.match(await streamed.text, /sunny/)
      assert.equal((await streamed.steps).length, steps.length)
    })
  }

  it('runs a tool loop with a previous response', async () => {
    const first = await generateText({ model, prompt: 'hi' })
    const previousResponseId = first.response.id
    assert.match(previousResponseId, /^resp_/)
    const { text } = await generateText({
      model,
      prompt: 'weather?',
      tools,
      stopWhen: stepCountIs(5),
      providerOptions: { openai: { previousResponseId } },
    })
    assert.match(text, /sunny/)
    assert.equal(served.asked.at(-1)?.items.filter(({ type }) => type === 'call').length, 1)
    assert.match(JSON.stringify(served.asked.at(-1)?.items[0]), /"hi"/)
  })

  it('continues a conversation by its whole history, stored or not', async () => {
    for (const store of [true, false]) {
      const messages: ModelMessage[] = [{ role: 'user', content: 'weather?' }]
      const providerOptions = { openai: { store } }
      const first = await generateText({ model, messages, tools, stopWhen: stepCountIs(5), providerOptions })
      messages.push(...first.responseMessages, { role: 'user', content: 'thanks' })
      const second = await generateText({ model, messages, tools, providerOptions })
      assert.equal(second.text, 'Hello there.')
      const seen = served.asked.at(-1)?.items.map((item) => (item.type === 'message' ? item.role : item.type))
      assert.deepEqual(seen, ['user', 'assistant', 'call', 'result', 'assistant', 'user'])
    }
  })

  it('gets structured output', async () => {
    const schema = jsonSchema<{ name: string }>({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    })
    const { output } = await generateText({ model, prompt: 'json', output: Output.object({ schema }) })
    assert.deepEqual(output, { name: 'Tom' })
  })

  it('gets JSON of any shape', async () => {
    const { output } = await generateText({ model, prompt: 'json', output: Output.json() })
    assert.deepEqual(output, { name: 'Tom' })
    assert.equal(served.asked.at(-1)?.json, true)
  })

  it('sees a failed turn as an error', async () => {
    await assert.rejects(generateText({ model, prompt: 'broken', maxRetries: 0 }), /the model broke/)
    const errors: unknown[] = []
    const result = streamText({
      model,
      prompt: 'broken',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    let finish = ''
    for await (const part of result.fullStream) {
      if (part.type === 'error') errors.push(part.error)
      if (part.type === 'finish') finish = part.finishReason
    }
    assert.ok(errors.length > 0 || finish === 'error', `${finish} ${errors.length}`)
  })
})

async function threads(served: Served): Promise<number> {
  return (await served.threads.list(userId('ann'), { limit: 100 })).rows.length
}
