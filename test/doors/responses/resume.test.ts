// A client whose connection is lost while an answer is written, and which goes on with `starting_after`.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { serve } from './serve.ts'

/** A model that says what the test writes to `words`, when it does. */
function dictatedModel(words: PassThrough): Model {
  return {
    provider: 'test',
    name: 'dictated',
    window: 100_000,
    async *stream() {
      for await (const text of words) yield [{ type: 'text', text: String(text) }]
      yield [{ type: 'done', usage: noUsage }]
    },
  }
}

/** Reads events up to the delta with the last of these words, or to the end. */
async function readTo(events: AsyncIterable<ResponseStreamEvent>, last?: string): Promise<ResponseStreamEvent[]> {
  const read: ResponseStreamEvent[] = []
  for await (const event of events) {
    read.push(event)
    if (event.type === 'response.output_text.delta' && last !== undefined && event.delta.endsWith(last)) break
  }
  return read
}

test('a client that lost its connection twice gets every event once', { timeout: 60_000 }, async (t) => {
  const words = new PassThrough({ encoding: 'utf8', objectMode: true })
  const served = await serve({ model: dictatedModel(words), rules: { fields: 'reference' } })
  t.after(() => served.close())
  const client = new OpenAI({ apiKey: 'ann', baseURL: `${served.url}/v1`, maxRetries: 0 })
  const request = { model: 'm', input: 'hi', background: true, stream: true } as const
  const stream = await client.responses.create(request)
  for (const word of ['one ', 'two ', 'three ']) words.write(word)
  const first = await readTo(stream, 'three ')
  stream.controller.abort()
  const [created] = first
  assert.ok(created?.type === 'response.created')
  const { id } = created.response

  words.write('four ')
  const resume = (events: ResponseStreamEvent[]) =>
    client.responses.retrieve(id, { stream: true, starting_after: events.at(-1)?.sequence_number ?? -1 })
  const again = await resume(first)
  words.write('five ')
  const second = await readTo(again, 'five ')
  again.controller.abort()

  const third = await resume([...first, ...second])
  words.end('six')
  const all = [...first, ...second, ...(await readTo(third))]
  assert.deepEqual(
    all.map((event) => event.sequence_number),
    [...all.keys()],
  )
  const deltas = all.filter((event) => event.type === 'response.output_text.delta')
  assert.equal(deltas.map(({ delta }) => delta).join(''), 'one two three four five six')
  assert.equal(new Set(deltas.map((event) => `${event.item_id} ${event.output_index}`)).size, 1)
  const last = all.at(-1)
  assert.ok(last?.type === 'response.completed')
  assert.match(JSON.stringify(last.response.output), /"one two three four five six"/)
})
