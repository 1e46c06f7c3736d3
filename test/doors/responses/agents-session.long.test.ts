// The Agents SDK of OpenAI with a conversation as its memory: a session that it keeps itself, and the field `conversation`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { installed, load, serveApps, threadsOf } from './apps.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- modules that are no dependencies of the project
type Any = any

const script = [
  { when: 'weather', text: 'Let me look.', calls: [{ name: 'weather', args: { city: 'Lisbon' } }] },
  { afterTool: 'weather', text: 'They say {{result}}' },
  { when: '', text: 'Hello there, friend.' },
]

async function agents(url: string) {
  const folder = await installed('@openai/agents@0.20.0', 'zod@4.6.7')
  const sdk = await load<Any>(folder, '@openai/agents')
  const { z } = await load<Any>(folder, 'zod')
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'ann' })
  const modelProvider = new sdk.OpenAIProvider({ openAIClient: client })
  const runner = new sdk.Runner({ modelProvider, tracingDisabled: true })
  const weather = (needsApproval: boolean): Any =>
    sdk.tool({
      name: 'weather',
      description: 'The weather.',
      parameters: z.object({ city: z.string() }),
      needsApproval,
      execute: () => Promise.resolve('18 degrees'),
    })
  const agent = (asks = false): Any => new sdk.Agent({ name: 'one', model: 'any', tools: [weather(asks)] })
  return { sdk, client, runner, agent }
}

const kindsOf = (items: readonly Any[]): string[] => items.map(({ type, role }) => role ?? type)

test('a session keeps what was said, with calls, and the responses stay in one thread', async (t) => {
  const served = await serveApps(t, script)
  const { sdk, client, runner, agent } = await agents(served.url)
  const session = new sdk.OpenAIConversationsSession({ client })
  const ask = async (text: Any, asks?: boolean): Promise<Any> => runner.run(agent(asks), text, { session })
  assert.equal((await ask('hi')).finalOutput, 'Hello there, friend.')
  assert.match((await ask('the weather?')).finalOutput, /18 degrees/)
  assert.equal((await ask('thanks')).finalOutput, 'Hello there, friend.')
  assert.equal(threadsOf(served).size, 1)
  const spoken = ['user', 'assistant', 'user', 'assistant', 'function_call', 'function_call_result', 'assistant']
  assert.deepEqual(kindsOf(await session.getItems()), [...spoken, 'user', 'assistant'])
  assert.deepEqual(kindsOf(await session.getItems(2)), ['user', 'assistant'])

  const waiting = await ask('the weather again?', true)
  assert.equal(kindsOf(await session.getItems()).at(-1), 'function_call')
  for (const each of waiting.interruptions) waiting.state.approve(each)
  assert.match((await ask(waiting.state, true)).finalOutput, /18 degrees/)
  const [output] = await session.getItems(2)
  assert.equal(output.type, 'function_call_result')

  assert.equal((await session.popItem()).role, 'assistant')
  assert.equal((await session.popItem()).callId, output.callId)
  assert.equal(kindsOf(await session.getItems()).at(-1), 'function_call')
  const id = await session.getSessionId()
  await session.clearSession()
  await assert.rejects(client.conversations.retrieve(id), { status: 404 })
  assert.deepEqual(await session.getItems(), [])
})

test('a run that names a conversation goes on in it', async (t) => {
  const served = await serveApps(t, script)
  const { client, runner, agent } = await agents(served.url)
  const { id: conversationId } = await client.conversations.create({})
  const ask = async (text: string): Promise<string> => (await runner.run(agent(), text, { conversationId })).finalOutput
  assert.equal(await ask('hi'), 'Hello there, friend.')
  assert.match(await ask('the weather?'), /18 degrees/)
  assert.equal(threadsOf(served).size, 1)
})
