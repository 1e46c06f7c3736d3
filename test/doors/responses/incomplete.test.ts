// An answer that ran into the model's own limit, as the libraries of callers see it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { outputOf, readEvents, serve, type Wire } from './serve.ts'

/** Says half of what it had to say. */
const cutShort: Model = {
  provider: 'test',
  name: 'test-1',
  window: 100_000,
  async *stream() {
    yield await Promise.resolve([{ type: 'text' as const, text: 'Once upon' }])
    yield [{ type: 'done' as const, usage: noUsage, stop: 'length' as const }]
  },
}

test('it is incomplete with its reason, in the answer, in the stream and on GET', async (t) => {
  const served = await serve({ model: cutShort })
  t.after(() => served.close())
  const { body } = await served.create({ input: 'hi' })
  const got = await served.get(`/responses/${String(body['id'])}`)
  const events = await served.stream({ input: 'hi' })
  assert.equal(events.at(-1)?.event, 'response.completed')
  const again = await served.get(`/responses/${String(body['id'])}?stream=true`)
  for (const response of [body, got.body, lastOf(events), lastOf(readEvents(again.text))]) {
    assert.equal(response['status'], 'incomplete')
    assert.deepEqual(response['incomplete_details'], { reason: 'max_output_tokens' })
    assert.equal(response['error'], null)
    assert.equal(outputOf(response)[0]?.['status'], 'incomplete')
  }
  const done = events.find(({ event }) => event === 'response.output_item.done')
  assert.ok(done)
  assert.equal((done.data['item'] as Wire)['status'], 'incomplete')
})

test('the openai library hands it on, awaited and streamed', async (t) => {
  const served = await serve({ model: cutShort })
  t.after(() => served.close())
  const client = new OpenAI({ apiKey: 'ann', baseURL: `${served.url}/api/v1`, maxRetries: 0 })
  const created = await client.responses.create({ model: 'm', input: 'hi' })
  const streamed = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse()
  for (const response of [created, streamed]) {
    assert.equal(response.status, 'incomplete')
    assert.equal(response.incomplete_details?.reason, 'max_output_tokens')
    assert.equal(response.output_text, 'Once upon')
  }
})

test('the AI SDK tells the reason `length`, awaited and streamed', async (t) => {
  const served = await serve({ model: cutShort })
  t.after(() => served.close())
  const model = createOpenAI({ apiKey: 'ann', baseURL: `${served.url}/api/v1` }).responses('m')
  const made = await generateText({ model, prompt: 'hi' })
  assert.deepEqual([made.text, made.finishReason], ['Once upon', 'length'])
  const stream = streamText({ model, prompt: 'hi' })
  assert.deepEqual([await stream.text, await stream.finishReason], ['Once upon', 'length'])
})

function lastOf(events: ReturnType<typeof readEvents>): Wire {
  return events.at(-1)?.data['response'] as Wire
}
