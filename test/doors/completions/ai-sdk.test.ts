// The AI SDK with its provider for OpenAI-compatible servers.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai'
import * as z from 'zod'
import { userId } from '#core/ids.ts'
import { serve, type Served } from '../responses/serve.ts'

let served: Served
before(async () => {
  served = await serve({
    replies: [
      { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { afterTool: 'get_weather', text: 'It is {{result}}' },
      { when: 'bare', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { when: 'clock', calls: [{ name: 'time', args: { zone: 'UTC' } }] },
      { afterTool: 'time', text: 'It is noon.' },
      { when: '', text: 'Hello there, friend.' },
    ],
  })
})
after(() => served.close())

const open = () =>
  createOpenAICompatible({ name: 'atrium', baseURL: `${served.url}/v1`, apiKey: 'ann', includeUsage: true })('atrium')

const get_weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})

it('generates and streams in one thread, with a tool of its own', async () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'hi' }]
  const first = await generateText({ model: open(), messages, maxRetries: 0 })
  assert.equal(first.text, 'Hello there, friend.')
  messages.push(...first.response.messages, { role: 'user', content: 'the weather?' })
  const second = await generateText({
    model: open(),
    messages,
    tools: { get_weather },
    stopWhen: isStepCount(5),
    maxRetries: 0,
  })
  assert.match(second.text, /sunny in Rome/)
  messages.push(...second.steps.flatMap(({ response }) => response.messages), { role: 'user', content: 'thanks' })
  const third = streamText({ model: open(), messages, maxRetries: 0 })
  let text = ''
  for await (const part of third.textStream) text += part
  assert.equal(text, 'Hello there, friend.')
  assert.ok(((await third.usage).totalTokens ?? 0) > 0)
  assert.equal((await served.threads.list(userId('ann'), { limit: 9 })).rows.length, 1)
})

it('streams a call without a text before it by the provider for OpenAI', async () => {
  const model = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'ann' }).chat('atrium')
  const { content } = streamText({ model, prompt: 'bare call', tools: { get_weather }, maxRetries: 0 })
  assert.deepEqual(
    (await content).map(({ type }) => type),
    ['tool-call', 'tool-result'],
  )
})

it('shows the progress of our tools as reasoning', async () => {
  const { text, reasoningText } = await generateText({ model: open(), prompt: 'clock?', maxRetries: 0 })
  assert.deepEqual([text, reasoningText?.trim()], ['It is noon.', 'time UTC: done'])
})
