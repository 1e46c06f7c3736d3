// LangChain's ChatOpenAI against chat completions.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import * as z from 'zod'
import { userId } from '#core/ids.ts'
import { serve, type Served } from '../responses/serve.ts'

let served: Served
before(async () => {
  served = await serve({
    replies: [
      { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
      { afterTool: 'get_weather', text: 'It is {{result}}' },
      { when: 'json', text: '{"name":"Tom","age":3}' },
      { when: '', text: 'Hello there, friend.' },
    ],
  })
})
after(() => served.close())

const model = (more: object = {}) =>
  new ChatOpenAI({
    model: 'atrium',
    apiKey: 'ann',
    maxRetries: 0,
    configuration: { baseURL: `${served.url}/v1` },
    ...more,
  })

it('talks in one thread with a tool of its own', async () => {
  const weather = tool(({ city }) => `sunny in ${city}`, {
    name: 'get_weather',
    description: 'The weather of a city.',
    schema: z.object({ city: z.string() }),
  })
  const withTool = model().bindTools([weather])
  const messages: BaseMessage[] = [new HumanMessage('hi')]
  messages.push(await withTool.invoke(messages))
  messages.push(new HumanMessage('the weather?'))
  const asked = await withTool.invoke(messages)
  messages.push(asked)
  const [call] = asked.tool_calls ?? []
  assert.deepEqual(call?.args, { city: 'Rome' })
  messages.push(new ToolMessage({ content: await weather.invoke({ city: 'Rome' }), tool_call_id: call?.id ?? '' }))
  const answer = await withTool.invoke(messages)
  assert.match(answer.text, /sunny in Rome/)
  messages.push(answer, new HumanMessage('thanks'))
  assert.equal((await withTool.invoke(messages)).text, 'Hello there, friend.')
  assert.equal((await served.threads.list(userId('ann'), { limit: 9 })).rows.length, 1)
})

it('streams, and reads an answer by its schema', async () => {
  let text = ''
  for await (const chunk of await model().stream('hi')) text += chunk.text
  assert.equal(text, 'Hello there, friend.')
  const shaped = model().withStructuredOutput(z.object({ name: z.string(), age: z.number() }), { method: 'jsonSchema' })
  assert.deepEqual(await shaped.invoke([new HumanMessage('json'), new AIMessage('no'), new HumanMessage('json!')]), {
    name: 'Tom',
    age: 3,
  })
})
