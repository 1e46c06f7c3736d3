// A client that stops an answer and goes on: its turn ends at once, and the conversation stays one thread.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { readMessages } from '#doors/completions/read/messages.ts'
import { chainOfRequest } from '#doors/openai/find-thread.ts'
import { until } from '../../until.ts'
import { stillClock } from '../../fake-clock.ts'
import type { Message } from '../completions/client.ts'
import { errorOf, serve, type Served, textIn, type Wire } from './serve.ts'

async function open(t: TestContext): Promise<Served> {
  const served = await serve({
    clock: stillClock,
    replies: [
      { when: 'count', text: ['one ', 'two ', 'three'], chunkDelayMs: 60_000 },
      { when: '', text: 'You said: {{input}}' },
    ],
  })
  t.after(() => served.close())
  return served
}

const count = { role: 'user', content: 'count' }

/** Reads a stream up to its first word and leaves it. */
async function readAndLeave(served: Served, headers = {}): Promise<string> {
  const leaving = new AbortController()
  const response = await fetch(`${served.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', stream: true, input: [count] }),
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  let text = ''
  while (!text.includes('"delta":"one')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
  leaving.abort()
  return /"id":"(resp_[0-9a-f]{64})"/.exec(text)?.[1] ?? ''
}

async function isKnown(served: Served, history: readonly Message[]): Promise<boolean> {
  const { points } = await chainOfRequest((await readMessages(history)).items)
  return (await served.threads.findByChain(userId('ann'), [points.at(-1)?.hash ?? ''])) !== undefined
}

const threadOf = (id: unknown): string => String(id).slice(-32)

test('a message behind what was read of a stopped answer ends its turn and goes on in its thread', async (t) => {
  const served = await open(t)
  const stopped = await readAndLeave(served)
  const history = [count, { role: 'assistant', content: 'one' }, { role: 'user', content: 'more' }]
  let answer: Wire = {}
  await until(async () => {
    answer = (await served.create({ input: history })).body
    return threadOf(answer['id']) === threadOf(stopped)
  })
  assert.equal(textIn(answer), 'You said: more')
  assert.equal((await served.get(`/responses/${stopped}`)).body['status'], 'cancelled')
})

test('a history that has nothing of a running answer leaves it alone', async (t) => {
  const served = await open(t)
  const stopped = await readAndLeave(served)
  const { body } = await served.create({
    input: [count, { role: 'assistant', content: 'else' }, { role: 'user', content: 'hi' }],
  })
  assert.notEqual(threadOf(body['id']), threadOf(stopped))
  assert.equal((await served.get(`/responses/${stopped}`)).body['status'], 'in_progress')
})

test('a message behind an answer that is kept running does not wait for it', async (t) => {
  const served = await open(t)
  const kept = await readAndLeave(served, { 'idempotency-key': 'k1' })
  const history = [count, { role: 'assistant', content: 'one' }, { role: 'user', content: 'more' }]
  await until(() => isKnown(served, history.slice(0, 2)))
  const { body } = await served.create({ input: history })
  assert.equal(textIn(body), 'You said: more')
  assert.notEqual(threadOf(body['id']), threadOf(kept))
  assert.equal((await served.get(`/responses/${kept}`)).body['status'], 'in_progress')
})

test('a message that names a stopped answer ends its turn and goes on in its thread', async (t) => {
  const served = await open(t)
  const stopped = await readAndLeave(served)
  await until(() => served.watching.size === 0)
  const { status, body } = await served.create({ input: 'more', previous_response_id: stopped })
  assert.deepEqual([status, textIn(body)], [200, 'You said: more'])
  assert.equal(threadOf(body['id']), threadOf(stopped))
  assert.equal((await served.get(`/responses/${stopped}`)).body['status'], 'cancelled')
  const next = await served.create({ input: 'and', previous_response_id: body['id'] })
  assert.equal(threadOf(next.body['id']), threadOf(stopped))
})

test('a message that names an answer that is kept running is refused', async (t) => {
  const served = await open(t)
  const kept = await readAndLeave(served, { 'idempotency-key': 'k1' })
  const { status, body } = await served.create({ input: 'more', previous_response_id: kept })
  assert.deepEqual([status, errorOf(body)['code']], [409, 'conversation_busy'])
})
