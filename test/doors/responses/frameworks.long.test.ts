// Frameworks as whole agents, each with its own loop over the Responses API: LangGraph, LlamaIndex, Mastra.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { streamText } from 'ai'
import { until } from '../../until.ts'
import { gatesOf, installed, load, serveApps, threadsOf } from './apps.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- modules that are no dependencies of the project
type Any = any

/** An agent of a framework with one tool, `weather`. It keeps the history of one conversation. */
type Agent = { readonly ask: (text: string, signal?: AbortSignal) => Promise<string> }
type Made = { readonly url: string; readonly weather: (city: string) => string }

const frameworks: Readonly<Record<string, (made: Made) => Promise<Agent>>> = {
  async LangGraph({ url, weather }) {
    const folder = await installed(
      '@langchain/langgraph@1.4.18',
      '@langchain/langgraph-sdk@1.12.3',
      '@langchain/openai@1.6.0',
      '@langchain/core@1.2.13',
      'zod@4.6.7',
    )
    const { createReactAgent } = await load<Any>(folder, '@langchain/langgraph/prebuilt')
    const { MemorySaver } = await load<Any>(folder, '@langchain/langgraph')
    const { ChatOpenAI } = await load<Any>(folder, '@langchain/openai')
    const { tool } = await load<Any>(folder, '@langchain/core/tools')
    const { z } = await load<Any>(folder, 'zod')
    const llm = new ChatOpenAI({
      model: 'any',
      apiKey: 'ann',
      useResponsesApi: true,
      streaming: true,
      configuration: { baseURL: url },
    })
    const schema = z.object({ city: z.string() })
    const tools = [tool(({ city }: Any) => weather(city), { name: 'weather', description: 'The weather.', schema })]
    const agent = createReactAgent({ llm, tools, checkpointer: new MemorySaver() })
    return {
      async ask(content, signal) {
        const options = { configurable: { thread_id: 'one' }, ...(signal && { signal }) }
        const { messages } = await agent.invoke({ messages: [{ role: 'user', content }] }, options)
        return messages.at(-1).text
      },
    }
  },
  async LlamaIndex({ url, weather }) {
    const folder = await installed(
      '@llamaindex/openai@0.4.23',
      '@llamaindex/workflow@1.1.25',
      '@llamaindex/core@0.6.23',
      '@llamaindex/env@0.1.31',
      'zod@4.6.7',
    )
    const { openaiResponses } = await load<Any>(folder, '@llamaindex/openai')
    const { agent } = await load<Any>(folder, '@llamaindex/workflow')
    const { tool } = await load<Any>(folder, '@llamaindex/core/tools')
    const { z } = await load<Any>(folder, 'zod')
    const parameters = z.object({ city: z.string() })
    const execute = ({ city }: Any): string => weather(city)
    const tools = [tool({ name: 'weather', description: 'The weather.', parameters, execute })]
    const llm = openaiResponses({ model: 'gpt-4o', apiKey: 'ann', baseURL: url, maxRetries: 3 })
    const made = agent({ llm, tools })
    const chatHistory: Any[] = []
    return {
      async ask(content) {
        const { data } = await made.run(content, { chatHistory })
        chatHistory.push({ role: 'user', content }, { role: 'assistant', content: data.result })
        return data.result
      },
    }
  },
  Mastra: (made) => mastra(made, createOpenAI({ baseURL: made.url, apiKey: 'ann' }).responses('any')),
  // The router of Mastra keeps the address of its first request, so it has one test: this one.
  async 'Mastra’s router'(made) {
    const before = { ...process.env }
    Object.assign(process.env, { OPENAI_BASE_URL: made.url, OPENAI_API_KEY: 'ann' })
    const agent = await mastra(made, 'openai/gpt-5')
    return { ask: (text, signal) => agent.ask(text, signal).finally(() => Object.assign(process.env, before)) }
  },
}

async function mastra({ weather }: Made, model: unknown): Promise<Agent> {
  const folder = await installed('@mastra/core@1.71.0')
  const { Agent: MastraAgent } = await load<Any>(folder, '@mastra/core/agent')
  const { createTool } = await load<Any>(folder, '@mastra/core/tools')
  const { z } = await load<Any>(folder, 'zod')
  const tool = createTool({
    id: 'weather',
    description: 'The weather.',
    inputSchema: z.object({ city: z.string() }),
    execute: (input: Any) => Promise.resolve(weather(input.city ?? input.context?.city)),
  })
  const agent = new MastraAgent({ id: 'one', name: 'one', instructions: 'Be brief.', model, tools: { weather: tool } })
  const messages: Any[] = []
  return {
    async ask(content, abortSignal) {
      messages.push({ role: 'user', content })
      const stream = await agent.stream(messages, { ...(abortSignal && { abortSignal }), maxSteps: 5 })
      const text = await stream.text
      const { error } = stream
      if (error) throw error
      messages.push(...(await stream.response).messages)
      return text
    },
  }
}

for (const [name, make] of Object.entries(frameworks)) {
  test(`${name} goes through three turns with a call of its tool`, async (t) => {
    const served = await serveApps(t, [
      { when: 'weather', text: 'Let me look.', calls: [{ name: 'weather', args: { city: 'Lisbon' } }] },
      { afterTool: 'weather', text: 'They say {{result}}' },
      { when: '', text: 'Hello there, friend.' },
    ])
    const asked: string[] = []
    const weather = (city: string): string => {
      asked.push(city)
      return '18 degrees'
    }
    const agent = await make({ url: `${served.url}/v1`, weather })
    assert.match(await agent.ask('hi'), /Hello there, friend/)
    assert.match(await agent.ask('the weather in Lisbon?'), /18 degrees/)
    assert.match(await agent.ask('thanks'), /Hello there, friend/)
    assert.deepEqual(asked, ['Lisbon'])
    // LlamaIndex doubles the last words of what it reads, and sends that as its history.
    if (name !== 'LlamaIndex') assert.equal(threadsOf(served).size, 1)
  })

  if (name === 'Mastra’s router') continue
  test(`${name} is told of a gate, and opens one`, async (t) => {
    const served = await serveApps(t, [{ when: '', calls: [{ name: 'workspace_write', args: { path: 'a' } }] }])
    const agent = await make({ url: `${served.url}/v1`, weather: () => '' })
    const said = await agent.ask('write it').catch((error: unknown) => String(error))
    // LangGraph and LlamaIndex read no failed response: their answer is empty.
    if (name === 'Mastra') assert.match(said, /needs an approval/)
    assert.equal((await gatesOf(served)).length, 1)
  })
}

for (const name of ['LangGraph', 'Mastra']) {
  test(`${name}, aborted, stops its turn`, async (t) => {
    const served = await serveApps(t, [{ when: '', text: ['slow ', 'answer'], chunkDelayMs: 600_000 }])
    const agent = await frameworks[name]?.({ url: `${served.url}/v1`, weather: () => '' })
    const stopping = new AbortController()
    const said = agent?.ask('hello', stopping.signal).catch(() => '')
    await until(() => served.asked.length > 0)
    stopping.abort()
    await said
    await until(() => served.rested.some(({ status }) => status === 'cancelled'))
  })
}

test('streamText, as useChat has it, is stopped and goes on at once, with what it has read', async (t) => {
  const served = await serveApps(t, [
    { when: 'count', text: ['one two ', 'three'], chunkDelayMs: 600_000 },
    { when: '', text: 'Hello there, friend.' },
  ])
  const model = createOpenAI({ baseURL: `${served.url}/v1`, apiKey: 'ann' }).responses('any')
  const stopping = new AbortController()
  const first = streamText({ model, prompt: 'count', abortSignal: stopping.signal })
  let read = ''
  for await (const text of first.textStream) {
    read += text
    if (read.includes('two')) break
  }
  stopping.abort()
  const messages = [
    { role: 'user', content: 'count' },
    { role: 'assistant', content: read },
    { role: 'user', content: 'and now?' },
  ] as const
  assert.equal(await streamText({ model, messages: [...messages] }).text, 'Hello there, friend.')
  await until(() => served.rested.some(({ status }) => status === 'cancelled'))
  assert.equal(threadsOf(served).size, 1)
})
