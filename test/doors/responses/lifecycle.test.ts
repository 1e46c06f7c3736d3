// What can be done with a response that exists, and the routes beside it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { errorOf, outputOf, readEvents, serve, type Served, textIn, weather, type Wire } from './serve.ts'

describe('a stored response', () => {
  let served: Served
  before(async () => {
    served = await serve({
      replies: [
        { when: 'slow', text: 'one two three', chunkDelayMs: 60_000 },
        { when: 'pace', text: 'a b c d e f', chunkDelayMs: 30 },
        { when: '', text: 'Hello there.' },
      ],
    })
  })
  after(() => served.close())

  const missing = `resp_${'0'.repeat(64)}`

  it('is 404 in the envelope when unknown, malformed or another user’s, on every route', async () => {
    const { body } = await served.create({ input: 'hi' })
    const foreign = { authorization: 'Bearer bob' }
    const swapped = `resp_${String(body['id']).slice(5, 37)}${'0'.repeat(32)}`
    for (const [id, headers] of [
      [missing, {}],
      ['nonsense', {}],
      ['%zz', {}],
      [swapped, {}],
      [String(body['id']), foreign],
    ] as const) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '?stream=true'],
        ['GET', '/input_items'],
        ['POST', '/cancel'],
        ['DELETE', ''],
      ] as const) {
        const answer = await served.call(method, `/api/v1/responses/${id}${path}`, undefined, headers)
        assert.equal(answer.status, 404, `${method} ${path}`)
        assert.equal(errorOf(answer.body)['code'], 'not_found')
        assert.equal(errorOf(answer.body)['type'], 'invalid_request_error')
      }
    }
  })

  it('is the same on GET, but for the model', async () => {
    const { body } = await served.create({ input: 'hi', instructions: 'x', tools: [weather], temperature: 0.5 })
    const got = await served.get(`/responses/${String(body['id'])}`)
    assert.deepEqual(got.body, { ...body, model: 'reborn' })
  })

  it('lists its input, newest first, in pages', async () => {
    const input = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', image_url: 'https://x.test/a.png' },
        ],
      },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ]
    const { body } = await served.create({ input })
    assert.equal(outputOf(body).length, 1)
    const path = `/responses/${String(body['id'])}/input_items`
    const { body: all } = await served.get(`${path}?order=asc`)
    const items = all['data'] as Wire[]
    assert.deepEqual(
      items.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    )
    assert.equal(all['object'], 'list')
    assert.equal(all['has_more'], false)
    assert.deepEqual(items[0]?.['content'], [
      { type: 'input_text', text: 'one' },
      { type: 'input_image', image_url: 'https://x.test/a.png', detail: 'auto' },
    ])
    const { body: page } = await served.get(`${path}?limit=2`)
    assert.deepEqual(page['data'], [items[2], items[1]])
    assert.equal(page['has_more'], true)
    const { body: rest } = await served.get(`${path}?limit=2&after=${String(page['last_id'])}`)
    assert.deepEqual(rest['data'], [items[0]])
    assert.equal(rest['has_more'], false)
    const { body: exact } = await served.get(`${path}?limit=3`)
    assert.deepEqual([(exact['data'] as Wire[]).length, exact['has_more']], [3, false])
    assert.deepEqual([exact['first_id'], exact['last_id']], [items[2]?.['id'], items[0]?.['id']])
  })

  it('pages its input by 20 unless asked, by 100 at most', async () => {
    const input = Array.from({ length: 130 }, (_, at) => ({ role: 'user', content: `${at}` }))
    const { body } = await served.create({ input })
    const page = async (query: string) => {
      const { body: answer } = await served.get(`/responses/${String(body['id'])}/input_items${query}`)
      return [(answer['data'] as Wire[]).length, answer['has_more']]
    }
    assert.deepEqual(await page(''), [20, true])
    assert.deepEqual(await page('?limit=100'), [100, true])
    assert.deepEqual(await page('?limit=101'), [100, true])
    assert.deepEqual(await page('?limit=0'), [20, true])
    assert.deepEqual(await page('?limit=-5'), [1, true])
    assert.deepEqual(await page('?limit=nonsense'), [20, true])
  })

  it('is not found under the other half of an id, nor continued', async () => {
    const [one, two] = [await served.create({ input: 'one' }), await served.create({ input: 'two' })]
    const mixed = String(one.body['id']).slice(0, 5 + 32) + String(two.body['id']).slice(5 + 32)
    assert.equal((await served.get(`/responses/${mixed}`)).status, 404)
    const next = await served.create({ input: 'x', previous_response_id: mixed })
    assert.equal(errorOf(next.body)['code'], 'previous_response_not_found')
    const bob = await served.create({ input: 'his' }, { authorization: 'Bearer bob' })
    const foreign = String(one.body['id']).slice(0, 5 + 32) + String(bob.body['id']).slice(5 + 32)
    const stolen = await served.create({ input: 'x', previous_response_id: foreign })
    assert.equal(errorOf(stolen.body)['code'], 'previous_response_not_found')
    assert.equal((await served.call('DELETE', `/v1/responses/${foreign}`)).status, 404)
  })

  it('forgets its Idempotency-Key when it is deleted', async () => {
    const headers = { 'idempotency-key': 'key-deleted' }
    const first = await served.create({ input: 'one' }, headers)
    await served.call('DELETE', `/v1/responses/${String(first.body['id'])}`)
    const again = await served.create({ input: 'one' }, headers)
    assert.equal(again.status, 200)
    assert.notEqual(again.body['id'], first.body['id'])
    assert.equal((await served.get(`/responses/${String(again.body['id'])}`)).status, 200)
  })

  it('is gone after DELETE, but not from the history of its thread', async () => {
    const first = await served.create({ input: 'one' })
    const second = await served.create({ input: 'two', previous_response_id: first.body['id'] })
    const { status, body } = await served.call('DELETE', `/v1/responses/${String(first.body['id'])}`)
    assert.deepEqual([status, body], [200, { id: first.body['id'], object: 'response', deleted: true }])
    assert.equal((await served.get(`/responses/${String(first.body['id'])}`)).status, 404)
    await served.create({ input: 'three', previous_response_id: second.body['id'] })
    assert.equal(served.asked.at(-1)?.items.length, 5)
    const gone = await served.create({ input: 'x', previous_response_id: first.body['id'] })
    assert.equal(errorOf(gone.body)['code'], 'previous_response_not_found')
  })

  it('is cancelled while it runs, though its model would say more; its stream ends with failed and status cancelled', async () => {
    const { id, rest } = await begin(served, { input: 'slow' })
    const running = await served.get(`/responses/${id}`)
    assert.equal(running.body['status'], 'in_progress')
    const busy = await served.create({ input: 'hi', previous_response_id: id })
    assert.equal(busy.status, 409)
    assert.equal(errorOf(busy.body)['code'], 'conversation_busy')
    assert.ok(busy.headers.get('retry-after'))
    const cancelled = await served.call('POST', `/api/v1/responses/${id}/cancel`, '')
    assert.equal(cancelled.body['status'], 'cancelled')
    assert.equal(cancelled.body['model'], 'reborn')
    assert.equal(textIn(cancelled.body), 'one ')
    const last = readEvents(await rest).at(-1)
    assert.equal(last?.event, 'response.failed')
    const response = last?.data['response'] as Wire
    assert.equal(response['status'], 'cancelled')
    assert.deepEqual(response['output'], cancelled.body['output'])
    const twice = await served.call('POST', `/api/v1/responses/${id}/cancel`)
    assert.deepEqual(twice.body, cancelled.body)
  })

  it('stays as it is when it is over and somebody cancels it', async () => {
    const { body } = await served.create({ input: 'hi' })
    const cancelled = await served.call('POST', `/v1/responses/${String(body['id'])}/cancel`)
    assert.deepEqual(cancelled.body, { ...body, model: 'reborn' })
  })

  it('is told again as a stream: from the store, and from where it runs', async () => {
    const { body } = await served.create({ input: 'hi' })
    const events = readEvents((await served.get(`/responses/${String(body['id'])}?stream=true`)).text)
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'response.created',
        'response.output_item.added',
        'response.output_text.delta',
        'response.output_item.done',
        'response.completed',
      ],
    )
    assert.deepEqual(lastResponse(events)['output'], body['output'])
    const late = readEvents((await served.get(`/responses/${String(body['id'])}?stream=true&starting_after=2`)).text)
    assert.deepEqual(late, events.slice(3))
    const all = readEvents((await served.get(`/responses/${String(body['id'])}?stream=true&starting_after=`)).text)
    assert.deepEqual(all, events)
    const past = readEvents((await served.get(`/responses/${String(body['id'])}?stream=true&starting_after=40`)).text)
    assert.deepEqual(
      past.map(({ data }) => [data['type'], data['sequence_number']]),
      [['response.completed', 41]],
    )
    const { id, rest } = await begin(served, { input: 'pace' })
    const joined = readEvents((await served.get(`/responses/${id}?stream=true`)).text)
    assert.equal(deltas(joined), 'a b c d e f')
    assert.equal(deltas(readEvents(await rest)).endsWith('f'), true)
  })

  it('is the same response for the same Idempotency-Key and body, and 422 for another body', async () => {
    const headers = { 'idempotency-key': 'key-1' }
    const first = await served.create({ input: 'hi', metadata: { a: '1', b: '2' } }, headers)
    const again = await served.create({ metadata: { b: '2', a: '1' }, input: 'hi' }, headers)
    assert.deepEqual(again.body, first.body)
    const other = await served.create({ input: 'ho' }, headers)
    assert.equal(other.status, 422)
    assert.equal(errorOf(other.body)['code'], 'idempotency_conflict')
    const bob = await served.create({ input: 'ho' }, { ...headers, authorization: 'Bearer bob' })
    assert.equal(bob.status, 200)
    for (const key of ['', 'k'.repeat(256)]) {
      const refused = await served.create({ input: 'hi' }, { 'idempotency-key': key })
      assert.equal(refused.status, 400)
      assert.equal(errorOf(refused.body)['param'], 'Idempotency-Key')
    }
  })

  it('is the same response for a key whose request refers to what has been deleted since', async () => {
    const before = await served.create({ input: 'hi' })
    const body = { input: 'and now', previous_response_id: before.body['id'] }
    const first = await served.create(body, { 'idempotency-key': 'key-gone' })
    await served.call('DELETE', `/api/v1/responses/${String(before.body['id'])}`)
    const again = await served.create(body, { 'idempotency-key': 'key-gone' })
    assert.deepEqual(again.body, first.body)
    assert.equal(again.body['status'], 'completed')
  })

  it('attaches a retry with the same key to the turn that runs', async () => {
    const headers = { 'idempotency-key': 'key-2' }
    const asked = served.asked.length
    const [one, two] = await Promise.all([
      served.create({ input: 'pace' }, headers),
      served.create({ input: 'pace' }, headers),
    ])
    assert.deepEqual(one.body, two.body)
    assert.equal(textIn(one.body), 'a b c d e f')
    assert.equal(served.asked.length, asked + 1)
    const streamed = await begin(served, { input: 'pace' }, { 'idempotency-key': 'key-3' })
    const joined = await served.stream({ input: 'pace' }, { 'idempotency-key': 'key-3' })
    assert.equal(deltas(joined), 'a b c d e f')
    assert.equal(lastResponse(joined)['id'], streamed.id)
    await streamed.rest
  })
})

it('a request that finds every place taken is refused at once and told when to come back', async () => {
  const served = await serve({ room: 1, replies: [{ when: '', text: 'a b c', chunkDelayMs: 200 }] })
  const answers = await Promise.all([1, 2, 3].map(() => served.create({ input: 'pace' })))
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '503', '503'])
  const refused = answers.find(({ status }) => status === 503)
  assert.equal((refused?.body['error'] as Wire | undefined)?.['code'], 'overloaded')
  assert.equal((await served.create({ input: 'pace' })).status, 200, 'and is taken once there is one')
  await served.close()
})

function lastResponse(events: ReturnType<typeof readEvents>): Wire {
  return (events.at(-1)?.data['response'] ?? {}) as Wire
}

function deltas(events: ReturnType<typeof readEvents>): string {
  return events.map(({ data }) => (data['type'] === 'response.output_text.delta' ? String(data['delta']) : '')).join('')
}

/** Begins a stream and waits for its first delta; `rest` is the whole text, once it is over. */
async function begin(served: Served, body: Wire, headers: Record<string, string> = {}) {
  const response = await fetch(`${served.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-test', stream: true, ...body }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(reader)
  let text = ''
  const read = async (until: (text: string) => boolean): Promise<string> => {
    while (!until(text)) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
    }
    return text
  }
  await read((so) => so.includes('output_text.delta'))
  const id = /"id":"(resp_[0-9a-f]{64})"/.exec(text)?.[1] ?? ''
  return { id, rest: read(() => false) }
}
